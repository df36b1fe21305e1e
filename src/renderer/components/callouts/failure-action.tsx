import { Button } from '@mantine/core';
import { useModals } from '@mantine/modals';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { ErrorId, Failure, Network } from '../../../contract/index.ts';
import { client } from '../../api/client.ts';
import { useLive } from '../../api/live/live-store.ts';
import { routes } from '../../lib/routes.ts';
import { showFailure } from '../toasts/show-failure.ts';

/** The fix of a failure on the page: a link, or undefined if the button itself is the fix. Texts: `common.mend.<name>`. */
const mends = {
  unlock: routes.wallet,
  wallet: routes.wallet,
  passphrase: routes.wallet,
  apiKey: routes.setting('apiKey'),
  node: routes.setting('bitcoinRpcUrl'),
  sources: routes.network,
  miners: routes.miners,
  money: routes.walletPart('receive'),
  sandboxMoney: routes.sandbox,
  faults: null,
} as const satisfies Record<string, string | null | ((network: Network) => string)>;

/** Messages that have a button as their fix. It replaces the hint, which is often a command of the terminal. */
export const mendOfError: { readonly [Id in ErrorId]?: keyof typeof mends } = {
  'vault.locked': 'unlock',
  'miners.callbacks-locked': 'unlock',
  'approvals.locked': 'unlock',
  'doctor.vault-locked': 'unlock',
  'vault.passphrase-required': 'passphrase',
  'doctor.wallet-missing': 'wallet',
  'writer.wallet-not-ready': 'wallet',
  'merchant.api-key-missing': 'apiKey',
  'upstream.none': 'node',
  'chain.no-headers': 'sources',
  'gateway.sources-silent': 'sources',
  'gateway.tip-not-agreed': 'sources',
  'merchant.no-miner': 'miners',
  'mint.funds-insufficient': 'money',
  'wallet.funds-insufficient': 'money',
  'wallet.sandbox-funds-insufficient': 'sandboxMoney',
  'sandbox.faults-on': 'faults',
};

/** The fix of a failure on the page; undefined if its own hint is enough. */
export function mendOf({ id }: Pick<Failure, 'id'>): keyof typeof mends | undefined {
  return id !== undefined && Object.hasOwn(mendOfError, id) ? mendOfError[id as ErrorId] : undefined;
}

/** The button that fixes a failure, or links to the page where a person can. */
export function MendButton({ mend }: { mend: keyof typeof mends }) {
  const { t } = useTranslation();
  const modals = useModals();
  const clear = useMutation({
    mutationFn: () => client.sandbox.faults.clear({}),
    onError: (error) => showFailure('faults-cleared', error),
  });
  const network = useLive(({ app }) => app?.network ?? 'sandbox');
  const leadsTo = mends[mend];
  const to = typeof leadsTo === 'function' ? leadsTo(network) : leadsTo;
  const label = t(`common.mend.${mend}.button`);
  return to === null ? (
    <Button size="xs" variant="default" loading={clear.isPending} onClick={() => clear.mutate()}>
      {label}
    </Button>
  ) : (
    // A dialog would stay open above the linked page.
    <Button component={Link} href={to} size="xs" variant="default" onClick={() => modals.closeAll()}>
      {label}
    </Button>
  );
}
