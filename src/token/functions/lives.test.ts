import type { PrivateKey } from '@bsv/sdk';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { equalBytes, p2pkhScript, toHex, type Utxo } from '../../chain/index.ts';
import {
  issue,
  type MergeToken,
  merge,
  mergeSplit,
  publicKeyOf,
  redeem,
  redeemSplit,
  split,
  traceToken,
  transfer,
} from '../index.ts';
import { decodeToken } from '../parameters/decode.ts';
import { addressOf, hashOf } from '../test-support/forge.ts';
import { keys } from '../test-support/keys.ts';
import { World } from '../test-support/world.ts';

// in pieces with separate results: 5,000 lives in a long run
const LIVES = process.env.PLANCHET_LONG ? 250 : 12;
const PIECES = Array.from({ length: process.env.PLANCHET_LONG ? 20 : 1 }, (_, i) => ({ seed: 55 + i }));
const SUPPLY = 1_000;
const { alice, bob, carol, issuer } = keys;
const owners = [alice, bob, carol];
const contractPublicKey = publicKeyOf(issuer);

interface Held {
  readonly utxo: Utxo;
  readonly key: PrivateKey;
}

/** Unredeemed tokens with their owners' keys. */
function held(world: World): Held[] {
  return [...world.unspent.values()].flatMap((utxo) => {
    const token = decodeToken(utxo.lockingScript);
    const key = token && owners.find((owner) => equalBytes(hashOf(owner), token.owner));
    return key ? [{ utxo, key }] : [];
  });
}

function withParent(world: World, { utxo }: Held): MergeToken {
  return { utxo, previousTx: world.txs.get(utxo.txid) as MergeToken['previousTx'] };
}

/** Two tokens of one owner that can be merged. */
function mergeable(world: World): [Held, Held] | undefined {
  const fit = held(world).filter(({ utxo }) => (world.txs.get(utxo.txid)?.outputs.length ?? 9) < 3);
  for (const one of fit) for (const other of fit) if (one !== other && one.key === other.key) return [one, other];
  return undefined;
}

const decision = fc.record({
  action: fc.nat({ max: 5 }),
  pick: fc.nat(),
  to: fc.nat({ max: 2 }),
  share: fc.nat(),
  paid: fc.boolean(),
});
type Decision = typeof decision extends fc.Arbitrary<infer T> ? T : never;

/** Performs the decided action if possible, and returns its name. */
function act(world: World, { action, pick, to, share, paid }: Decision): string {
  const all = held(world);
  const { utxo: tokenUtxo, key: ownerKey } = all[pick % all.length] as Held;
  const destination = addressOf(owners[to] as PrivateKey);
  const payment = paid ? world.pay() : {};
  const amount = tokenUtxo.satoshis;
  const part = 1 + (share % Math.max(amount - 1, 1));
  const pair = action >= 4 ? mergeable(world) : undefined;
  if (pair) {
    const mergeTokens = pair.map((token) => withParent(world, token));
    const sum = pair[0].utxo.satoshis + pair[1].utxo.satoshis;
    const own = addressOf(pair[0].key);
    const params = { ownerKey: pair[0].key, mergeTokens, ...payment };
    if (action === 4) world.accept(merge({ ...params, destination }));
    else {
      const kept = 1 + (share % (sum - 1));
      const destinations = [
        { address: destination, satoshis: kept },
        { address: own, satoshis: sum - kept },
      ];
      world.accept(mergeSplit({ ...params, destinations }));
    }
    return action === 4 ? 'merge' : 'mergeSplit';
  }
  if (action === 0 || amount < 4) {
    world.accept(transfer({ ownerKey, tokenUtxo, destination, ...payment }));
    return 'transfer';
  }
  if (action === 1) {
    const destinations = [
      { address: destination, satoshis: part },
      { address: addressOf(ownerKey), satoshis: amount - part },
    ];
    world.accept(split({ ownerKey, tokenUtxo, destinations, ...payment }));
    return 'split';
  }
  if (action === 2) {
    const parts = [1, 1, 1, amount - 3].map((satoshis, i) => ({
      address: addressOf(owners[i % 3] as PrivateKey),
      satoshis,
    }));
    world.accept(split({ ownerKey, tokenUtxo, destinations: parts, maxDestinations: 4, ...payment }));
    return 'split in four';
  }
  const destinations = [{ address: destination, satoshis: Math.min(part, amount - 1) }];
  world.accept(redeemSplit({ ownerKey, contractPublicKey, tokenUtxo, destinations, ...payment }));
  return 'redeemSplit';
}

/** Satoshis on plain P2PKH of the issuer. */
function redeemed(world: World): number {
  const script = toHex(p2pkhScript(hashOf(issuer)));
  return [...world.unspent.values()]
    .filter(({ lockingScript }) => toHex(lockingScript) === script)
    .reduce((sum, { satoshis }) => sum + satoshis, 0);
}

