import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { TrackedPage } from '../../../contract/index.ts';
import { tracked } from '../../test-support/samples.ts';
import { api } from '../client.ts';
import { updateTransactions } from './submitted.ts';

const queries = new QueryClient();
beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  vi.runAllTimers();
  vi.useRealTimers();
  queries.clear();
});

it('an event updates a submitted transaction in each list that shows it', () => {
  const other = { ...tracked, txid: 'cd'.repeat(32) };
  const page: TrackedPage = { transactions: [tracked, other], next: null };
  const input = { txids: [tracked.txid, other.txid] };
  const endless = api.tx.list.infiniteKey({ input: () => input, initialPageParam: undefined });
  const single = api.tx.list.queryKey({ input });
  queries.setQueryData(endless, { pages: [page], pageParams: [undefined] });
  queries.setQueryData(single, page);

  const proven = { ...tracked, state: 'proven' as const };
  updateTransactions(queries, { type: 'transaction', transactions: [proven], isComplete: true });

  expect(queries.getQueryData(endless)?.pages).toMatchObject([{ transactions: [proven, other] }]);
  expect(queries.getQueryData(single)).toMatchObject({ transactions: [proven, other] });
});
