import { afterEach, describe, expect, it, vi } from 'vitest';
import { basic, send, startGateway } from '../test-support/gateway.ts';
import { HandClock } from '../test-support/hand-clock.ts';
import { type SandboxUpstream, startSandboxUpstream } from '../test-support/sandbox-upstream.ts';
import { endpointsOf, quiet, settingsOf } from '../test-support/upstream.ts';
import type { SavedTip } from './chain-view.ts';
import { TipFollower } from './tip-follower.ts';

/** Ends a test that hangs. It is long, because a slow machine is not a failure. */
const PATIENCE_MS = 30_000;
const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part.stop();
});

async function direct({ port }: { port: number }, method: string, ...params: unknown[]) {
  const headers = { authorization: basic('me:up') };
  const { text } = await send(port, { body: JSON.stringify({ method, params, id: 1 }), headers });
  return (JSON.parse(text) as { result: unknown }).result;
}

/** Copies the blocks above a height from one node to another. */
async function sync(from: SandboxUpstream, to: SandboxUpstream, above: number): Promise<void> {
  for (let height = above + 1; height <= from.node.tip().height; height++) {
    const hash = await direct(from, 'getblockhash', height);
    const raw = (await direct(from, 'getblock', hash, 0)) as string;
    expect(await to.node.submitBlock(Buffer.from(raw, 'hex'))).toMatchObject({ ok: true });
  }
}

/** Two nodes of one chain and a gateway whose clients have seen the tip of the first. The second is three blocks behind. */
async function lagging(settings: Parameters<typeof startGateway>[1] = {}) {
  const best = await startSandboxUpstream();
  let stopped = false;
  const stop = async (): Promise<void> => {
    if (!stopped) await best.stop();
    stopped = true;
  };
  open.push({ stop });
  const behind = await startSandboxUpstream();
  open.push(behind);
  const start = behind.node.tip().height;
  await best.node.mine(5);
  await sync(best, behind, start);
  expect(behind.node.tip()).toEqual(best.node.tip());
  const low = best.node.tip().height;
  const gateway = await startGateway(`${best.url},${behind.url}`, settings);
  open.push(gateway);
  // a call goes to the first of those that are known to be on the chain
  const known = async () => (await gateway.service.status()).upstreams.map(({ circuit }) => circuit);
  await expect.poll(() => known()).toEqual(['closed', 'closed']);
  const call = async (method: string, ...params: unknown[]) => {
    const { status, headers, text } = await send(gateway.port, { body: JSON.stringify({ method, params, id: 1 }) });
    const { result, error } = JSON.parse(text) as { result: unknown; error: { message: string } | null };
    return { status, age: headers.age, result, error: error?.message };
  };
  await best.node.mine(3);
  const high = low + 3;
  // until then the tip of before the blocks may be given, which was fresh
  const seen = async () => [await call('getblockcount'), (await gateway.service.status()).tip?.height];
  await expect.poll(() => seen()).toMatchObject([{ status: 200, result: high }, high]);
  const origin = new URL(behind.url).origin;
  const lag = `The node at ${origin} is 3 blocks behind: its best block is ${low}, but clients have already seen ${high}.`;
  return { best, behind, gateway, call, low, high, stop, lag };
}

const age = expect.stringMatching(/^\d+$/) as string;

