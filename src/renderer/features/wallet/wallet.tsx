import { Button, Skeleton, Stack } from '@mantine/core';
import { IconArrowDownLeft, IconArrowUpRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import type { WalletAccount } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { useLive } from '../../api/live/live-store.ts';
import { icon } from '../../components/icon.ts';
import { Page } from '../../components/page.tsx';
import { PartTabs } from '../../components/part-tabs.tsx';
import { QueryView, SkeletonRows } from '../../components/query-view.tsx';
import { routes } from '../../lib/routes.ts';
import { AccountNotes } from './accounts/account-notes.tsx';
import { AccountSwitch } from './accounts/account-switch.tsx';
import { useAccounts, useActiveAccount } from './accounts/use-account.ts';
import { BackupDue } from './backup-due.tsx';
import { Balance } from './balance.tsx';
import { ChainSilent } from './chain-silent.tsx';
import { Coins } from './coins/coins.tsx';
import { Contacts } from './contacts/contacts.tsx';
import { History } from './history/history.tsx';
import { FirstUse } from './keys/first-use.tsx';
import { Keys } from './keys/keys.tsx';
import { LockButton, Unlock } from './keys/unlock.tsx';
import { Receive } from './receive/receive.tsx';

const parts = ['history', 'coins', 'receive', 'contacts', 'keys'] as const;
const shownBy = { history: History, coins: Coins, receive: Receive, contacts: Contacts, keys: Keys };

function Parts({ current, account }: { current: (typeof parts)[number]; account: WalletAccount }) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const balance = useQuery(api.wallet.balance.queryOptions());
  return (
    <Stack gap="md">
      <BackupDue hidden={current === 'keys'} />
      <ChainSilent height={account.height} />
      <AccountNotes account={account} />
      <QueryView query={balance} skeleton={<Skeleton height={138} radius="md" />}>
        {(loaded) => <Balance balance={loaded} />}
      </QueryView>
      <PartTabs
        label={t('wallet.tabsLabel')}
        parts={parts.map((key) => ({ key, title: t(`wallet.tabs.${key}`), View: shownBy[key] }))}
        current={current}
        onChoose={(key) => navigate(key === 'history' ? routes.wallet : routes.walletPart(key))}
      />
    </Stack>
  );
}

/** The wallet of the network: what it has, what came and went, its coins, its addresses and its keys. */
export function WalletPage({ part }: { part: string | undefined }) {
  const { t } = useTranslation();
  const mainState = useLive(({ wallet }) => wallet?.state);
  const accounts = useAccounts();
  const account = useActiveAccount();
  const state = account === undefined || account.main ? mainState : account.state;
  const current = parts.find((one) => one === part) ?? 'history';
  return (
    <Page
      wide
      title={t('wallet.title')}
      purpose={t('wallet.purpose')}
      aside={account !== undefined && mainState !== 'missing' && <AccountSwitch />}
      actions={
        state === 'ready' && account !== undefined ? (
          <>
            {mainState === 'ready' && <LockButton />}
            <Button
              variant="default"
              leftSection={<IconArrowDownLeft {...icon} />}
              component={Link}
              href={routes.walletPart('receive')}
            >
              {t('wallet.receive')}
            </Button>
            {account.canSend && (
              <Button leftSection={<IconArrowUpRight {...icon} />} component={Link} href={routes.walletSend}>
                {t('wallet.send')}
              </Button>
            )}
          </>
        ) : undefined
      }
    >
      {(state === undefined || account === undefined) && (
        <QueryView query={accounts} skeleton={<SkeletonRows rows={3} height={96} />}>
          {() => <SkeletonRows rows={3} height={96} />}
        </QueryView>
      )}
      {mainState === 'missing' && state === 'missing' && <FirstUse />}
      {state === 'locked' && <Unlock />}
      {state === 'ready' && account !== undefined && <Parts key={account.id} current={current} account={account} />}
    </Page>
  );
}
