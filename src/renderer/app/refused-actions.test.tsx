import { screen, within } from '@testing-library/react';
import type { ReactNode } from 'react';
import { expect, it } from 'vitest';
import {
  PlanchetError,
  type Rehearsal,
  type WalletAccount,
  type WalletNotice,
  type WalletStatus,
} from '../../contract/index.ts';
import { mendButton } from '../components/callouts/failure-action.tsx';
import { Figures } from '../features/dashboard/figures.tsx';
import { Notices } from '../features/dashboard/notices.tsx';
import { RehearsalView } from '../features/mint/rehearsal/rehearsal-view.tsx';
import { useSandboxCommands } from '../features/sandbox/commands.tsx';
import { TokenBar } from '../features/tokens/wall/token-bar.tsx';
import { AccountNotes } from '../features/wallet/accounts/account-notes.tsx';
import { AccountSwitch } from '../features/wallet/accounts/account-switch.tsx';
import { Contacts } from '../features/wallet/contacts/contacts.tsx';
import { LockButton } from '../features/wallet/keys/unlock.tsx';
import { useWriterCommands } from '../features/writer/commands.tsx';
import type { CommandGroup } from '../lib/feature.ts';
import { type HostAnswers, refusal } from '../test-support/fake-host.ts';
import { renderPart } from '../test-support/render.tsx';
import { ADDRESS, appInfo, run, runPlan } from '../test-support/samples.ts';
import { WalletLock } from './shell/top-bar/wallet-lock.tsx';

const refused = new PlanchetError('general.disk-full');
const refuse = (): never => {
  throw refusal(refused.toFailure());
};

const wallet = { state: 'ready', balance: { spendable: 0 } } as WalletStatus;
const account: WalletAccount = {
  ...{ id: 'main', name: 'Main', kind: 'seed', active: true, main: true, state: 'ready', canSend: true },
  ...{ address: ADDRESS, total: 0, tokens: 0, height: 7, searching: false, reading: null },
};
const other: WalletAccount = { ...account, id: 'other', name: 'Other', active: false, main: false };
const accounts = { list: () => [account, other], switch: refuse };
const notice: WalletNotice = { id: 'n1', kind: 'reorganised', at: 0, txids: [], height: 7 };
const rehearsal: Rehearsal = {
  ...{ id: 'h1', projectUid: 'p1', projectName: 'Gallery', direct: false, state: 'minting', failure: null, items: 3 },
  ...{ copied: 3, plan: runPlan, run: { ...run, state: 'minting' }, bytes: null, fee: null, milliseconds: null },
  ...{ startedAt: 1, endedAt: null },
};
const rehearsals = { items: () => ({ items: [], next: null }), cancel: refuse, start: refuse };

function Commands({ useCommands }: { useCommands: () => CommandGroup[] }) {
  return useCommands()
    .flatMap(({ actions }) => actions)
    .map(({ id, label, onClick }) => (
      <button key={id} type="button" onClick={onClick}>
        {label}
      </button>
    ));
}

const cases: readonly [button: string, part: ReactNode, host: HostAnswers, first?: string][] = [
  ['Lock the wallet', <WalletLock key="" />, { wallet: { lock: refuse } }],
  ['Lock', <LockButton key="" />, { wallet: { lock: refuse } }],
  ['Other', <AccountSwitch key="" />, { wallet: { accounts } }, 'Account: Main. Switch'],
  [
    'Dismiss',
    <AccountNotes key="" account={account} />,
    { wallet: { accounts, notices: { list: () => [notice], dismiss: refuse } } },
  ],
  [
    'Remove Ann',
    <Contacts key="" />,
    { wallet: { contacts: { list: () => [{ address: ADDRESS, name: 'Ann' }], remove: refuse } } },
  ],
  ['Mine a block', <Figures key="" />, { sandbox: { mine: refuse } }],
  ['Dismiss', <Notices key="" />, { app: { dismissNotice: refuse } }],
  [
    'Turn off the faults',
    <div key="">{mendButton({ id: 'sandbox.faults-on' })}</div>,
    { sandbox: { faults: { clear: refuse } } },
  ],
  ['Cancel the rehearsal', <RehearsalView key="" rehearsal={rehearsal} />, { rehearsals }],
  ['Rehearse again', <RehearsalView key="" rehearsal={{ ...rehearsal, state: 'cancelled' }} />, { rehearsals }],
  [
    'Select all',
    <TokenBar key="" chosen={new Set('a')} total={2} idsBetween={async () => refuse()} onChosen={() => {}} />,
    {},
  ],
  ['Mine a block', <Commands key="" useCommands={useSandboxCommands} />, { sandbox: { mine: refuse } }],
  ['Retry all', <Commands key="" useCommands={useWriterCommands} />, { writer: { dead: { retry: refuse } } }],
];

it.each(cases)('the button “%s” says why it was refused', async (button, part, host, first) => {
  const told = { id: 'x', level: 'info', message: 'Told.', at: 0 } as const;
  const user = renderPart(part, { host, live: { app: appInfo, notices: [told], wallet } });
  if (first !== undefined) await user.click(await screen.findByRole('button', { name: first }));
  const role = first === undefined ? 'button' : 'menuitem';
  const found = await screen.findByRole(role, { name: new RegExp(`^${button}`) });
  await user.click(found);
  expect(await within(document.body).findByText(refused.message)).toBeTruthy();
});
