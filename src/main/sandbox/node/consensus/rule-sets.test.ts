import { BigNumber, ECDSA } from '@bsv/sdk';
import { afterEach, describe, expect, it } from 'vitest';
import {
  concatBytes,
  pushData,
  satoshis,
  serializeTx,
  sha256d,
  sighashPreimage,
  type Tx,
  txidOf,
  type Utxo,
} from '../../../../chain/index.ts';
import { assemble } from '../../../../chain/test-support/script-vectors.ts';
import { foreignBlock } from '../test-support/foreign-block.ts';
import { lockingScriptOf, openTestNode, type TestNode, walletKey } from '../test-support/open-node.ts';
import { rebuildUtxoSet, storedUtxoSet } from '../test-support/rebuild.ts';
import { accepted, coinOf, outputCoin, spend } from '../test-support/spend.ts';

const wallet = lockingScriptOf(walletKey);
const publicKey = Uint8Array.from(walletKey.toPublicKey().toDER() as number[]);
const COIN = 5_000_000_000;
/** A script that only a new output can be spent by, and one that only an old one can. */
const NEW_ONLY = '2MUL 10 NUMEQUAL';
const OLD_ONLY = '0 IF VERIF ENDIF 1';

let opened: TestNode;
afterEach(async () => {
  expect(await storedUtxoSet(opened.node.db)).toEqual(await rebuildUtxoSet(opened.node.db));
  await opened.remove();
});

/** Spends a coin with an unlocking script as written. */
function unlock(coin: Utxo, unlocking: string | Uint8Array, version = 1): Tx {
  const script = typeof unlocking === 'string' ? assemble(unlocking) : unlocking;
  return {
    version,
    inputs: [{ txid: coin.txid, vout: coin.vout, script, sequence: 0xffffffff }],
    outputs: [{ satoshis: satoshis(coin.satoshis - 1_000), script: wallet }],
    lockTime: 0,
  };
}

/** Pays scripts from the wallet. @returns the transaction and its outputs */
async function fund(...scripts: string[]): Promise<{ tx: Tx; coins: Utxo[] }> {
  const each = Math.floor((COIN - 10_000) / scripts.length);
  const coin = await coinOf(opened.node, walletKey);
  const tx = spend(
    [coin],
    walletKey,
    scripts.map((script) => ({ satoshis: each, script: assemble(script) })),
  );
  const txid = await accepted(opened.node, tx);
  return { tx, coins: scripts.map((_, vout) => outputCoin(tx, txid, vout)) };
}

/** What the node says of a transaction: `ok`, or code and reason without the interpreter's words. */
async function verdict(tx: Tx): Promise<string> {
  const result = await opened.node.submit(serializeTx(tx));
  return result.ok ? 'ok' : `${result.code} ${result.reason.replace(/ \(.*/, '')}`;
}

/** A payment from the wallet's P2PKH with a signature of any type. */
function signedAs(coin: Utxo, type: number): Tx {
  const tx = unlock(coin, new Uint8Array());
  const digest = sha256d(sighashPreimage(tx, 0, coin.lockingScript, coin.satoshis, type));
  const signature = ECDSA.sign(new BigNumber(Array.from(digest)), walletKey, true);
  const script = concatBytes(pushData(Uint8Array.of(...(signature.toDER() as number[]), type)), pushData(publicKey));
  return { ...tx, inputs: tx.inputs.map((input) => ({ ...input, script })) };
}

