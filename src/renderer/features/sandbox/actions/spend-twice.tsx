import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { client } from '../../../api/client.ts';
import { Outcome } from '../outcome.tsx';
import { useAction } from '../use-action.ts';
import { withUndo } from '../with-undo.ts';

/** Double-spends the coins of a transaction in a block, so that the transaction becomes invalid. */
export function SpendTwice({ txid, onDone }: { txid: string; onDone?: () => void }) {
  const { t } = useTranslation();
  const action = useAction<unknown>();
  return (
    <>
      <Button
        size="xs"
        variant="default"
        loading={action.busy}
        title={t('sandbox.doubleSpendHint')}
        onClick={() =>
          void action.run(async () => {
            await withUndo(t('sandbox.doubleSpent'), () => client.sandbox.doubleSpend({ txid }));
            onDone?.();
          })
        }
      >
        {t('sandbox.doubleSpend')}
      </Button>
      {action.failure !== undefined && <Outcome action={action} />}
    </>
  );
}
