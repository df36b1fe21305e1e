import { Button, SegmentedControl, Stack } from '@mantine/core';
import { IconCoin, IconStack2 } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { api, client } from '../../../api/client.ts';
import { useActions } from '../../../api/use-actions.ts';
import { Failures } from '../../../components/callouts/failures.tsx';
import { icon, smallIcon } from '../../../components/icon.ts';
import { Empty, Panel } from '../../../components/page.tsx';
import { QueryView } from '../../../components/query-view.tsx';
import { offerUndo } from '../../../components/toasts/undo.ts';
import { routes } from '../../../lib/routes.ts';
import { saveBlob } from '../../../lib/save-blob.ts';
import { useActiveAccount } from '../accounts/use-account.ts';
import { useSendDraft } from '../send/send-draft.ts';
import { CoinBlocks } from './coin-blocks.tsx';
import type { CoinActions } from './coin-rules.ts';
import { CoinTable } from './coin-table.tsx';
import { openConsolidate } from './consolidate.tsx';

function Tools({ view, onView }: { view: 'blocks' | 'table'; onView: (view: 'blocks' | 'table') => void }) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const account = useActiveAccount();
  return (
    <>
      {account?.canSend === true && (
        <Button
          size="xs"
          variant="default"
          leftSection={<IconStack2 {...smallIcon} />}
          onClick={() => openConsolidate((id) => navigate(routes.walletPayment(id)))}
        >
          {t('wallet.coins.consolidate')}
        </Button>
      )}
      <SegmentedControl
        size="xs"
        aria-label={t('wallet.coins.view')}
        value={view}
        onChange={(value) => onView(value === 'table' ? 'table' : 'blocks')}
        data={[
          { value: 'blocks', label: t('wallet.coins.blocks') },
          { value: 'table', label: t('wallet.coins.table') },
        ]}
      />
    </>
  );
}

/** The unspent outputs of the wallet, as blocks or as a table. */
export function Coins() {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const [view, setView] = useState<'blocks' | 'table'>('blocks');
  const query = useQuery(api.wallet.coins.list.queryOptions());
  const freeze = useActions(
    api.wallet.coins.freeze.mutationOptions({
      onSettled: () => queries.invalidateQueries({ queryKey: api.wallet.key() }),
    }),
  );
  const beef = useActions({
    mutationFn: async (outpoint: string) => saveBlob(`${outpoint}.beef`, await client.wallet.coins.beef({ outpoint })),
  });
  const actions: CoinActions = {
    beef: ({ outpoint }) => beef.mutate(outpoint),
    freeze: (coins, frozen) => {
      const outpoints = coins.map(({ outpoint }) => outpoint);
      const title = t(frozen ? 'wallet.coins.done.frozen' : 'wallet.coins.done.thawed', { count: coins.length });
      const undo = (): Promise<unknown> => freeze.mutateAsync({ outpoints, frozen: !frozen });
      freeze.mutate({ outpoints, frozen }, { onSuccess: () => offerUndo({ id: 'coins-frozen', title, undo }) });
    },
    send: (coins) => {
      useSendDraft.getState().choose(coins.map(({ outpoint }) => outpoint));
      navigate(routes.walletSend);
    },
  };
  const tools = <Tools view={view} onView={setView} />;
  return (
    <Stack gap="md">
      <Failures of={[beef, freeze]} />
      <QueryView
        query={query}
        isEmpty={(coins) => coins.length === 0}
        empty={
          <Panel>
            <Empty
              icon={<IconCoin {...icon} size={24} />}
              title={t('wallet.coins.emptyTitle')}
              text={t('wallet.coins.emptyText')}
            />
          </Panel>
        }
      >
        {(coins) =>
          view === 'blocks' ? (
            <CoinBlocks coins={coins} actions={actions} tools={tools} />
          ) : (
            <CoinTable coins={coins} actions={actions} tools={tools} />
          )
        }
      </QueryView>
    </Stack>
  );
}