/** Hands a block of one's own to the node. @returns `ok` or the reason without the interpreter's words */
async function block(previousHash: string, ...transactions: Tx[]): Promise<{ hash: string; said: string }> {
  const { raw, hash } = await foreignBlock(opened.node, previousHash, {
    transactions: transactions.map((tx) => serializeTx(tx)),
  });
  const result = await opened.node.submitBlock(raw);
  return { hash, said: result.ok ? 'ok' : result.reason.replace(/ \(.*/, '') };
}

describe('a network under Chronicle from the first block', () => {
  it('accepts what Chronicle allows, and applies the malleability rules to version 1', async () => {
    opened = await openTestNode();
    const { coins } = await fund('3 NUMEQUAL', NEW_ONLY, 'DEPTH 2 NUMEQUAL', 'DEPTH 2 NUMEQUAL');
    const [computed, opcode, unclean, relaxed] = coins as [Utxo, Utxo, Utxo, Utxo];
    expect(await verdict(unlock(computed, '1 2 ADD'))).toBe('16 mandatory-script-verify-flag-failed');
    expect(await verdict(unlock(computed, '1 2 ADD', 2))).toBe('ok');
    expect(await verdict(unlock(opcode, '5'))).toBe('ok');
    // a block may hold it, the mempool does not
    const remains = unlock(unclean, '1 1');
    expect(await verdict(remains)).toBe('64 non-mandatory-script-verify-flag');
    expect(await verdict(unlock(relaxed, '1 1', 2))).toBe('ok');
    await opened.node.mine(1);
    expect((await block(opened.node.tip().hash, remains)).said).toBe('ok');
    for (const type of [0x61, 0x62, 0x63, 0xe1, 0xe2, 0xe3]) {
      expect(await verdict(signedAs(await coinOf(opened.node, walletKey), type))).toBe('ok');
    }
    await opened.node.mine(1);
    expect(opened.node.mempool.txids()).toEqual([]);
  });
});

describe('a network long before Chronicle', () => {
  it('refuses what only Chronicle allows', async () => {
    opened = await openTestNode({ chronicleHeight: 1_000 });
    const { coins } = await fund('3 NUMEQUAL', NEW_ONLY, OLD_ONLY);
    const [computed, opcode, old] = coins as [Utxo, Utxo, Utxo];
    const refused = '16 mandatory-script-verify-flag-failed';
    expect(await verdict(unlock(computed, '1 2 ADD', 2))).toBe(refused);
    expect(await verdict(unlock(opcode, '5'))).toBe(refused);
    expect(await verdict(unlock(old, new Uint8Array()))).toBe('ok');
    for (const type of [0x61, 0xe3]) {
      expect(await verdict(signedAs(await coinOf(opened.node, walletKey), type))).toBe(refused);
    }
    await opened.node.mine(1);
    expect((await block(opened.node.tip().hash, unlock(computed, '1 2 ADD', 2))).said).toBe('blk-bad-inputs');
    expect((await block(opened.node.tip().hash, unlock(computed, '3', 2))).said).toBe('ok');
  });
});

describe('the Chronicle activation', () => {
  it('lies between two blocks for rules that depend on the block', async () => {
    opened = await openTestNode({ chronicleHeight: 124 });
    const { node } = opened;
    const { coins } = await fund('3 NUMEQUAL', '3 NUMEQUAL');
    const [first, second] = coins as [Utxo, Utxo];
    await node.mine(1);
    const early = unlock(first, '1 2 ADD', 2);
    const signed = signedAs(await coinOf(node, walletKey), 0x61);
    // near the activation the node tells that the other rules would allow it
    for (const tx of [early, signed]) {
      expect(await verdict(tx)).toBe('64 flexible-mandatory-script-verify-flag-failed');
    }
    await node.mine(1);
    const { hash: last } = node.tip();
    expect((await block(last, early)).said).toBe('blk-bad-inputs');
    expect((await block(last, signed)).said).toBe('blk-bad-inputs');
    await node.mine(1);
    expect(node.tip().height).toBe(123);
    expect(await verdict(early)).toBe('ok');
    expect((await block(node.tip().hash, unlock(second, '1 2 ADD', 2), signed)).said).toBe('ok');
    expect(node.mempool.txids()).toEqual([txidOf(early)]);
  });

  it('lies between two outputs for rules that depend on the output', async () => {
    opened = await openTestNode({ chronicleHeight: 124 });
    const { node } = opened;
    const old = await fund(NEW_ONLY, OLD_ONLY);
    await node.mine(2);
    const between = await fund(NEW_ONLY, OLD_ONLY);
    // one that waits counts as mined with the block to come: height 123
    expect(await verdict(unlock(between.coins[0] as Utxo, '5'))).toBe('64 chronicle-script-verify-flag-failed');
    expect(await verdict(unlock(between.coins[1] as Utxo, new Uint8Array()))).toBe('ok');
    await node.mine(1);
    const young = await fund(NEW_ONLY, OLD_ONLY);
    expect(await verdict(unlock(young.coins[0] as Utxo, '5'))).toBe('ok');
    expect(await verdict(unlock(young.coins[1] as Utxo, new Uint8Array()))).toMatch(/^64 chronicle-script/);
    await node.mine(1);
    expect(await verdict(unlock(young.coins[1] as Utxo, new Uint8Array()))).toMatch(/^64 chronicle-script/);
    // old ones stay old
    expect(await verdict(unlock(old.coins[0] as Utxo, '5'))).toMatch(/^64 chronicle-script/);
    expect(await verdict(unlock(old.coins[1] as Utxo, new Uint8Array()))).toBe('ok');
    expect((await block(node.tip().hash, unlock(young.coins[1] as Utxo, new Uint8Array()))).said).toBe(
      'blk-bad-inputs',
    );
    // in one transaction each input has its own rules
    const { inputs } = unlock(between.coins[0] as Utxo, '5');
    const mixed = unlock(old.coins[0] as Utxo, '5');
    expect(await verdict({ ...mixed, inputs: [...mixed.inputs, ...inputs] })).toMatch(/^64 chronicle-script/);
  });

  it('drops mempool transactions that may not be mined after it, with their descendants', async () => {
    opened = await openTestNode({ chronicleHeight: 123 });
    const { node } = opened;
    await node.mine(1);
    const { tx, coins } = await fund(OLD_ONLY, '3 NUMEQUAL');
    const doomed = unlock(coins[0] as Utxo, new Uint8Array());
    const doomedId = await accepted(node, doomed);
    const child = spend([outputCoin(doomed, doomedId, 0)], walletKey, [{ satoshis: 10_000, script: wallet }]);
    const childId = await accepted(node, child);
    const removed: string[] = [];
    node.onRemoved(({ txid }) => removed.push(txid));
    expect((await block(node.tip().hash)).said).toBe('ok');
    expect(removed).toEqual([doomedId, childId]);
    expect(node.mempool.txids()).toEqual([txidOf(tx)]);
    await node.mine(1);
    expect((await opened.reopen()).mempool.txids()).toEqual([]);
  });
});

describe('a reorganisation across the Chronicle activation', () => {
  it('keeps transactions that the new branch allows, and drops them if the chain ends before it', async () => {
    opened = await openTestNode({ chronicleHeight: 123 });
    const { node } = opened;
    const { coins } = await fund('3 NUMEQUAL');
    await node.mine(2);
    const relaxed = unlock(coins[0] as Utxo, '1 2 ADD', 2);
    const relaxedId = await accepted(node, relaxed);
    await node.mine(1);
    await node.reorg(2);
    expect([node.tip().height, node.mempool.txids()]).toEqual([124, [relaxedId]]);
    const [mined = ''] = await node.mine(1);
    expect(await node.transaction(relaxedId)).toMatchObject({ blockHash: mined });
    // three blocks of the other branch are invalid with the one at 122
    const side = await foreignBlock(node, node.tip().hash);
    await node.submitBlock(side.raw);
    const at122 = await node.db.selectFrom('node_blocks').select('hash').where('height', '=', 122).executeTakeFirst();
    const rivals = await node.db.selectFrom('node_side_blocks').select('hash').where('height', '=', 122).execute();
    for (const { hash } of rivals) await node.invalidateBlock(hash);
    await node.invalidateBlock(at122?.hash ?? '');
    expect([node.tip().height, node.mempool.txids()]).toEqual([121, []]);
    await node.reconsiderBlock(at122?.hash ?? '');
    expect(node.tip().height).toBe(126);
    expect(await node.transaction(relaxedId)).toMatchObject({ blockHash: mined });
  });

  it('gives an output the rules of its current block', async () => {
    opened = await openTestNode({ chronicleHeight: 123 });
    const { node } = opened;
    await node.mine(1);
    const { hash: fork } = node.tip();
    const { tx, coins } = await fund(OLD_ONLY, NEW_ONLY);
    await node.mine(1);
    const old = unlock(coins[0] as Utxo, new Uint8Array());
    const oldId = await accepted(node, old);
    expect(await verdict(unlock(coins[1] as Utxo, '5'))).toMatch(/^64 chronicle-script/);
    const first = await block(fork);
    expect(node.mempool.txids()).toEqual([oldId]);
    const second = await block(first.hash, tx);
    expect([second.said, node.tip()]).toEqual(['ok', expect.objectContaining({ hash: second.hash, height: 123 })]);
    expect(node.mempool.txids()).toEqual([]);
    expect(await verdict(old)).toMatch(/^64 chronicle-script/);
    expect(await verdict(unlock(coins[1] as Utxo, '5'))).toBe('ok');
  });

  it('runs the scripts of side blocks by the rules of their own height, also for mempool transactions', async () => {
    opened = await openTestNode({ chronicleHeight: 123 });
    const { node } = opened;
    const { coins } = await fund('3 NUMEQUAL');
    await node.mine(1);
    const { hash: fork } = node.tip();
    await node.mine(1);
    const relaxed = unlock(coins[0] as Utxo, '1 2 ADD', 2);
    const relaxedId = await accepted(node, relaxed);
    // the branch holds at height 122 what waits for height 123
    const first = await block(fork, relaxed);
    const { hash: tip } = node.tip();
    await block(first.hash);
    expect(node.isInvalidBlock(first.hash)).toBe(true);
    expect(node.tip().hash).toBe(tip);
    expect([node.tip().height, node.mempool.txids()]).toEqual([122, [relaxedId]]);
  });
});

it('the node applies a changed activation height to the mempool when the network is opened', async () => {
  const options = { chronicleHeight: 0 };
  opened = await openTestNode(options);
  const { tx, coins } = await fund('3 NUMEQUAL');
  await accepted(opened.node, unlock(coins[0] as Utxo, '1 2 ADD', 2));
  options.chronicleHeight = 1_000;
  const node = await opened.reopen();
  expect(node.mempool.txids()).toEqual([txidOf(tx)]);
  await node.mine(1);
});
