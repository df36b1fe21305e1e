import { afterEach, describe, expect, it } from 'vitest';
import type { Network } from '../../../../contract/index.ts';
import { systemClock } from '../../../clock.ts';
import type { Clock } from '../../../ports/clock.ts';
import { StillClock } from '../../../test-support/still-clock.ts';
import { chainAnswer, mineHeaders, type ReportedChain } from '../../test-support/chain-upstream.ts';
import { clientParts, endpointsOf, result, settingsOf, Upstream } from '../../test-support/upstream.ts';
import { NodeClient } from '../client.ts';
import { BehindError } from '../errors.ts';

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of open.splice(0)) await part.stop();
});

async function upstream(reported: ReportedChain, name: string): Promise<Upstream> {
  const server = new Upstream(chainAnswer(() => reported, result(`"${name}"`)));
  server.tellsChain = true;
  open.push(server);
  return server.start();
}

function client(upstreams: readonly Upstream[], changes: { network?: Network; clock?: Clock } = {}) {
  const warnings: string[] = [];
  const logger = {
    ...clientParts.logger,
    warn: ({ err }: { err: Error }) => warnings.push(err.message),
    info: () => {},
  } as unknown as typeof clientParts.logger;
  const endpoints = endpointsOf({ bitcoinRpcUrl: upstreams.map(({ url }) => url).join(',') });
  const node = new NodeClient({
    ...clientParts,
    clock: systemClock,
    ...changes,
    logger,
    endpoints,
    settings: settingsOf(),
  });
  open.push({ stop: () => node.close() });
  const heights = (): (number | null)[] => node.health().map(({ height }) => height);
  const who = (): Promise<string> => node.call('getmempoolinfo');
  return { node, warnings, heights, who };
}

const chain = mineHeaders(30);
const upTo = (height: number): ReportedChain => ({ headers: chain.slice(0, height + 1) });

