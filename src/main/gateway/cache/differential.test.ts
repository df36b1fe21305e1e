import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serializeTx, toHex } from '../../../chain/index.ts';
import { lockingScriptOf, otherKey, walletKey } from '../../sandbox/node/test-support/open-node.ts';
import { accepted, coinOf, spend } from '../../sandbox/node/test-support/spend.ts';
import { methodNames } from '../methods/method-registry.ts';
import { basic, type RunningGateway, send, startGateway } from '../test-support/gateway.ts';
import { type SandboxUpstream, startSandboxUpstream } from '../test-support/sandbox-upstream.ts';

const rounds = process.env.PLANCHET_LONG ? 150 : 2;

let upstream: SandboxUpstream;
let gateway: RunningGateway;

async function stop(): Promise<void> {
  await gateway.stop();
  await upstream.stop();
}

function both(method: string, params: readonly unknown[], id: number): Promise<{ ours: string; theirs: string }> {
  return bothSent(JSON.stringify({ method, params, id }));
}

async function bothSent(body: string): Promise<{ ours: string; theirs: string }> {
  const [ours, theirs] = await Promise.all([
    send(gateway.port, { body }),
    send(upstream.port, { body, headers: { authorization: basic('me:up') } }),
  ]);
  return { ours: `${ours.status} ${ours.text}`, theirs: `${theirs.status} ${theirs.text}` };
}

/** Pseudo-random numbers that are the same in every run. */
function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return Math.floor((state / 0x8000_0000) * below);
  };
}

