import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useTranslation } from 'react-i18next';
import type { FileInfo, Item } from '../../../contract/index.ts';
import { i18n } from '../../i18n/index.ts';
import { formatBytes } from '../../lib/format.ts';
import { Preview } from '../preview/preview.tsx';
import classes from './cost-advice.module.css';
import './texts.ts';

/** Number of pairs that are shown. */
const SHOWN = 24;

function Side({ label, file }: { label: string; file: FileInfo }) {
  const { i18n: language } = useTranslation();
  return (
    <figure className={classes.side}>
      <div className={classes.picture}>
        <Preview file={file} full />
      </div>
      <figcaption>
        {label} · <span className="num">{formatBytes(file.bytes, language.language)}</span>
      </figcaption>
    </figure>
  );
}

/** Each file next to the smaller copy that replaces it. */
function Compare({ items }: { items: readonly Item[] }) {
  const { t } = useTranslation();
  const pairs = items.flatMap(({ id, metadata, file, original }) =>
    original === undefined ? [] : [{ id, name: metadata.name, file, original }],
  );
  return (
    <div>
      <ul className={classes.pairs}>
        {pairs.slice(0, SHOWN).map(({ id, name, file, original }) => (
          <li key={id}>
            <Text size="sm" fw={550}>
              {name}
            </Text>
            <div className={classes.pair}>
              <Side label={t('costAdvice.before')} file={original} />
              <Side label={t('costAdvice.after')} file={file} />
            </div>
          </li>
        ))}
      </ul>
      {pairs.length > SHOWN && (
        <Text size="sm" c="dimmed">
          {t('costAdvice.more', { count: pairs.length - SHOWN })}
        </Text>
      )}
    </div>
  );
}

/** Shows files and their copies side by side. */
export function openCompare(items: readonly Item[]): void {
  modals.open({ title: i18n.t('costAdvice.compareTitle'), size: 880, children: <Compare items={items} /> });
}
