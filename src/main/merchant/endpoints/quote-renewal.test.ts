import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type MinerQuote, PlanchetError } from '../../../contract/index.ts';
import type { MinerEndpoint } from '../../ports/merchant/miners.ts';
import { StillClock } from '../../test-support/still-clock.ts';
import { validFor } from '../protocols/quote-validity.ts';
import { MonitoredEndpoint } from './monitored-endpoint.ts';
import { QuoteRenewal } from './quote-renewal.ts';

const VALID_MS = 600_000;
const HOUR_MS = 3_600_000;
const notAsked = (): Promise<never> => Promise.reject(new Error('not asked'));

let clock: StillClock;
/** When the miner was asked, in seconds since the start. */
let asked: number[];
let fails: boolean;
/** Until this is there, the miner does not answer. */
let answer: Promise<void> | undefined;
let enabled: MonitoredEndpoint[];
let miner: MonitoredEndpoint;
let renewal: QuoteRenewal;

beforeEach(() => {
  clock = new StillClock(0);
  asked = [];
  fails = false;
  answer = undefined;
  const rate = { satoshis: 1, bytes: 1_000 };
  let cached: MinerQuote | undefined;
  const endpoint: MinerEndpoint = {
    id: 'miner',
    name: 'miner',
    kind: 'mapi',
    submit: notAsked,
    status: notAsked,
    quote: async (remaining = 0) => {
      if (cached !== undefined && validFor(cached, clock.now()) > remaining) return cached;
      asked.push(clock.now() / 1_000);
      await answer;
      if (fails) throw new PlanchetError({ code: 'upstream-unreachable', message: 'down' });
      const times = { at: clock.now(), expiresAt: clock.now() + VALID_MS, minerTime: null };
      const nothing = { relay: null, apiVersion: null, policies: {}, highestBlock: null, source: null };
      cached = { standard: rate, data: rate, ...times, ...nothing };
      return cached;
    },
  };
  miner = new MonitoredEndpoint(endpoint, { quoted: () => undefined, requested: () => undefined });
  enabled = [miner];
  renewal = new QuoteRenewal({ miners: { usable: () => enabled }, clock, logger: pino({ level: 'silent' }) });
  renewal.start();
});
afterEach(() => renewal.stop());

/** Lets time pass in steps, so that what a timer began can end. */
async function pass(ms: number, use: () => Promise<unknown> = async () => undefined): Promise<void> {
  for (const end = clock.now() + ms; clock.now() < end; ) {
    clock.advance(Math.min(end - clock.now(), clock.next ?? ms));
    for (let turn = 0; turn < 10; turn++) await undefined;
    await use();
  }
}

it('the renewal of quotes reads a quote that is used again before it expires', async () => {
  await miner.quote();
  await pass(HOUR_MS, () => miner.quote());
  // each nine minutes, as the last tenth of ten minutes begins
  expect(asked.slice(0, 4)).toEqual([0, 540, 1_080, 1_620]);
  expect(asked.every((at, n) => n === 0 || at - (asked[n - 1] ?? 0) < VALID_MS / 1_000)).toBe(true);
});

it('the renewal of quotes never asks a miner by itself that nobody asked', async () => {
  await pass(HOUR_MS);
  expect(asked).toEqual([]);
});

it('the renewal of quotes reads a quote that nobody uses less and less often', async () => {
  await miner.quote();
  await pass(24 * HOUR_MS);
  expect(asked.length).toBeLessThan(12);
  const gaps = asked.slice(1).map((at, n) => at - (asked[n] ?? 0));
  expect(gaps).toEqual([...gaps].sort((a, b) => a - b));
});

it('the renewal of quotes asks a miner that fails less and less often, and at its usual pace once it answers', async () => {
  await miner.quote();
  fails = true;
  await pass(6 * HOUR_MS);
  expect(asked.length).toBeLessThan(9);
  fails = false;
  await miner.quote();
  const before = asked.length;
  await pass(12 * HOUR_MS, () => miner.quote());
  expect(asked.length - before).toBeGreaterThan(30);
});

it('the renewal of quotes keeps a single timer where it is stopped and started again during a check', async () => {
  await miner.quote();
  const held = Promise.withResolvers<void>();
  answer = held.promise;
  await pass(VALID_MS);
  expect(asked).toEqual([0, 540]);
  renewal.stop();
  renewal.start();
  held.resolve();
  await expect.poll(() => miner.offer?.quote.at).toBe(VALID_MS);
  await pass(1);
  renewal.stop();
  expect(clock.next).toBeUndefined();
});

it('the renewal of quotes leaves a miner alone that is switched off, and all once it stops', async () => {
  await miner.quote();
  enabled = [];
  await pass(HOUR_MS);
  enabled = [miner];
  renewal.stop();
  await pass(HOUR_MS);
  expect(asked).toEqual([0]);
});

it('quotes are read again at once where the clock was put back to before they were read', async () => {
  clock.advance(10 * HOUR_MS);
  await miner.quote();
  expect(asked).toHaveLength(1);
  clock.advance(-HOUR_MS);
  await renewal.look();
  expect(asked).toHaveLength(2);
  await renewal.look();
  expect(asked).toHaveLength(2);
});

it('quotes of a miner that failed are read again where the clock was put back since', async () => {
  clock.advance(10 * HOUR_MS);
  await miner.quote();
  fails = true;
  await pass(VALID_MS);
  const tried = asked.length;
  fails = false;
  clock.advance(-9 * HOUR_MS);
  await renewal.look();
  expect(asked.length).toBe(tried + 1);
});
