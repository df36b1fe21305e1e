import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HeaderSourceStatus, SandboxFault } from '../../../../contract/index.ts';
import { systemClock } from '../../../clock.ts';
import { TestSandbox } from '../../../sandbox/test-support/open-sandbox.ts';
import { StillClock } from '../../../test-support/still-clock.ts';
import { PublicSources } from '../../sources/public-sources.ts';
import { HeaderStore } from '../header-store.ts';
import { PublicHeaders } from './public-headers.ts';

const all = ['cdn', 'whatsonchain', 'bananablocks', 'arcade'] as const;
const paths = {
  cdn: '/cdn',
  whatsonchain: '/woc/v1/bsv/test',
  bananablocks: '/bananablocks/api/v1',
  arcade: '/arcade',
};

/** Within it a stream that told something is opened again. */
const REOPENED_MS = 90_000;

let sandbox: TestSandbox;
let dataDir: string;
let stores: HeaderStore[];
beforeEach(async () => {
  sandbox = await TestSandbox.open();
  await sandbox.service.mine({ blocks: 30 });
  dataDir = mkdtempSync(join(tmpdir(), 'planchet-headers-'));
  stores = [];
});
afterEach(async () => {
  for (const store of stores) await store.close();
  await sandbox.remove();
  rmSync(dataDir, { recursive: true, force: true });
});

function open(names: readonly (keyof typeof paths)[] = all, folder = dataDir): HeaderStore {
  const text = names.map((name) => `${name}=${sandbox.root}${paths[name]}`).join();
  const sources = new PublicSources({ network: 'test', clock: systemClock, text: () => text, joinUrl: () => '' });
  const headers = new PublicHeaders({ sources, network: 'test', clock: systemClock, isAsked: () => true });
  const store = new HeaderStore({
    network: 'test',
    dataDir: folder,
    sources: (signal) => headers.until(signal),
    tip: headers,
    clock: systemClock,
    logger: pino({ enabled: false }),
  });
  stores.push(store);
  return store;
}

function tip(): { height: number; hash: string } {
  const { height, hash } = sandbox.service.node.tip();
  return { height, hash };
}

function fault(name: SandboxFault['name'], area: SandboxFault['area'], value = 503): Promise<unknown> {
  return sandbox.service.faults.set({ name, area, value, times: null });
}

function source(store: HeaderStore, name: string): HeaderSourceStatus | undefined {
  return store.status().sources.find((one) => one.name === name);
}

