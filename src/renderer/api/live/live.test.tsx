import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import type { LiveEvent, ServiceStatus } from '../../../contract/index.ts';
import { startFakeHost, stopFakeHost } from '../../test-support/fake-host.ts';
import { startLive } from './live.ts';

const gateway = (degraded?: string): LiveEvent => ({
  type: 'service',
  service: {
    name: 'gateway',
    status: { state: 'running', ...(degraded && { degraded: { code: 'upstream-error', message: degraded } }) },
    since: 1,
  } as ServiceStatus,
});

it('asks again for what failed once the service can do its work', async () => {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const tellMore = Promise.withResolvers<void>();
  let broken = true;
  startFakeHost({
    events: {
      // the host's iterator is a class of oRPC
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
