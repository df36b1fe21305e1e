import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PaymailReceiver } from '../../../contract/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import type { Store } from '../../ports/store.ts';
import { openStore } from '../../store/store.ts';
import { StillClock } from '../../test-support/still-clock.ts';
import { walletMigrations } from '../migrations.ts';
import type { WalletTables } from '../tables.ts';
import { MOST_ATTEMPTS, PaymailTells } from './paymail-tells.ts';

const receiver = (paymail: string): PaymailReceiver => ({
  paymail,
  satoshis: 5,
  first: 0,
  count: 1,
  reference: 'r',
  url: 'https://example.com/',
  form: 'raw',
});
const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;

let folder: string;
let store: Store<WalletTables>;
let clock: StillClock;
let tells: PaymailTells;
/** Whom a host was asked to take a payment for. */
let asked: string[];
/** What its host does. */
let host: (paymail: string, signal: AbortSignal) => Promise<void>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'planchet-tells-'));
  store = await openStore<WalletTables>({
    file: join(folder, 'wallet.db'),
    migrations: walletMigrations,
    synchronous: 'normal',
  });
  clock = new StillClock(0);
  asked = [];
  host = async () => {
    throw new PlanchetError('wallet.paymail-unreachable', { paymail: 'a@b.c', reason: 'asleep' });
  };
  tells = new PaymailTells({
    scope: 'test',
    store,
    clock,
    paymails: {
      tell: ({ paymail }, _, signal) => {
        asked.push(paymail);
        return host(paymail, signal);
      },
    },
    logger: pino({ level: 'silent' }),
    changed: () => undefined,
  });
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

const never = new AbortController().signal;
const work = (signal = never) => tells.work(async () => '00', signal);

describe('hosts that are handed payments', () => {
  it('are tried for a week, and named for good after it', async () => {
    await tells.note('p', [receiver('a@b.c')]);
    expect(await tells.of('p')).toEqual([{ paymail: 'a@b.c', failure: null, isOver: false }]);
    let waitMs = await work();
    for (; waitMs !== undefined; waitMs = await work()) {
      expect(waitMs).toBeLessThanOrEqual(HOUR_MS);
      expect(await tells.of('p')).toMatchObject([{ isOver: false }]);
      clock.advance(waitMs);
    }
    expect(clock.now()).toBeGreaterThan(WEEK_MS - HOUR_MS);
    expect(asked).toHaveLength(MOST_ATTEMPTS);
    const over = [{ paymail: 'a@b.c', failure: { id: 'wallet.paymail-unreachable' }, isOver: true }];
    expect(await tells.of('p')).toMatchObject(over);
    asked = [];
    clock.advance(WEEK_MS);
    expect(await work()).toBeUndefined();
    expect(asked).toEqual([]);
    expect(await tells.of('p')).toMatchObject(over);
  });

  it('are tried again after a long sleep, during which nobody asked them', async () => {
    await tells.note('p', [receiver('a@b.c')]);
    await work();
    clock.advance(2 * WEEK_MS);
    await work();
    expect(await tells.of('p')).toMatchObject([{ isOver: false }]);
    clock.advance(HOUR_MS);
    await work();
    expect(asked).toHaveLength(3);
  });

  it('are tried again at once where the clock was put back, however little', async () => {
    await tells.note('p', [receiver('a@b.c')]);
    await work();
    clock.advance(-1_000);
    await work();
    clock.advance(-HOUR_MS);
    await work();
    expect(asked).toHaveLength(3);
  });

  it('do not wait for one that is silent', async () => {
    await tells.note('p', [receiver('silent@b.c'), receiver('quick@b.c')]);
    const silence = Promise.withResolvers<void>();
    const told = Promise.withResolvers<void>();
    host = async (paymail) => (paymail.startsWith('silent') ? silence.promise : told.resolve());
    const working = work();
    await told.promise;
    silence.resolve();
    expect(await working).toBeUndefined();
    expect(await tells.of('p')).toEqual([]);
  });

  it('are asked no further once the program stops, which counts as no attempt', async () => {
    await tells.note('p', [receiver('a@b.c')]);
    const stop = new AbortController();
    host = (_, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const working = work(stop.signal);
    setTimeout(() => stop.abort(), 20);
    await working;
    expect(await tells.of('p')).toEqual([{ paymail: 'a@b.c', failure: null, isOver: false }]);
  });
});
