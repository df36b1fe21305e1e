import { useTranslation } from 'react-i18next';
import type { TransactionView } from '../../../contract/index.ts';
import { useLive } from '../../api/live/live-store.ts';
import { Panel } from '../page.tsx';
import { drawingOf } from '../review/flow/drawing-of.ts';
import { Flow } from '../review/flow/flow.tsx';

/** Names of the tokens in outputs, by output index. */
export function useTokenNames(outputs: TransactionView['outputs']): ReadonlyMap<string, string> {
  const { t } = useTranslation();
  return new Map(
    outputs.flatMap(({ index, inscription }) =>
      inscription === null
        ? []
        : [[String(index), inscription.metadata.name ?? t('transactions.emptyTokenName')] as const],
    ),
  );
}

/** A drawing of a transaction from its inputs to its outputs. Renders nothing if a value is unknown. */
export function Drawing({ tx, title }: { tx: Parameters<typeof drawingOf>[0]; title: string }) {
  const own = useLive(({ wallet }) => wallet?.address ?? null);
  const names = useTokenNames(tx.outputs);
  const drawing = drawingOf(tx, own);
  if (drawing === null) return null;
  return (
    <Panel title={title}>
      <Flow source={drawing} names={names} />
    </Panel>
  );
}
