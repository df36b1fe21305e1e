import { act, screen } from '@testing-library/react';
import { useState } from 'react';
import { expect, it } from 'vitest';
import type { Item, WalletStatus } from '../../../contract/index.ts';
import { useLive } from '../../api/live/live-store.ts';
import { renderPart } from '../../test-support/render.tsx';
import { ADDRESS, item, project, runPlan } from '../../test-support/samples.ts';
import { PlanTab } from './plan-tab.tsx';

const wallet = (spendable: number): WalletStatus => ({
  state: 'ready',
  network: 'sandbox',
  address: ADDRESS,
  publicKey: null,
  balance: { spendable, confirmed: spendable, unconfirmed: 0, reserved: 0, tokens: 0 },
  worthless: true,
});

let change: (items: readonly Item[]) => void;
function Tab() {
  const [items, setItems] = useState<readonly Item[]>([item]);
  change = setItems;
  return <PlanTab project={project} items={items} />;
}

it('the plan follows the drafts and the money that is left', async () => {
  let total = 1_111;
  renderPart(<Tab />, {
    live: { wallet: wallet(5_000) },
    host: {
      runs: { plan: () => ({ ...runPlan, total, spendable: useLive.getState().wallet?.balance.spendable ?? 0 }) },
    },
    staleTime: 30_000,
  });
  expect(await screen.findByText('1,111 sat')).toBeTruthy();
  total = 2_222;
  act(() => change([{ ...item, metadata: { ...item.metadata, description: 'A longer text' } }]));
  expect(await screen.findByText('2,222 sat')).toBeTruthy();
  act(() => useLive.setState({ wallet: wallet(7_777) }));
  expect(await screen.findByText('7,777 sat')).toBeTruthy();
});
