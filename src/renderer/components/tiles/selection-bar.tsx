import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatInteger } from '../../lib/format.ts';
import classes from './selection-bar.module.css';

interface SelectionBarProps {
  count: number;
  onClear: () => void;
  children: ReactNode;
}

/** The number of selected tiles and the actions on them. Replaces the tools above the tiles. */
export function SelectionBar({ count, onClear, children }: SelectionBarProps) {
  const { t, i18n } = useTranslation();
  const label = t('common.tiles.selected', { count, n: formatInteger(count, i18n.language) });
  return (
    <div className={classes.bar} role="toolbar" aria-label={label}>
      <b className="num" role="status">
        {label}
      </b>
      <Button size="xs" variant="subtle" color="gray" onClick={onClear}>
        {t('common.tiles.clear')}
      </Button>
      {children}
    </div>
  );
}

/** Shown in place of the bar while nothing is selected: how to select, and how tiles are shown. */
export function TileTools({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <div className={classes.tools}>
      <span className={classes.hint}>{t('common.tiles.hint')}</span>
      {children}
    </div>
  );
}
