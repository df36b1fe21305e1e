import { IconBell, IconFileZip, IconListDetails, IconStethoscope } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { icon } from '../../components/icon.ts';
import { routes } from '../../lib/routes.ts';
import classes from './help.module.css';

const parts = [
  { part: 'checks', Icon: IconStethoscope },
  { part: 'notices', Icon: IconBell },
  { part: 'log', Icon: IconListDetails },
  { part: 'report', Icon: IconFileZip },
] as const;

/** The troubleshooting pages. */
export function RepairLinks({ onOpen }: { onOpen?: () => void }) {
  const { t } = useTranslation();
  return (
    <ul className={classes.links}>
      {parts.map(({ part, Icon }) => (
        <li key={part}>
          <Link href={routes.helpPart(part)} className={classes.link} {...(onOpen && { onClick: onOpen })}>
            <Icon {...icon} />
            <span>
              <b>{t(`help.${part}.title`)}</b>
              <span className={classes.linkText}>{t(`help.${part}.link`)}</span>
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
