import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { TrackedDetail } from '../../../../contract/index.ts';
import { api, client } from '../../../api/client.ts';
import { Note } from '../../../components/note.tsx';
import layout from '../../../components/styles/layout.module.css';
import { Fact } from '../../../components/values/fact.tsx';
import { Ago, Amount, Id } from '../../../components/values/values.tsx';
import { formatBytes, formatInteger } from '../../../lib/format.ts';
import { useOriginLink } from './origin-link.ts';
import type { KnownTransaction } from './use-transaction.ts';

/** What Planchet sent it for, and the label that a person gave it. */
function OwnFacts({ own }: { own: TrackedDetail }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const link = useOriginLink(own);
  const { txid, origin, label, createdAt } = own;
  return (
    <>
      <Fact name={t('submitted.page.origin')}>
        {t(`common.origin.${origin}`)}
        {link !== undefined && (
          <div>
            <Link className="link" href={link.to}>
              {link.label}
            </Link>
          </div>
        )}
      </Fact>
      <Fact name={t('submitted.page.label')}>
        <Note
          text={label}
          save={async (text) => {
            await client.tx.label({ txid, label: text });
            await queries.invalidateQueries({ queryKey: api.tx.key() });
          }}
        />
      </Fact>
      <Fact name={t('submitted.page.created')}>
        <Ago at={createdAt} />
      </Fact>
    </>
  );
}

/** Where a transaction comes from, what it costs and where it is. */
export function Facts({ own, onChain, parts }: KnownTransaction) {
  const { t, i18n } = useTranslation();
  const size = own?.bytes ?? onChain?.size ?? 0;
  const fee = own?.fee ?? parts?.fee ?? null;
  const height = own?.block?.height ?? onChain?.blockHeight ?? null;
  const hash = own?.block?.hash ?? onChain?.blockHash ?? null;
  const confirmations = own === null ? (onChain?.confirmations ?? 0) : own.confirmations;
  return (
    <dl className={layout.facts}>
      {own !== null && <OwnFacts own={own} />}
      <Fact name={t('transactions.block')}>
        {height === null ? t('common.pending') : formatInteger(height, i18n.language)}{' '}
        {hash !== null && <Id value={hash} kind="block" />}
      </Fact>
      <Fact name={t('transactions.confirmations')}>{formatInteger(confirmations, i18n.language)}</Fact>
      <Fact name={t('transactions.fee')}>
        {fee === null ? t('transactions.unknownFee') : <Amount satoshis={fee} />}
      </Fact>
      {fee !== null && size > 0 && (
        <Fact name={t('transactions.rate')}>
          {t('review.rateValue', { rate: formatInteger(Math.round((fee / size) * 1_000), i18n.language) })}
        </Fact>
      )}
      <Fact name={t('transactions.size')}>{formatBytes(size, i18n.language)}</Fact>
    </dl>
  );
}
