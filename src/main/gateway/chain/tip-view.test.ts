import { afterEach, describe, expect, it } from 'vitest';
import { basic, send, startGateway } from '../test-support/gateway.ts';
import { HandClock } from '../test-support/hand-clock.ts';
import { startSandboxUpstream } from '../test-support/sandbox-upstream.ts';
import { Upstream } from '../test-support/upstream.ts';

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part.stop();
});

type Header = { height: number; confirmations: number };

/**
 * A gateway that shares answers for a quarter of a second, with a clock that stands still and no announcements of blocks.
 * @param before runs before each call is passed on to the node
 */
async function still(before: (method: string, mine: () => Promise<unknown>) => Promise<void> = async () => {}) {
  const chain = await startSandboxUpstream();
  open.push(chain);
  const mined = await chain.node.mine(10);
  const upstream = await new Upstream((request, response) => {
    void (async () => {
      await before(request.method, () => chain.node.mine(1));
      const headers = { authorization: basic('me:up') };
      const { status, text } = await send(chain.port, { body: request.text, headers });
      response.writeHead(status, { 'content-type': 'application/json' }).end(text);
    })();
  }).start();
  open.push(upstream);
  const options = { clock: new HandClock() };
  const gateway = await startGateway(upstream.url, { settings: { gatewayShareFor: '250ms' }, options });
  open.push(gateway);
  const post = async (body: unknown) => JSON.parse((await send(gateway.port, { body: JSON.stringify(body) })).text);
  const call = async <T>(method: string, ...params: unknown[]): Promise<T> =>
    ((await post({ method, params, id: 1 })) as { result: T }).result;
  const tipBy = ({ height, confirmations }: Header): number => height + confirmations - 1;
  return { chain, mined, call, post, tipBy };
}

describe('consecutive answers rest on one tip', () => {
  it('if the height comes first, then confirmations computed by the gateway', async () => {
    const { chain, mined, call, tipBy } = await still();
    const [hash] = mined as [string];
    for (let time = 0; time < 3; time++) {
      expect(tipBy(await call<Header>('getblockheader', hash))).toBe(chain.node.tip().height);
    }
    await chain.node.mine(1);
    const height = await call<number>('getblockcount');
    expect(height).toBe(chain.node.tip().height);
    expect(tipBy(await call<Header>('getblockheader', hash))).toBe(height);
  });

  it('if confirmations come first, then the shared height', async () => {
    const { chain, mined, call, tipBy } = await still();
    const [first, second] = mined as [string, string];
    expect(await call('getblockcount')).toBe(chain.node.tip().height);
    expect(await call('getblockcount')).toBe(chain.node.tip().height);
    await chain.node.mine(1);
    const tip = tipBy(await call<Header>('getblockheader', first));
    expect(tip).toBe(chain.node.tip().height);
    expect(await call('getblockcount')).toBe(tip);
    expect(tipBy(await call<Header>('getblock', second))).toBe(tip);
    expect(await call('getbestblockhash')).toBe(chain.node.tip().hash);
  });

  it('for any calls while new blocks arrive', async () => {
    const { chain, mined, call, tipBy } = await still();
    let told = 0;
    for (let round = 0; round < 60; round++) {
      if (round % 3 === 0) await chain.node.mine(1);
      const hash = mined[round % mined.length] as string;
      const tip = [
        async () => call<number>('getblockcount'),
        async () => tipBy(await call<Header>('getblockheader', hash)),
        async () => (await call<{ blocks: number }>('getblockchaininfo')).blocks,
        async () => tipBy(await call<Header>('getblock', hash, 1)),
      ][(round * 7) % 4] as () => Promise<number>;
      const now = await tip();
      expect(now, `round ${round}`).toBeGreaterThanOrEqual(told);
      told = now;
    }
  });
});

describe('the answers of a batch', () => {
  it('rest on one tip, although a block arrives between them', async () => {
    let comes = false;
    const { chain, mined, call, post, tipBy } = await still(async (method, mine) => {
      if (method !== 'getblockcount' || !comes) return;
      comes = false;
      await mine();
    });
    const [hash, other] = mined as [string, string];
    for (let time = 0; time < 3; time++) await call('getblockheader', hash);
    comes = true;
    const batch = [
      { method: 'getblockheader', params: [hash], id: 0 },
      { method: 'getblockcount', id: 1 },
      { method: 'getblock', params: [other], id: 2 },
      { method: 'getbestblockhash', id: 3 },
    ];
    const [header, count, block, best] = (await post(batch)) as { result: unknown; id: number }[];
    expect(comes).toBe(false);
    expect(count).toMatchObject({ id: 1, result: chain.node.tip().height });
    expect(tipBy(header?.result as Header)).toBe(count?.result);
    expect(tipBy(block?.result as Header)).toBe(count?.result);
    expect(best).toMatchObject({ id: 3, result: chain.node.tip().hash });
  });
});