describe('the headers of public services', () => {
  it('are those of the chain, from each of them alone and from all', async () => {
    for (const names of [...all.map((name) => [name]), all]) {
      const store = open(names, join(dataDir, names.join()));
      if (names.length === 1 && names[0] === 'bananablocks') continue;
      await store.refresh();
      const { height } = tip();
      // its files are made now and then, and what is newer is elsewhere
      const last = names.join() === 'cdn' ? height - 12 : height;
      expect(store.tip).toMatchObject({ height: last, ...(last === height && tip()) });
      expect(store.status()).toMatchObject({ chain: 'regtest', lowest: 0, failure: null });
      expect(store.isAgreed).toBe(names.length > 1);
      expect(statSync(join(dataDir, names.join(), 'headers-regtest.dat')).size).toBe(80 * (last + 1));
    }
  });

  it('are followed through blocks and reorganisations, and an event tells of each', async () => {
    const store = open();
    const changes: [fork: number, left: number][] = [];
    await store.refresh();
    const { height } = tip();
    store.onChange(({ fork, left }) => changes.push([fork, left]));
    await sandbox.service.mine({ blocks: 2 });
    await store.refresh();
    await sandbox.service.reorg({ depth: 3 });
    await store.refresh();
    expect(store.tip).toMatchObject(tip());
    expect(changes).toEqual([
      [height, 0],
      [height - 1, 3],
    ]);
    expect(store.isAgreed).toBe(true);
  });

  it('come at once where a service tells of a new block', async () => {
    const store = open(['arcade', 'bananablocks']);
    store.start();
    await expect.poll(() => store.tip).toMatchObject(tip());
    // sooner than it is listened to again
    await sandbox.service.mine({ blocks: 1 });
    await expect.poll(() => store.tip).toMatchObject(tip());
    await store.stop();
  });

  it('are looked at again after a block that was told of too soon after another', async () => {
    const clock = new StillClock(1_000_000);
    let tell = (): void => undefined;
    const stream = {
      events: async (_: string, { onData }: { onData: () => void }) => {
        tell = onData;
      },
    };
    const sources = { clients: () => new Map([['arcade', stream]]) } as unknown as PublicSources;
    const headers = new PublicHeaders({ sources, network: 'test', clock, isAsked: () => true });
    let looks = 0;
    const stop = headers.onTip(() => {
      looks += 1;
    });
    tell();
    expect(looks).toBe(1);
    clock.advance(1_000);
    tell();
    tell();
    expect(looks).toBe(1);
    clock.advance(4_000);
    expect(looks).toBe(2);
    clock.advance(5_000);
    tell();
    expect(looks).toBe(3);
    // put back, the clock makes no block wait for the time that it showed before
    clock.advance(-3_600_000);
    tell();
    expect(looks).toBe(4);
    stop();
  });

  it('are looked at once where a stream that told of blocks cannot be opened again', async () => {
    const clock = new StillClock(1_000_000);
    const streams: { tell: () => void; end: () => void }[] = [];
    const stream = {
      events: (_: string, { onData }: { onData: () => void }) =>
        new Promise<void>((resolve) => streams.push({ tell: onData, end: resolve })),
    };
    const sources = { clients: () => new Map([['arcade', stream]]) } as unknown as PublicSources;
    const headers = new PublicHeaders({ sources, network: 'test', clock, isAsked: () => true });
    let looks = 0;
    const stop = headers.onTip(() => {
      looks += 1;
    });
    /** Ends the stream of now, and waits until the next one is opened. */
    const next = async (): Promise<void> => {
      const { length } = streams;
      streams.at(-1)?.end();
      while (streams.length === length) {
        await new Promise((resolve) => setImmediate(resolve));
        // the look at all of them comes later
        if ((clock.next ?? REOPENED_MS) < REOPENED_MS) clock.advance(clock.next ?? 0);
      }
    };
    streams[0]?.tell();
    expect(looks).toBe(1);
    await next();
    streams[1]?.tell();
    expect(looks).toBe(2);
    await next();
    expect(looks).toBe(2);
    streams.at(-1)?.end();
    await expect.poll(() => looks).toBe(3);
    stop();
  });

  it.each([
    ['forged-headers', 'woc', 'whatsonchain'],
    ['forged-headers', 'bananablocks', 'bananablocks'],
    ['forged-headers', 'arcade', 'arcade'],
    ['wrong-file-hash', 'cdn', 'cdn'],
  ] as const)('that are a lie are refused, with the name of who told it (%s of %s)', async (name, area, liar) => {
    await fault(name, area);
    const store = open();
    await store.refresh();
    expect(store.tip).toMatchObject(tip());
    expect(source(store, liar)).toMatchObject({ refused: 1, agreesTo: null, failure: { message: expect.any(String) } });
    for (const honest of all.filter((one) => one !== liar))
      expect(source(store, honest)).toMatchObject({ refused: 0, failure: null });
    expect(store.isAgreed).toBe(true);
  });

  it('settle nothing while two operators have another newest block for three blocks', async () => {
    const store = open(['whatsonchain', 'bananablocks']);
    await store.refresh();
    expect(store.isAgreed).toBe(true);
    await fault('headers-fork', 'bananablocks');
    await store.refresh();
    // they have the block below
    expect(source(store, 'bananablocks')).toMatchObject({ agreesTo: tip().height - 1 });
    expect(store.isAgreed).toBe(true);
    await fault('html-answer', 'bananablocks');
    await sandbox.service.mine({ blocks: 3 });
    await store.refresh();
    expect(store.tip).toMatchObject(tip());
    expect(store.isAgreed).toBe(false);
    sandbox.service.faults.clear({});
    await store.refresh();
    expect(store.isAgreed).toBe(true);
  });

  it.each(['html-answer', 'too-many-requests', 'half-answer', 'http-error', 'drop-connection'] as const)(
    'come from others where one fails (%s), which is no lie',
    async (name) => {
      await fault(name, 'woc');
      const store = open();
      await store.refresh();
      expect(store.tip).toMatchObject(tip());
      expect(source(store, 'whatsonchain')).toMatchObject({
        refused: 0,
        height: null,
        failure: { message: expect.any(String) },
      });
      expect(store.status().failure).toBeNull();
    },
  );

  it('are read on after a reading that was broken off', async () => {
    await open(['whatsonchain', 'arcade']).refresh();
    await sandbox.service.mine({ blocks: 5 });
    await fault('half-answer', 'all');
    const second = open(['whatsonchain', 'arcade']);
    await second.refresh();
    expect(second.tip?.height).toBe(tip().height - 5);
    expect(second.status().failure).not.toBeNull();
    sandbox.service.faults.clear({});
    await second.refresh();
    expect(second.tip).toMatchObject(tip());
  });
});