describe('with the best upstream offline and another three blocks behind', () => {
  it('the tip is still served with its age, calls that need the missing blocks fail by name, and the rest is right', async () => {
    const { best, gateway, call, low, high, stop, lag } = await lagging();
    const top = await direct(best, 'getbestblockhash');
    const at = (height: number) => direct(best, 'getblockhash', height);
    const [buried, last, missing] = await Promise.all([at(low - 4), at(low), at(high - 1)]);
    const header = await direct(best, 'getblockheader', buried);
    const [txid] = ((await direct(best, 'getblock', buried, 1)) as { tx: string[] }).tx;
    const tx = await direct(best, 'getrawtransaction', txid, true);
    const raw = await direct(best, 'getblock', last, 0);
    const byHeight = await direct(best, 'getblockbyheight', low - 2, 1);
    await stop();

    for (let time = 0; time < 2; time++) {
      expect(await call('getblockcount')).toMatchObject({ status: 200, result: high, age });
      expect(await call('getbestblockhash')).toMatchObject({ status: 200, result: top, age });
      expect(await call('getblockhash', low)).toMatchObject({ status: 200, result: last });
      expect(await call('getblockheader', buried)).toMatchObject({ status: 200, result: header });
      expect(await call('getrawtransaction', txid, true)).toMatchObject({ status: 200, result: tx });
      expect(await call('getblock', last, 0)).toMatchObject({ status: 200, result: raw });
      expect(await call('getblockbyheight', low - 2, 1)).toMatchObject({ status: 200, result: byHeight });
      for (const [method, ...params] of [
        ['getblockhash', high - 1],
        ['getblockheader', missing],
        // the upstream does not have its next block
        ['getblockheader', last],
        ['getblock', missing, 0],
        ['getrawtransaction', 'ab'.repeat(32)],
        ['getmempoolinfo'],
        ['getblockchaininfo'],
        ['gettxout', txid, 0],
        ['getinfo'],
      ] as const) {
        const refused = await call(method, ...params);
        expect(refused, method).toMatchObject({ status: 500, result: null, age: undefined });
        expect(refused.error, method).toContain(lag);
        expect(refused.error, method).toContain('cannot be reached');
      }
      for (const path of ['chaininfo.json', `block/${String(missing)}.hex`]) {
        const rest = await send(gateway.port, { method: 'GET', path: `/rest/${path}` });
        expect(rest.status, path).toBe(503);
        expect(rest.text, path).toContain(lag);
      }
    }
    await expect(gateway.service.call('getblockcount', [])).rejects.toThrow(lag);
  });

  it('the tip moves on when the other has caught up', async () => {
    const { best, behind, call, low, high, stop } = await lagging();
    await sync(best, behind, low);
    await stop();
    const now = { status: 200, age: undefined };
    // a node that was found behind is not asked again for a quarter of a second
    await vi.waitFor(async () => {
      expect(await call('getblockcount')).toMatchObject({ ...now, result: high });
    }, PATIENCE_MS);
    expect(await call('getmempoolinfo')).toMatchObject(now);
    await behind.node.mine(1);
    await vi.waitFor(async () => {
      expect(await call('getblockcount')).toMatchObject({ ...now, result: high + 1 });
    }, PATIENCE_MS);
  });

  it('the tip moves to a branch of the other that has more work', async () => {
    const { behind, gateway, call, high, stop } = await lagging();
    await stop();
    expect(await call('getmempoolinfo')).toMatchObject({ status: 500 });
    // another branch from below the known blocks
    await behind.node.reorg(1);
    expect(await call('getblockcount')).toMatchObject({ result: high, age });
    await behind.node.mine(5);
    const { height, hash } = behind.node.tip();
    expect(height).toBeGreaterThan(high);
    await vi.waitFor(async () => {
      expect(await call('getblockcount')).toMatchObject({ status: 200, result: height, age: undefined });
    }, PATIENCE_MS);
    expect(await call('getbestblockhash')).toMatchObject({ result: hash });
    expect((await gateway.service.status()).reorganisations).toBe(1);
  });

  it('its old answers are served with their age if the setting allows it', async () => {
    const { call, high, stop, low, behind } = await lagging({ settings: { gatewayOldAnswers: true } });
    await stop();
    expect(await call('getblockchaininfo')).toMatchObject({ status: 200, age, result: { blocks: low } });
    expect(await call('getmempoolinfo')).toMatchObject({ status: 200, age });
    expect(await call('getblockhash', high)).toMatchObject({ status: 500, age, error: 'Block height out of range' });
    expect(await call('getblockcount')).toMatchObject({ status: 200, age, result: high });
    expect(await call('getblockhash', low)).toMatchObject({ age: undefined, result: behind.node.tip().hash });
  });
});

