import { afterEach, expect, it } from 'vitest';
import { basic, send, startGateway } from '../test-support/gateway.ts';
import { startSandboxUpstream } from '../test-support/sandbox-upstream.ts';
import { Upstream } from '../test-support/upstream.ts';

const rounds = process.env.PLANCHET_LONG ? 400 : 4;

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part.stop();
});

/** Pseudo-random numbers that are the same in every run. */
function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return Math.floor((state / 0x8000_0000) * below);
  };
}

type Header = Record<string, unknown> & { height: number; confirmations: number };

/** How a lying upstream changes its answer to a call by the gateway itself about the chain. */
function lie(method: string, result: unknown, roll: (below: number) => number, hashes: readonly string[]): unknown {
  const other = hashes[roll(hashes.length)];
  if (method === 'getblockheader' && typeof result === 'string') {
    const at = roll(160);
    return (
      result.slice(0, at) + ((Number.parseInt(result[at] as string, 16) + 1) % 16).toString(16) + result.slice(at + 1)
    );
  }
  if (method === 'getblockheader') {
    const header = { ...(result as Header) };
    const lies = [
      () => (header.confirmations = 1 + roll(20)),
      () => (header.confirmations = -1),
      () => (header.height += roll(9) - 4),
      () => (header.height = 99_999_999),
      () => (header.previousblockhash = other),
      () => (header.nextblockhash = other),
    ];
    for (let count = 1 + roll(3); count > 0; count--) lies[roll(lies.length)]?.();
    return header;
  }
  if (method === 'getblockchaininfo') return { ...(result as object), blocks: roll(2) === 0 ? 3 : 99_999_999 };
  return result;
}

it.each([
  ['alone', 0],
  ['before an honest one', 1],
])(
  'an upstream %s that lies about confirmations, heights and headers makes no answer wrong',
  async (_, others) => {
    const roll = dice(11 + others);
    const chain = await startSandboxUpstream({ countsOrphans: true });
    open.push(chain);
    const { node } = chain;
    const hashes = await node.mine(12);
    const truth = async (body: string) => send(chain.port, { body, headers: { authorization: basic('me:up') } });
    let lies = 0;
    const liar = new Upstream((request, response) => {
      void truth(request.text).then(({ status, text }) => {
        const reported = JSON.parse(text) as { result: unknown; error: unknown; id: unknown };
        // the gateway's own calls have numeric ids; calls of clients pass unchanged
        if (typeof reported.id === 'number' && reported.error === null && (lies === 0 || roll(3) === 0)) {
          const result = lie(request.method, reported.result, roll, hashes);
          lies += Number(result !== reported.result);
          response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ ...reported, result }));
        } else response.writeHead(status, { 'content-type': 'application/json' }).end(text);
      });
    });
    liar.tellsChain = true;
    open.push(await liar.start());
    const gateway = await startGateway([liar.url, ...(others > 0 ? [chain.url] : [])].join(','));
    open.push(gateway);
    let [right, refused] = [0, 0];
    for (let round = 0; round < rounds; round++) {
      if (roll(3) === 0) hashes.push(...(await node.reorg(1 + roll(4))));
      else hashes.push(...(await node.mine(1 + roll(2))));
      for (let n = 0; n < 30; n++) {
        const hash = hashes[hashes.length - 1 - roll(Math.min(hashes.length, 14))];
        const height = node.tip().height - roll(9);
        const [method, params] = [
          ['getblockcount', []],
          ['getbestblockhash', []],
          ['getblockhash', [height]],
          ['getblockheader', [hash]],
          ['getblock', [hash, 1]],
          ['getblockbyheight', [height, 1]],
          ['getblockbyheight', [height, 0]],
          ['getblockstats', [hash]],
          ['getblockstatsbyheight', [height]],
        ][roll(9)] as [string, unknown[]];
        const body = JSON.stringify({ method, params, id: `${round} ${n}` });
        const [ours, theirs] = [await send(gateway.port, { body }), await truth(body)];
        const error = (JSON.parse(ours.text) as { error: unknown }).error;
        // while the lies leave no usable tip, cached answers are served as old ones
        const old = ours.headers.age !== undefined;
        if (old || (error !== null && ours.text !== theirs.text)) refused += 1;
        else {
          expect(ours.text, `${method} ${JSON.stringify(params)} in round ${round}`).toBe(theirs.text);
          right += 1;
        }
      }
    }
    // how many calls the gateway makes of its own depends on how the blocks arrive: a busy machine joins several
    expect(lies).toBeGreaterThan(0);
    expect((await gateway.service.status()).cache.hits).toBeGreaterThan(rounds);
    // an error or an answer marked as old is not wrong, but most calls must succeed
    expect(right).toBeGreaterThan(refused * 2);
    if (process.env.PLANCHET_LONG) {
      process.stdout.write(`${rounds} rounds with ${lies} lies: ${right} right answers, ${refused} refused or old\n`);
    }
  },
  600_000,
);