describe('heights that upstreams claim', () => {
  it('prefer the upstream that is not behind', async () => {
    const { node, who } = client([await upstream(upTo(5), 'behind'), await upstream(upTo(9), 'ahead')]);
    await node.measure();
    expect(await who()).toBe('ahead');
    expect(node.health().map(({ behind, height }) => ({ behind, height }))).toEqual([
      { behind: 4, height: 5 },
      { behind: 0, height: 9 },
    ]);
  });

  it('count if an upstream stays a single block behind; it is still used as a hedge for blocks it has', async () => {
    const one = { ...upTo(8) };
    const first = await upstream(one, 'one');
    const second = await upstream(upTo(9), 'two');
    const { node, who } = client([first, second]);
    await node.measure();
    // a new block takes a moment to spread
    expect(await who()).toBe('one');
    for (let round = 0; round < 2; round++) await node.measure();
    expect(await who()).toBe('two');
    let has = false;
    let hedged = Promise.withResolvers<void>();
    const ask = () => {
      hedged = Promise.withResolvers();
      return node.ask('{"method":"getmempoolinfo","id":1}', { wholeBytes: 100 }, ({ origin }) => {
        const lag = { origin, height: 8, told: 9, ancestor: true };
        if (origin !== first.url) return origin;
        hedged.resolve();
        if (!has) throw new BehindError(lag);
        return origin;
      });
    };
    while ((node.health()[1]?.p95 ?? null) === null) await ask();
    const { answer } = second;
    // the second answers after the first, which was asked as a hedge
    second.answer = (...request) => void hedged.promise.then(() => answer(...request));
    for (let n = 0; n < 3; n++) expect(await ask()).toBe(second.url);
    has = true;
    expect(await ask()).toBe(first.url);
    expect(node.health()[0]?.failures).toBe(0);
    second.answer = answer;
    // an upstream that caught up is asked first again
    one.headers = upTo(9).headers;
    await node.measure();
    expect(await who()).toBe('one');
  });

  const lies: [string, ReportedChain][] = [
    ['with the true best block', { ...upTo(20), height: 99_999_999 }],
    ['with an old block', { ...upTo(3), height: 99_999_999 }],
    ['with a block of its own making', { headers: mineHeaders(3, undefined, 1), height: 99_999_999 }],
  ];
  it.each(lies)('that no header proves are ignored: far greater, %s', async (_how, lie) => {
    for (const first of [true, false]) {
      const liar = await upstream(lie, 'liar');
      const honest = await upstream(upTo(20), 'honest');
      const { node, heights, who, warnings } = client(first ? [liar, honest] : [honest, liar]);
      for (let round = 0; round < 3; round++) await node.measure();
      expect(await who()).toBe('honest');
      expect(Math.max(...heights().map(Number))).toBe(20);
      const reported = node.health()[first ? 0 : 1];
      expect(reported?.lastFailure).toContain('claims height 99,999,999');
      expect(warnings).toEqual([expect.stringContaining('claims height 99,999,999')]);
      expect(await node.call('getblockcount')).toBe(20);
    }
  });

  it('of a new upstream are believed after a lying one was alone', async () => {
    const liar = await upstream({ headers: mineHeaders(3, undefined, 1), height: 99_999_999 }, 'liar');
    const honest = await upstream(upTo(20), 'honest');
    await honest.stop();
    const { node, heights, who } = client([liar, honest]);
    await node.measure();
    expect(heights()).toEqual([99_999_999, null]);
    await honest.start();
    await node.measure();
    expect(await who()).toBe('honest');
    expect(heights()).toEqual([null, 20]);
  });

  it('follow new blocks and a reorganisation', async () => {
    const reported = { ...upTo(10) };
    const { node, heights } = client([await upstream(reported, 'one'), await upstream(reported, 'two')]);
    await node.measure();
    reported.headers = chain.slice(0, 21);
    await node.measure();
    expect(heights()).toEqual([20, 20]);
    const branch = mineHeaders(8, chain[15], 2);
    reported.headers = [...chain.slice(0, 16), ...branch];
    await node.measure();
    expect(heights()).toEqual([23, 23]);
  });

  it('of a chain that replaced the known one are believed after a day, also where the clock was put back', async () => {
    const day = 86_400_000;
    const clock = new StillClock(10 * day);
    const reported = { ...upTo(20) };
    const both = [await upstream(reported, 'one'), await upstream(reported, 'two')];
    const { node, heights } = client(both, { network: 'private', clock });
    await node.measure();
    expect(heights()).toEqual([20, 20]);
    clock.advance(-5 * day);
    reported.headers = mineHeaders(8, undefined, 1);
    await node.measure();
    expect(heights()).toEqual([null, null]);
    clock.advance(day + 1);
    await node.measure();
    expect(heights()).toEqual([7, 7]);
  });

  it('are not proven by a header with another hash or too little work', async () => {
    const [tip] = chain.slice(-1) as [(typeof chain)[number]];
    const forged = { ...tip, raw: `ff${tip.raw.slice(2)}` };
    const { node, heights } = client([
      await upstream({ headers: [...chain.slice(0, -1), forged] }, 'forger'),
      await upstream(upTo(20), 'honest'),
    ]);
    await node.measure();
    expect(heights()).toEqual([null, 20]);
  });
});

describe('an upstream on another chain', () => {
  it('is disabled, with the reason, until it is on the right one', async () => {
    const reported: ReportedChain = { ...upTo(20), chain: 'main' };
    const wrong = await upstream(reported, 'wrong');
    const { node, warnings, who } = client([wrong, await upstream(upTo(10), 'right')]);
    await node.measure();
    expect(await who()).toBe('right');
    expect(node.health()).toMatchObject([
      { circuit: 'barred', height: null, lastFailure: expect.stringContaining('another chain than "sandbox"') },
      { circuit: 'closed', height: 10 },
    ]);
    await node.measure();
    expect(warnings).toEqual([expect.stringContaining('it calls its chain "main"')]);
    delete reported.chain;
    await node.measure();
    expect(await who()).toBe('wrong');
  });

  it('is disabled even if it is the only one, or names the right chain without having its blocks', async () => {
    const { node, who } = client([await upstream({ ...upTo(20), chain: 'main' }, 'other')], { network: 'main' });
    await node.measure();
    await expect(who()).rejects.toMatchObject({
      code: 'upstream-error',
      message: expect.stringContaining('its block 0 is'),
      hint: expect.stringContaining('bitcoinRpcUrl'),
    });
    const waiting = { whole: () => {}, answered: () => {}, failed: () => {} };
    expect(node.post('{"id":1}', waiting, 100)).toBeUndefined();
  });
});
