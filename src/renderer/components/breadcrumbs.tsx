import { IconChevronRight } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { visited } from '../lib/way-back.ts';
import classes from './breadcrumbs.module.css';

export interface Crumb {
  readonly label: string;
  readonly to: string;
}

/** Links to the parent pages, outermost first. Each restores its last position. */
export function Breadcrumbs({ crumbs }: { crumbs: readonly Crumb[] }) {
  const { t } = useTranslation();
  return (
    <nav className={classes.crumbs} aria-label={t('common.crumbs')}>
      {crumbs.map(({ label, to }, index) => (
        <span key={to} style={{ display: 'contents' }}>
          {index > 0 && <IconChevronRight size={14} stroke={1.5} aria-hidden />}
          <Link href={to} state={visited}>
            {label}
          </Link>
        </span>
      ))}
    </nav>
  );
}
