import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { OutputSpend, TransactionView } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { useLive } from '../../api/live/live-store.ts';
import { formatInteger } from '../../lib/format.ts';
import layout from '../styles/layout.module.css';
import { Hint } from '../values/hint.tsx';
import { Badge, Id } from '../values/values.tsx';

type Output = TransactionView['outputs'][number];

/** Whether an output is unspendable: its script starts with OP_FALSE OP_RETURN. */
function isUnspendable({ scriptAsm }: Output): boolean {
  return scriptAsm.startsWith('0 OP_RETURN');
}

/** The transactions that spent these outputs, confirmed or not. */
export function useSpends(txid: string, outputs: readonly Output[] | undefined) {
  const tip = useLive((state) => state.tip?.hash);
  const asked = outputs?.filter((output) => !isUnspendable(output)).map(({ index }) => index) ?? [];
  const options = api.transactions.spenders.queryOptions({ input: { txid, outputs: asked } });
  return useQuery({
    ...options,
    queryKey: [...options.queryKey, tip],
    enabled: asked.length > 0,
    staleTime: 0,
    placeholderData: keepPreviousData,
  });
}

/** Whether an output is spent, with a link to the spending transaction. A dash until that is known. */
export function Spend({ output, spends }: { output: Output; spends: readonly OutputSpend[] | undefined }) {
  const { t, i18n } = useTranslation();
  if (isUnspendable(output)) return <Badge tone="neutral">{t('transactions.spend.unspendable')}</Badge>;
  const spend = spends?.find(({ index }) => index === output.index);
  if (spend === undefined) return <span className={layout.dim}>–</span>;
  const { state, by } = spend;
  if (state === 'unspent') return <Badge tone="done">{t('transactions.spend.unspent')}</Badge>;
  if (by !== null) {
    return (
      <>
        <Badge tone={by.height === null ? 'info' : 'neutral'}>{t('transactions.spend.by')}</Badge>
        <Id value={by.txid} kind="transaction" keep={6} />
        <span className={`${layout.dim} num`}>
          {by.height === null
            ? t('transactions.spend.waiting')
            : t('transactions.spend.inBlock', { height: formatInteger(by.height, i18n.language) })}
        </span>
      </>
    );
  }
  return (
    <Hint text={t('transactions.spend.unknownHint')}>
      <span>
        <Badge tone="neutral">
          {t(state === 'spent' ? 'transactions.spend.byUnknown' : 'transactions.spend.unknown')}
        </Badge>
      </span>
    </Hint>
  );
}
