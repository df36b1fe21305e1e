import { useTranslation } from 'react-i18next';
import type { Review } from '../../../contract/index.ts';
import { formatBytes, formatInteger, formatMinute } from '../../lib/format.ts';
import pairs from '../styles/pairs.module.css';
import { Amount, Id } from '../values/values.tsx';
import classes from './review-fields.module.css';

function Inputs({ review }: { review: Review }) {
  const { t } = useTranslation();
  return (
    <table className={classes.table}>
      <thead>
        <tr>
          <th>{t('review.table.index')}</th>
          <th>{t('review.table.outpoint')}</th>
          <th>{t('review.table.address')}</th>
          <th className={classes.right}>{t('review.table.value')}</th>
        </tr>
      </thead>
      <tbody>
        {review.inputs.map((input, index) => (
          <tr key={`${input.txid}_${input.vout}`}>
            <td className="num">{index}</td>
            <td>
              <Id value={`${input.txid}_${input.vout}`} kind="output" keep={6} />
            </td>
            <td>
              {input.address === null ? t('common.unknown') : <Id value={input.address} kind="address" keep={6} />}
            </td>
            <td className={classes.right}>
              <Amount satoshis={input.satoshis} exact />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Outputs({ review, names }: { review: Review; names: ReadonlyMap<string, string> }) {
  const { t, i18n } = useTranslation();
  return (
    <table className={classes.table}>
      <thead>
        <tr>
          <th>{t('review.table.index')}</th>
          <th>{t('review.table.kind')}</th>
          <th>{t('review.table.address')}</th>
          <th>{t('review.table.content')}</th>
          <th className={classes.right}>{t('review.table.value')}</th>
        </tr>
      </thead>
      <tbody>
        {review.outputs.map((output) => (
          <tr key={output.index}>
            <td className="num">{output.index}</td>
            <td>
              {(output.itemId === null ? undefined : names.get(output.itemId)) ?? t(`review.kind.${output.kind}`)}
            </td>
            <td>
              {output.address === null ? t('common.unknown') : <Id value={output.address} kind="address" keep={6} />}
            </td>
            <td>
              {output.contentType === null ? (
                '–'
              ) : (
                <>
                  <span className="mono">{output.contentType}</span>
                  {output.contentBytes !== null && `, ${formatBytes(output.contentBytes, i18n.language)} `}
                  {output.contentSha256 !== null && <Id value={output.contentSha256} what={t('common.hashName')} />}
                </>
              )}
            </td>
            <td className={classes.right}>
              <Amount satoshis={output.satoshis} exact />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Quote({ quote: { endpoint, publicKey, since, pinned } }: { quote: NonNullable<Review['quote']> }) {
  const { t, i18n } = useTranslation();
  const time = formatMinute(since, i18n.language);
  return (
    <>
      <dt>{t('review.quote')}</dt>
      <dd className="mono">{endpoint}</dd>
      <dt>{t('review.quoteKey')}</dt>
      <dd>
        {publicKey === null ? (
          t('review.quoteUnsigned')
        ) : (
          <>
            <Id value={publicKey} what={t('common.merchantKey.name')} full />
            <div className={classes.hint}>{pinned ? t('review.quotePinned') : t('review.quoteSince', { time })}</div>
          </>
        )}
      </dd>
    </>
  );
}

/** Every field of the transaction. */
export function ReviewFields({ review, names }: { review: Review; names: ReadonlyMap<string, string> }) {
  const { t, i18n } = useTranslation();
  const rate = review.size === 0 ? 0 : Math.round((review.fee / review.size) * 1_000);
  return (
    <>
      <dl className={pairs.pairs}>
        <dt>{t('review.destination')}</dt>
        <dd>
          <Id value={review.destination} kind="address" full />
        </dd>
        <dt>{t('review.network')}</dt>
        <dd>{t(`common.network.${review.network}`)}</dd>
        <dt>{t('review.size')}</dt>
        <dd className="num">{formatBytes(review.size, i18n.language)}</dd>
        <dt>{t('review.rate')}</dt>
        <dd className="num">{t('review.rateValue', { rate: formatInteger(rate, i18n.language) })}</dd>
        {review.quote !== undefined && <Quote quote={review.quote} />}
        <dt>{t('review.digest')}</dt>
        <dd>
          <Id value={review.digest} what={t('common.digestName')} full />
          <div className={classes.hint}>{t('review.digestHint')}</div>
        </dd>
      </dl>
      <div className={classes.tables}>
        <Inputs review={review} />
        <Outputs review={review} names={names} />
      </div>
    </>
  );
}
