import { describe, expect, it } from 'vitest';
import type { LiveEvent, TrackedTransaction } from '../../../contract/index.ts';
import type { TransactionChange } from '../../ports/merchant/transactions.ts';
import { publishChanges } from './publish-changes.ts';

function start() {
  const published: { txids: string[]; isComplete: boolean }[] = [];
  let listener: ((change: TransactionChange) => void) | undefined;
  let pause: { ms: number; run: () => void } | undefined;
  const stop = publishChanges(
    {
      publish: (event: LiveEvent) => {
        if (event.type !== 'transaction') throw new Error(event.type);
        published.push({ txids: event.transactions.map(({ txid }) => txid), isComplete: event.isComplete });
      },
    },
    {
      onChange: (listen) => {
        listener = listen;
        return () => {
          listener = undefined;
        };
      },
    },
    {
      now: () => 0,
      after: (ms, run) => {
        pause = { ms, run };
        return () => {
          pause = undefined;
        };
      },
    },
  );
  return {
    published,
    stop,
    change: (txid: string) =>
      listener?.({ txid, from: null, transaction: { txid, state: 'seen' } as TrackedTransaction }),
    pause: () => pause,
    pass: () => {
      const { run } = pause as { run: () => void };
      pause = undefined;
      run();
    },
  };
}

describe('the publisher of changed transactions', () => {
  it('tells the first change at once and what follows after a pause of a quarter of a second', () => {
    const { published, change, pause, pass } = start();
    change('a');
    for (const txid of ['b', 'c', 'b']) change(txid);
    expect(published).toEqual([{ txids: ['a'], isComplete: true }]);
    expect(pause()?.ms).toBe(250);
    pass();
    expect(published.slice(1)).toEqual([{ txids: ['b', 'c'], isComplete: true }]);
    pass();
    expect(pause()).toBeUndefined();
    change('d');
    expect(published).toHaveLength(3);
  });

  it('names 200 and says that there were more', () => {
    const { published, change, pass } = start();
    for (let n = 0; n <= 201; n += 1) change(String(n));
    pass();
    expect(published[1]?.txids).toHaveLength(200);
    expect(published[1]?.isComplete).toBe(false);
  });

  it('is quiet once it is stopped', () => {
    const { published, change, pause, stop } = start();
    change('a');
    stop();
    change('b');
    expect(pause()).toBeUndefined();
    expect(published).toHaveLength(1);
  });
});
