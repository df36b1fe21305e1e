import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { TrackedDetail, TransactionView } from '../../../../../contract/index.ts';
import { api } from '../../../../api/client.ts';
import { Panel } from '../../../../components/page.tsx';
import { Amount, Badge, Id } from '../../../../components/values/values.tsx';
import { phraseInPageLanguage } from '../../../../i18n/phrases.ts';
import { useDecoded } from '../use-transaction.ts';
import classes from './double-spend.module.css';

type Parts = Pick<TransactionView, 'txid' | 'inputs' | 'outputs'>;

const coinOf = ({ txid, vout }: Parts['inputs'][number]): string => `${txid}_${vout}`;
const paymentOf = ({ satoshis, address, scriptAsm }: Parts['outputs'][number]): string =>
  `${satoshis} ${address ?? scriptAsm}`;

function Side({ title, of, other, ours }: { title: string; of: Parts; other: Parts; ours: boolean }) {
  const { t } = useTranslation();
  const coins = new Set(other.inputs.map(coinOf));
  const paid = new Set(other.outputs.map(paymentOf));
  return (
    <section aria-label={title} className={classes.side}>
      <h3>{title}</h3>
      <Id value={of.txid} kind="transaction" keep={8} copyAlways />
      <h4>{t('submitted.page.doubleSpend.spends')}</h4>
      <ul>
        {of.inputs.map((input) => (
          <li key={coinOf(input)}>
            <Id value={coinOf(input)} kind="output" keep={6} />
            {input.satoshis !== null && <Amount satoshis={input.satoshis} />}
            {coins.has(coinOf(input)) && <Badge tone="fail">{t('submitted.page.doubleSpend.same')}</Badge>}
          </li>
        ))}
      </ul>
      <h4>{t('submitted.page.doubleSpend.pays')}</h4>
      <ul>
        {of.outputs.map((output) => (
          <li key={output.index}>
            <Amount satoshis={output.satoshis} />
            {output.address === null ? (
              t('transactions.noAddress')
            ) : (
              <Id value={output.address} kind="address" keep={6} />
            )}
            {ours && !paid.has(paymentOf(output)) && <Badge tone="wait">{t('submitted.page.doubleSpend.lost')}</Badge>}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Our transaction beside the one that spends the same coin: which coins both spend, and which of our payments the other does not make. */
export function DoubleSpend({ transaction: { txid, rawTx, doubleSpentBy } }: { transaction: TrackedDetail }) {
  const { t } = useTranslation();
  const ours = useDecoded(doubleSpentBy === null ? null : rawTx);
  const theirs = useQuery(
    api.transactions.get.queryOptions({
      input: { txid: doubleSpentBy ?? '' },
      enabled: doubleSpentBy !== null,
      retry: false,
    }),
  ).data;
  const rivals = useQuery(
    api.tx.doubleSpends.queryOptions({ input: { txid }, enabled: doubleSpentBy !== null, retry: false }),
  ).data;
  const advice = rivals?.find((rival) => rival.txid === doubleSpentBy)?.advice;
  if (ours === undefined || theirs === undefined) return null;
  return (
    <Panel
      title={t('submitted.page.doubleSpend.title')}
      hint={advice === undefined ? t('submitted.page.doubleSpend.hint') : phraseInPageLanguage(advice)}
    >
      <div className={classes.sides}>
        <Side title={t('submitted.page.doubleSpend.ours')} of={ours} other={theirs} ours />
        <Side title={t('submitted.page.doubleSpend.theirs')} of={theirs} other={ours} ours={false} />
      </div>
    </Panel>
  );
}
