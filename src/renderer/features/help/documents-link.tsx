import { IconBook2 } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { inDesktop } from '../../api/client.ts';
import { icon } from '../../components/icon.ts';
import classes from './help.module.css';

/** Leads to the documents that come with the application. The desktop has one window: it shows them there, and they lead back. */
export function DocumentsLink() {
  const { t } = useTranslation();
  return (
    <ul className={classes.links}>
      <li>
        <a href="/docs/" className={classes.link} {...(!inDesktop && { target: '_blank', rel: 'noreferrer' })}>
          <IconBook2 {...icon} />
          <span>
            <b>{t('help.documents.name')}</b>
            <span className={classes.linkText}>{t('help.documents.text')}</span>
          </span>
        </a>
      </li>
    </ul>
  );
}
