import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { SettingEntry } from '../../../../contract/index.ts';
import { routes } from '../../../lib/routes.ts';
import classes from '../settings.module.css';
import { useSettingWords } from '../use-setting-words.ts';
import { Marked } from './marked.tsx';

/** The network is changed on its page, which checks what a network needs. */
export function NetworkRow({ entry, wanted }: { entry: SettingEntry; wanted: string }) {
  const { t } = useTranslation();
  const words = useSettingWords();
  const { name, help } = words(entry.key);
  return (
    <div className={classes.row} data-key={entry.key}>
      <div className={classes.words}>
        <div className={classes.name}>
          <span>
            <Marked text={name} wanted={wanted} />
          </span>
        </div>
        <div className={classes.help}>
          <Marked text={help} wanted={wanted} />
        </div>
      </div>
      <div className={classes.field}>
        <Link href={routes.network(String(entry.value))} className={classes.link}>
          {words.option(entry.key, String(entry.value))}
        </Link>
        <div className={classes.facts}>{t('settings.networkAt')}</div>
      </div>
    </div>
  );
}