describe('a token', () => {
  const title = 'ends with the whole supply redeemed, to the satoshi, for any sequence of actions (seed $seed)';
  it.each(PIECES)(title, { timeout: 1_000_000_000 }, ({ seed }) => {
    const done = new Set<string>();
    let lives = 0;
    fc.assert(
      fc.property(fc.array(decision, { minLength: 4, maxLength: 9 }), (decisions) => {
        // every tenth life verifies its signatures with the interpreter alone
        const world = new World({ quick: lives % 10 !== 0 });
        lives += 1;
        const [contractUtxo] = world.contract(SUPPLY).outputs;
        const issueInfo = [500, 300, 200].map((satoshis, i) => ({
          address: addressOf(owners[i] as PrivateKey),
          satoshis,
        }));
        world.accept(
          issue({
            issuerKey: issuer,
            issueInfo,
            contractUtxo: contractUtxo as Utxo,
            isSplittable: true,
            symbol: 'CAFE',
            ...world.pay(),
          }),
        );
        for (const decided of decisions) {
          done.add(act(world, decided));
          expect(world.tokenSupply() + redeemed(world)).toBe(SUPPLY);
        }
        for (const { utxo, key } of held(world))
          world.accept(redeem({ ownerKey: key, contractPublicKey, tokenUtxo: utxo, ...world.pay() }));
        expect(world.tokenSupply()).toBe(0);
        expect(redeemed(world)).toBe(SUPPLY);
      }),
      { numRuns: LIVES, seed },
    );
    expect([...done].sort()).toEqual(['merge', 'mergeSplit', 'redeemSplit', 'split', 'split in four', 'transfer']);
  });

  it('goes from contract to redemption through every function, and can be traced back at every step', async () => {
    const world = new World();
    const contracted = world.contract(SUPPLY);
    const issued = world.accept(
      issue({
        issuerKey: issuer,
        issueInfo: [500, 300, 200].map((satoshis, i) => ({ address: addressOf(owners[i] as PrivateKey), satoshis })),
        contractUtxo: contracted.outputs[0] as Utxo,
        isSplittable: true,
        symbol: 'CAFE',
        ...world.pay(),
      }),
    );
    const [a, b, c] = issued.outputs as [Utxo, Utxo, Utxo];
    const moved = [
      transfer({ ownerKey: bob, tokenUtxo: b, destination: addressOf(alice), ...world.pay() }),
      transfer({ ownerKey: carol, tokenUtxo: c, destination: addressOf(alice) }),
    ].map((built) => world.accept(built));
    const merging = (built: (typeof moved)[number]): MergeToken => ({
      utxo: built.outputs[0] as Utxo,
      previousTx: built.tx,
    });
    const merged = world.accept(
      merge({ ownerKey: alice, mergeTokens: moved.map(merging), destination: addressOf(alice), ...world.pay() }),
    );
    const divided = world.accept(
      split({
        ownerKey: alice,
        tokenUtxo: a,
        destinations: [
          { address: addressOf(alice), satoshis: 1 },
          { address: addressOf(alice), satoshis: 499 },
        ],
      }),
    );
    const shared = world.accept(
      mergeSplit({
        ownerKey: alice,
        mergeTokens: [merging(merged), { utxo: divided.outputs[1] as Utxo, previousTx: divided.tx }],
        destinations: [
          { address: addressOf(bob), satoshis: 900 },
          { address: addressOf(carol), satoshis: 99 },
        ],
        ...world.pay(),
      }),
    );
    const part = world.accept(
      redeemSplit({
        ownerKey: bob,
        contractPublicKey,
        tokenUtxo: shared.outputs[0] as Utxo,
        destinations: [{ address: addressOf(carol), satoshis: 800 }],
        ...world.pay(),
      }),
    );
    const trace = await traceToken({ txid: part.txid, vout: 1 }, world.fetchTx);
    expect(trace.steps.map(({ action }) => action).sort()).toEqual(
      ['issue', 'merge', 'mergeSplit', 'redeemSplit', 'split', 'transfer', 'transfer'].sort(),
    );
    expect(trace.steps[0]?.action).toBe('issue');
    expect(trace.steps.at(-1)).toMatchObject({ action: 'redeemSplit', txid: part.txid, redeemed: 100 });
    expect(trace.origins).toMatchObject([
      { txid: contracted.txid, vout: 0, satoshis: SUPPLY, schema: { symbol: 'CAFE' } },
    ]);
    for (const { utxo, key } of held(world))
      world.accept(redeem({ ownerKey: key, contractPublicKey, tokenUtxo: utxo, ...world.pay() }));
    expect(redeemed(world)).toBe(SUPPLY);
  });
});