describe('the tip the application follows', () => {
  it('stays while only an upstream that is behind answers, and moves to a branch with more work', async () => {
    const { behind, gateway, low, high, stop } = await lagging();
    const clock = new HandClock();
    const tip = new TipFollower({ chain: gateway.chain, endpoints: endpointsOf({}), clock, logger: quiet });
    open.push(tip);
    const told: number[] = [];
    tip.onTip(({ height }) => told.push(height));
    tip.start();
    const look = async (): Promise<void> => {
      await tip.refresh();
      await clock.pass(5_000);
    };
    // a probe without an answer in time is followed by another
    await vi.waitFor(async () => {
      await look();
      expect(told).toEqual([high]);
    }, PATIENCE_MS);
    await stop();
    for (let time = 0; time < 3; time++) await look();
    expect(behind.node.tip().height).toBe(low);
    expect([told, tip.current()?.height]).toEqual([[high], high]);

    await behind.node.reorg(1);
    await look();
    expect(tip.current()?.height).toBe(high);
    await behind.node.mine(5);
    const next = behind.node.tip();
    await vi.waitFor(async () => {
      await look();
      expect(tip.current()).toMatchObject(next);
    }, PATIENCE_MS);
    expect(told).toEqual([high, next.height]);
    expect((await gateway.service.status()).reorganisations).toBe(1);
  });

  it('is as high as before a restart, even if an upstream that is behind was asked first', async () => {
    const { best, behind, gateway, low, high } = await lagging();
    const saved = gateway.chain.savedTip() as SavedTip;
    const again = await startGateway(`${behind.url},${best.url}`);
    open.push(again);
    const below = new URL(behind.url).origin;
    expect(await again.chain.refresh(below)).toMatchObject({ height: low });
    again.chain.restore(saved);
    expect(again.chain.tip).toMatchObject({ height: high });
    await expect(again.chain.refresh(below)).rejects.toMatchObject({ lag: { height: low, told: high } });
    expect(await again.chain.refresh()).toMatchObject({ height: high });
  });
});

describe('the console’s own call', () => {
  it('asks another upstream if the first is behind, and returns old answers only if the setting allows it', async () => {
    const best = await startSandboxUpstream();
    let stopped = false;
    const stop = async (): Promise<void> => {
      if (!stopped) await best.stop();
      stopped = true;
    };
    open.push({ stop });
    const behind = await startSandboxUpstream();
    open.push(behind);
    const start = behind.node.tip().height;
    await best.node.mine(2);
    await sync(best, behind, start);
    // the heights are probed once, because its clock stands still
    const settings = { gatewayOldAnswers: false };
    const view = { current: () => ({ ...settingsOf().current(), ...settings }), onChange: () => () => {} };
    const urls = `${behind.url},${best.url}`;
    const gateway = await startGateway(urls, { clock: new HandClock(), options: { settings: view } });
    open.push(gateway);
    const { service } = gateway;
    await service.call('getmempoolinfo', []);
    const low = behind.node.tip().height;
    await best.node.mine(3);
    const { hash, height } = best.node.tip();
    expect(await gateway.chain.refresh(new URL(best.url).origin)).toEqual({ hash, height });

    expect(await service.call('getblockcount', [])).toEqual({ result: height, error: null });
    expect(behind.methods).toContain('getblockcount');
    expect(await service.call('getblockheader', [hash])).toMatchObject({ result: { hash, height }, error: null });
    expect(await service.call('getblockchaininfo', [])).toMatchObject({ result: { blocks: height } });

    await stop();
    const refused = `3 blocks behind: its best block is ${low}, but clients have already seen ${height}`;
    await expect(service.call('getblockchaininfo', [])).rejects.toThrow(refused);
    const buried = await direct(behind, 'getblockhash', low);
    expect(await service.call('getblockhash', [low])).toEqual({ result: buried, error: null });
    settings.gatewayOldAnswers = true;
    expect(await service.call('getblockchaininfo', [])).toMatchObject({ result: { blocks: low } });
    await expect(service.call('getblockcount', [])).rejects.toThrow(refused);
  });
});

it('the first call to an upstream that hangs is answered by one that is behind, if that one has the blocks', async () => {
  const { best, behind, call, low, high } = await lagging({ settings: { bitcoinTimeout: '60s' } });
  const hashes = await Promise.all(Array.from({ length: 24 }, (_, n) => direct(best, 'getblockhash', low - 1 - n)));
  // enough calls to measure how long an answer takes
  for (const hash of hashes.slice(1)) expect((await call('getblockheader', hash)).status).toBe(200);
  let free: () => void = () => {};
  const hanging = new Promise<void>((resolve) => {
    free = resolve;
  });
  best.delay(hanging);
  const asked = behind.requests();
  expect((await call('getblockheader', hashes[0])).result).toMatchObject({ confirmations: high - (low - 1) + 1 });
  expect(behind.requests()).toBeGreaterThan(asked);
  // a call that needs missing blocks waits for the upstream that has them
  const waiting = call('getmempoolinfo');
  await expect.poll(() => behind.methods).toContain('getmempoolinfo');
  free();
  expect(await waiting).toMatchObject({ status: 200, age: undefined });
});
