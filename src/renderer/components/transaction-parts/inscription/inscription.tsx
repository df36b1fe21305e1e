import { useTranslation } from 'react-i18next';
import type { TransactionView } from '../../../../contract/index.ts';
import { formatBytes } from '../../../lib/format.ts';
import { Panel } from '../../page.tsx';
import { Preview } from '../../preview/preview.tsx';
import layout from '../../styles/layout.module.css';
import { Id } from '../../values/values.tsx';
import classes from './inscription.module.css';
import { metadataFields } from './metadata-fields.ts';

type Output = TransactionView['outputs'][number];

/** The inscription of an output: a safe preview of the content, and the metadata as it is on chain. */
export function Inscription({ txid, output }: { txid: string; output: Output }) {
  const { t, i18n } = useTranslation();
  const { inscription } = output;
  if (inscription === null) return null;
  const name = inscription.metadata.name ?? t('transactions.emptyTokenName');
  const metadata = metadataFields(inscription.metadata);
  return (
    <Panel title={name} hint={t('transactions.inscriptionOf', { n: output.index })}>
      <div className={classes.inscription}>
        <div className={classes.content}>
          <Preview file={{ ...inscription, name, inscribedIn: { txid, index: output.index } }} full />
        </div>
        <div>
          <dl className={classes.metadata}>
            {metadata.map(({ name: field, value }, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: traits may share a name, and a field is identified by its index.
              <div key={place} style={{ display: 'contents' }}>
                <dt>{field}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
          {metadata.length === 0 && <p className={layout.dim}>{t('transactions.noMetadata')}</p>}
          <dl className={`${classes.metadata} ${classes.second}`}>
            <dt>{t('transactions.contentType')}</dt>
            <dd className="mono">{inscription.contentType}</dd>
            <dt>{t('common.bytes')}</dt>
            <dd className="num">{formatBytes(inscription.bytes, i18n.language)}</dd>
            <dt>{t('projects.item.hash')}</dt>
            <dd>
              <Id value={inscription.sha256} what={t('common.hashName')} copyAlways keep={8} />
            </dd>
          </dl>
        </div>
      </div>
    </Panel>
  );
}