const behaviours = [
  ['a node', {}],
  ['a node that counts confirmations for the blocks of dead branches', { countsOrphans: true }],
] as const;
/** The second makes more of a cache wrong; both in the long run. */
describe.each(behaviours.slice(process.env.PLANCHET_LONG ? 0 : 1))(
  'every answer of %s is the upstream’s own',
  (_, behaviour) => {
    beforeAll(async () => {
      upstream = await startSandboxUpstream(behaviour);
      gateway = await startGateway(upstream.url);
    });
    afterAll(stop);

    it('if cached heights above the fork are read again after a reorganisation', async () => {
      const { node } = upstream;
      const mined = await node.mine(12);
      const above = mined.slice(6);
      const calls: [string, unknown[]][] = [];
      for (const [at, hash] of above.entries()) {
        const height = node.tip().height - above.length + 1 + at;
        const { result } = JSON.parse((await both('getblock', [hash, 1], 0)).theirs.slice(4)) as {
          result: { tx: [string] };
        };
        const [txid] = result.tx;
        calls.push(
          ['getblockhash', [height]],
          ['getblockheader', [hash]],
          ['getblock', [hash, 1]],
          ['getblockbyheight', [height, 1]],
          ['getblockbyheight', [height, 0]],
          ['getblockstats', [hash]],
          ['getblockstatsbyheight', [height]],
          ['getrawtransaction', [txid]],
          ['getrawtransaction', [txid, true]],
          ['gettxoutproof', [[txid]]],
          ['gettxoutproof', [[txid], hash]],
          ['getmerkleproof', [txid]],
          ['getmerkleproof2', ['', txid]],
        );
      }
      const agree = async (when: string): Promise<void> => {
        for (const [method, params] of calls) {
          const { ours, theirs } = await both(method, params, 1);
          expect(ours, `${method} ${JSON.stringify(params)} ${when}`).toBe(theirs);
        }
      };
      // three times, so that everything is cached and served from the cache
      for (const time of ['first', 'second', 'third']) await agree(`asked for the ${time} time`);
      await node.reorg(4);
      for (const time of ['first', 'second', 'third']) await agree(`after the fork, for the ${time} time`);
      await node.mine(3);
      await agree('with blocks on the new branch');
    });

    it('during a run that mines, spends and reorganises, with most answers from the cache', async () => {
      const { node } = upstream;
      const roll = dice(7);
      const blocks: string[] = [];
      const txids: string[] = [];
      const raws: string[] = [];
      const proofs: string[] = [];
      const merkles: unknown[] = [{}];
      const pick = <T>(list: readonly T[]): T => list[roll(list.length)] as T;
      const calls = (): [string, unknown[]][] => {
        const height = roll(node.tip().height + 2);
        return [
          ['getblockcount', []],
          ['getbestblockhash', []],
          ['getblockhash', [height]],
          ['getblock', [pick(blocks), roll(4)]],
          ['getblock', [pick(blocks).toUpperCase()]],
          ['getblock', [pick(blocks), 1.5]],
          ['getblock', [pick(blocks), 'DECODE_HEADER']],
          ['getblockheader', [pick(blocks), roll(3)]],
          ['getblockheader', [pick(blocks), pick([true, false])]],
          ['getblockheader', ['00'.repeat(32)]],
          ['getblockbyheight', [height, roll(4)]],
          ['getblockstats', [pick(blocks)]],
          ['getblockstats', [pick(blocks), ['txs', 'time']]],
          ['getblockstatsbyheight', [height]],
          ['getrawtransaction', [pick(txids)]],
          ['getrawtransaction', [pick(txids), pick([true, false])]],
          ['getrawtransaction', [pick(txids), 1]],
          ['gettxout', [pick(txids), roll(2), pick([true, false])]],
          ['gettxoutproof', [[pick(txids)]]],
          ['getmerkleproof', [pick(txids)]],
          ['getmerkleproof2', ['', pick(txids), pick([true, false]), pick(['hash', 'header', 'merkleroot'])]],
          ['getblockchaininfo', []],
          ['getchaintips', []],
          ['getdifficulty', []],
          ['getmempoolinfo', []],
          ['getrawmempool', [pick([true, false])]],
          ['getmempoolentry', [pick(txids)]],
          ['getmempoolancestors', [pick(txids), pick([true, false])]],
          ['getmempooldescendants', [pick(txids), pick([true, false])]],
          ['getrawnonfinalmempool', []],
          ['getchaintxstats', [roll(5)]],
          ['getchaintxstats', [1, pick(blocks)]],
          [
            'gettxouts',
            [
              [
                { txid: pick(txids), n: 0 },
                { txid: pick(txids), n: 1 },
              ],
              [pick(['*', 'value', 'nonsense'])],
            ],
          ],
          ['gettxoutsetinfo', []],
          ['getnetworkinfo', []],
          ['getinfo', []],
          ['verifymerkleproof', [pick(merkles)]],
          ['decoderawtransaction', [pick(raws)]],
          ['decoderawtransaction', [pick(raws).slice(2)]],
          ['decodescript', [pick(['', '6a', `76a914${'00'.repeat(20)}88ac`, `a914${'11'.repeat(20)}87`, '0'])]],
          ['verifytxoutproof', [proofs.length === 0 ? '00' : pick(proofs)]],
          ['help', pick([[], ['getblock'], ['nonsense']])],
        ];
      };
      const learn = async (): Promise<void> => {
        const hash = node.tip().hash;
        blocks.push(hash);
        const block = JSON.parse((await both('getblock', [hash, 1], 0)).theirs.slice(4)) as {
          result: { tx: string[] };
        };
        txids.push(...block.result.tx.slice(-3));
        const proof = JSON.parse((await both('gettxoutproof', [[block.result.tx[0]]], 0)).theirs.slice(4)) as {
          result: string | null;
        };
        if (proof.result !== null) proofs.push(proof.result);
        const merkle = JSON.parse((await both('getmerkleproof', [block.result.tx[0]], 0)).theirs.slice(4)) as {
          result: unknown;
        };
        if (merkle.result !== null) merkles.push(merkle.result);
      };
      await node.mine(8);
      await learn();
      let asked = 0;
      const commands = new Set<string>();
      for (let round = 0; round < rounds; round++) {
        const coin = await coinOf(node, walletKey);
        const half = Math.floor(coin.satoshis / 2) - 500;
        const change = [
          { satoshis: half, script: lockingScriptOf(otherKey) },
          { satoshis: half, script: lockingScriptOf(walletKey) },
        ];
        const tx = spend([coin], walletKey, change);
        txids.push(await accepted(node, tx));
        raws.push(toHex(serializeTx(tx)));
        if (roll(3) > 0) await node.mine(1 + roll(3));
        else if (round > 0) await node.reorg(1 + roll(3));
        await learn();
        for (let again = 0; again < 3; again++) {
          const batch = calls();
          for (const [method, params] of batch) {
            asked += 1;
            commands.add(method);
            const { ours, theirs } = await both(method, params, asked);
            expect(ours, `${method} ${JSON.stringify(params)} in round ${round}`).toBe(theirs);
          }
          if (again > 0) continue;
          // the same calls again as one batch, with some that every node refuses
          const body = JSON.stringify([
            ...batch.map(([method, params], id) => ({ method, params, id: `b${id}` })),
            7,
            { method: 'nonsense' },
            { id: 1 },
            { method: 'getblock', params: { blockhash: pick(blocks), verbose: 1 } },
            { method: 'getblock', params: { nonsense: 1 }, id: null },
          ]);
          const { ours, theirs } = await bothSent(body);
          expect(ours, `a batch in round ${round}`).toBe(theirs);
        }
      }
      expect([...commands].sort()).toEqual([...methodNames].sort());
      const { cache, reorganisations } = await gateway.service.status();
      expect(reorganisations).toBeGreaterThan(0);
      expect(cache.dropped).toBeGreaterThan(0);
      expect(cache.hits).toBeGreaterThan(asked / 10);
      expect(cache.local).toBeGreaterThan(0);
      if (process.env.PLANCHET_LONG) {
        const { hits, dropped } = cache;
        process.stdout.write(
          `${rounds} rounds: ${asked} calls, ${hits} from the cache, ${reorganisations} reorganisations, ${dropped} dropped\n`,
        );
      }
    }, 1_200_000);
  },
);
