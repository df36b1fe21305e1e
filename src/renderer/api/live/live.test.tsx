import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import type { LiveEvent, ServiceStatus } from '../../../contract/index.ts';
import { startFakeHost, stopFakeHost } from '../../test-support/fake-host.ts';
import { run, runPlan } from '../../test-support/samples.ts';
import { api } from '../client.ts';
import { startLive } from './live.ts';

const gateway = (degraded?: string): LiveEvent => ({
  type: 'service',
  service: {
    name: 'gateway',
    status: { state: 'running', ...(degraded && { degraded: { code: 'upstream-error', message: degraded } }) },
    since: 1,
  } as ServiceStatus,
});

it('the page repeats failed requests once the service can do its work', async () => {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const tellMore = Promise.withResolvers<void>();
  let broken = true;
  startFakeHost({
    events: {
      // The host's iterator is a class of oRPC.
      subscribe: async function* () {
        yield gateway('No node answers.');
        await tellMore.promise;
        yield gateway();
      } as never,
    },
  });
  const block = new QueryObserver(queries, {
    queryKey: ['block'],
    queryFn: () => (broken ? Promise.reject(new Error('No node answers.')) : Promise.resolve('the block')),
  });
  const close = block.subscribe(() => {});
  const stop = startLive(queries);
  try {
    await expect.poll(() => block.getCurrentResult().status).toBe('error');
    broken = false;
    tellMore.resolve();
    await expect.poll(() => block.getCurrentResult().data).toBe('the block');
  } finally {
    stop();
    close();
    queries.clear();
    stopFakeHost();
  }
});

it('the page refetches the items of a run that ended, even if the end was known before its event', async () => {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const done = { ...run, state: 'done', minted: 1, cancelled: run.items - 1 } as const;
  const told = Promise.withResolvers<void>();
  let asked = 0;
  startFakeHost({
    events: {
      subscribe: async function* () {
        await told.promise;
        yield { type: 'run', run: done };
        yield { type: 'run', run: done };
        yield gateway();
      } as never,
    },
    items: {
      list: () => {
        asked += 1;
        return [];
      },
    },
  });
  queries.setQueryData(api.runs.get.queryKey({ input: { id: run.id } }), { run: done, plan: runPlan });
  const items = new QueryObserver(queries, {
    ...api.items.list.queryOptions({ input: { projectUid: run.projectUid } }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const close = items.subscribe(() => {});
  const stop = startLive(queries);
  try {
    await expect.poll(() => items.getCurrentResult().status).toBe('success');
    told.resolve();
    await expect.poll(() => asked).toBe(2);
  } finally {
    stop();
    close();
    queries.clear();
    stopFakeHost();
  }
});

it('the page refetches the settings after another window changed one', async () => {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const change = Promise.withResolvers<void>();
  let asked = 0;
  startFakeHost({
    events: {
      subscribe: async function* () {
        await change.promise;
        yield { type: 'settings', keys: ['currency.unit'] };
      } as never,
    },
    settings: {
      list: () => {
        asked += 1;
        return [];
      },
    },
  });
  const settings = new QueryObserver(queries, {
    ...api.settings.list.queryOptions(),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const close = settings.subscribe(() => {});
  const stop = startLive(queries);
  try {
    await expect.poll(() => settings.getCurrentResult().status).toBe('success');
    const before = asked;
    change.resolve();
    await expect.poll(() => asked).toBe(before + 1);
  } finally {
    stop();
    close();
    queries.clear();
    stopFakeHost();
  }
});
