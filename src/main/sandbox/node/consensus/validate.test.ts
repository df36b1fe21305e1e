import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  dataScript,
  pushData,
  requiredFee,
  satoshis,
  serializeTx,
  type Tx,
  txidOf,
  type Utxo,
} from '../../../../chain/index.ts';
import {
  faucetKey,
  lockingScriptOf,
  openTestNode,
  otherKey,
  type TestNode,
  walletKey,
} from '../test-support/open-node.ts';
import { accepted, coinOf, outputCoin, spend } from '../test-support/spend.ts';
import { policy } from './consensus.ts';
import { isFinal } from './validate.ts';

const other = lockingScriptOf(otherKey);
const wallet = lockingScriptOf(walletKey);
const COIN = 5_000_000_000;

let opened: TestNode;
let coin: Utxo;
let good: Tx;
beforeEach(async () => {
  opened = await openTestNode();
  coin = await coinOf(opened.node, walletKey);
  good = spend([coin], walletKey, [{ satoshis: COIN - 1_000, script: other }]);
});
afterEach(async () => {
  // whatever was refused, the transaction it was made from is still good
  expect(opened.node.mempool.txids()).toEqual([]);
  expect((await opened.node.submit(serializeTx(good))).ok).toBe(true);
  await opened.remove();
});

async function refusal(tx: Tx | Uint8Array): Promise<string> {
  const result = await opened.node.submit(tx instanceof Uint8Array ? tx : serializeTx(tx));
  return result.ok ? 'accepted' : `${result.code} ${result.reason}`;
}

/** Writes a value over the first output's amount. */
function withRawAmount(high: number): Uint8Array {
  const raw = serializeTx(good);
  const at = raw.length - 4 - (8 + 1 + other.length);
  new DataView(raw.buffer).setUint32(at + 4, high, true);
  return raw;
}

describe('the check of a transaction’s structure', () => {
  it('refuses bytes that are not a transaction', async () => {
    expect(await opened.node.submit(Uint8Array.of(1, 2, 3))).toEqual({
      ok: false,
      txid: null,
      code: 1,
      reason: 'tx-malformed',
    });
    expect(await refusal(new Uint8Array([...serializeTx(good), 0]))).toBe('1 tx-malformed');
    expect(await refusal(new Uint8Array(policy.maxTxBytes + 1))).toBe('64 tx-size');
  });

  it('refuses an output that pays to the hash of a script, as the network does since Genesis', async () => {
    const scriptHash = Uint8Array.of(0xa9, 20, ...new Uint8Array(20), 0x87);
    const [output] = good.outputs;
    if (output === undefined) throw new Error('there is no output');
    const paying = { ...good, outputs: [output, { satoshis: satoshis(1), script: scriptHash }] };
    expect(await refusal(paying)).toBe('16 bad-txns-vout-p2sh');
  });

  it('refuses a transaction without inputs or outputs', async () => {
    expect(await refusal({ ...good, inputs: [] })).toBe('16 bad-txns-vin-empty');
    expect(await refusal({ ...good, outputs: [] })).toBe('16 bad-txns-vout-empty');
  });

  it('refuses a coinbase, and an input that spends nothing among others', async () => {
    const nothing = { txid: '0'.repeat(64), vout: 0xffffffff, script: pushData(Uint8Array.of(1)), sequence: 0 };
    expect(await refusal({ ...good, inputs: [nothing] })).toBe('16 bad-tx-coinbase');
    expect(await refusal({ ...good, inputs: [...good.inputs, nothing] })).toBe('16 bad-txns-prevout-null');
  });

  it('refuses an output spent twice in one transaction', async () => {
    expect(await refusal(spend([coin, coin], walletKey, good.outputs))).toBe('16 bad-txns-inputs-duplicate');
  });

  it('refuses amounts beyond the maximum supply', async () => {
    expect(await refusal(withRawAmount(0x8000_0000))).toBe('16 bad-txns-vout-negative');
    expect(await refusal(withRawAmount(0x7fff_ffff))).toBe('16 bad-txns-vout-toolarge');
    expect(await refusal(withRawAmount(0x0008_0000))).toBe('16 bad-txns-vout-toolarge');
    const all = { satoshis: satoshis(2_100_000_000_000_000), script: other };
    expect(await refusal({ ...good, outputs: [all, all] })).toBe('16 bad-txns-txouttotal-toolarge');
  });

  it('refuses unsupported versions', async () => {
    expect(await refusal({ ...good, version: 0 })).toBe('64 version');
    expect(await refusal({ ...good, version: 3 })).toBe('64 version');
  });
});

describe('the check of a transaction’s money', () => {
  it('refuses missing inputs', async () => {
    const ghost = { ...coin, txid: 'ab'.repeat(32) };
    expect(await refusal(spend([ghost], walletKey, good.outputs))).toBe('16 missing-inputs');
    expect(await refusal(spend([{ ...coin, vout: 1 }], walletKey, good.outputs))).toBe('16 missing-inputs');
  });

  it('refuses outputs that exceed the inputs', async () => {
    expect(await refusal(spend([coin], walletKey, [{ satoshis: COIN + 1, script: other }]))).toBe(
      '16 bad-txns-in-belowout',
    );
  });

  it('refuses a fee one satoshi below the relay fee, with data rounded separately', async () => {
    const outputs = (fee: number) => [
      { satoshis: COIN - fee, script: other },
      { satoshis: 0, script: dataScript([new Uint8Array(3_001)]) },
    ];
    const least = requiredFee(spend([coin], walletKey, outputs(1_000)), {
      standard: policy.relayFee,
      data: policy.relayFee,
    });
    expect(await refusal(spend([coin], walletKey, outputs(least - 1)))).toBe('66 mempool min fee not met');
    expect(await opened.node.submit(serializeTx(spend([coin], walletKey, outputs(0))), { maxFee: 10 })).toMatchObject({
      code: 66,
    });
    const second = await coinOf(opened.node, walletKey, 1);
    const enough = spend([second], walletKey, outputs(least));
    await accepted(opened.node, enough);
    await opened.node.mine(1);
  });

  it('refuses an absurd fee if the caller sets a maximum, and requires none if told so', async () => {
    expect(await opened.node.submit(serializeTx(good), { maxFee: 999 })).toMatchObject({
      code: 256,
      reason: 'absurdly-high-fee',
    });
    const second = await coinOf(opened.node, walletKey, 1);
    const free = spend([second], walletKey, [{ satoshis: COIN, script: other }]);
    expect(await opened.node.submit(serializeTx(free), { checkFee: false })).toMatchObject({ ok: true });
    await opened.node.mine(1);
  });

  it('refuses spendable outputs of zero satoshis, but accepts data outputs of zero and tokens of one satoshi', async () => {
    expect(await refusal(spend([coin], walletKey, [{ satoshis: 0, script: other }]))).toBe('64 dust');
    const second = await coinOf(opened.node, walletKey, 1);
    await accepted(
      opened.node,
      spend([second], walletKey, [
        { satoshis: 1, script: other },
        { satoshis: 0, script: dataScript([Uint8Array.of(7)]) },
        { satoshis: COIN - 5_000, script: other },
      ]),
    );
    await opened.node.mine(1);
  });

  it('refuses an immature coinbase, and accepts it one block later', async () => {
    const row = await opened.node.db
      .selectFrom('node_transactions')
      .select('txid')
      .where('height', '=', 22)
      .executeTakeFirstOrThrow();
    const young: Utxo = {
      txid: row.txid,
      vout: 0,
      satoshis: satoshis(COIN),
      lockingScript: lockingScriptOf(faucetKey),
    };
    const tx = spend([young], faucetKey, [{ satoshis: COIN - 1_000, script: other }]);
    expect(await refusal(tx)).toBe('16 bad-txns-premature-spend-of-coinbase');
    await opened.node.mine(1);
    await accepted(opened.node, tx);
    await opened.node.mine(1);
  });
});

describe('the check of a transaction’s scripts', () => {
  it('refuses a signature of another key, one over other outputs, and one over another value', async () => {
    const signedByOther = spend([{ ...coin, lockingScript: other }], otherKey, good.outputs);
    const changed: Tx = { ...good, outputs: [{ satoshis: satoshis(COIN - 2_000), script: other }] };
    const otherValue = spend([{ ...coin, satoshis: satoshis(COIN - 1) }], walletKey, good.outputs);
    for (const tx of [signedByOther, changed, otherValue]) {
      expect(await refusal(tx)).toMatch(/^16 mandatory-script-verify-flag-failed \(.+\)$/);
    }
  });

  it('spends an output of a waiting transaction with the right key only', async () => {
    const parentId = await accepted(opened.node, good);
    const out = outputCoin(good, parentId, 0);
    const stolen = spend([{ ...out, lockingScript: lockingScriptOf(walletKey) }], walletKey, [
      { satoshis: COIN - 2_000, script: other },
    ]);
    expect(await refusal(stolen)).toMatch(/^16 mandatory-script/);
    const child = spend([out], otherKey, [{ satoshis: COIN - 2_000, script: other }]);
    expect(await accepted(opened.node, child)).toBe(txidOf(child));
    await opened.node.mine(1);
  });
});

describe('the check of a transaction’s finality', () => {
  const waiting = (lockTime: number, sequence: number): Tx => ({
    version: 1,
    inputs: [{ txid: 'ab'.repeat(32), vout: 0, script: new Uint8Array(), sequence }],
    outputs: [],
    lockTime,
  });

  it('treats lock times below 500,000,000 as heights, others as median time in seconds', () => {
    expect(isFinal(waiting(100, 0), 100, 0)).toBe(false);
    expect(isFinal(waiting(100, 0), 101, 0)).toBe(true);
    expect(isFinal(waiting(1_600_000_000, 0), 2_000_000_000, 1_600_000_000)).toBe(false);
    expect(isFinal(waiting(1_600_000_000, 0), 1, 1_600_000_001)).toBe(true);
    expect(isFinal(waiting(100, 0xffffffff), 1, 0)).toBe(true);
    expect(isFinal(waiting(0, 0), 1, 0)).toBe(true);
  });

  const locked = (lockTime: number, sequence: number, parts: Partial<Tx> = {}): Tx =>
    spend([coin], walletKey, parts.outputs ?? good.outputs, {
      lockTime,
      inputs: [{ txid: coin.txid, vout: coin.vout, script: new Uint8Array(), sequence }],
    });

  it('holds a non-final transaction separately, also after a restart, and promotes it at its lock time', async () => {
    good = locked(121, 0);
    const early = serializeTx(good);
    const txid = txidOf(early);
    expect(await opened.node.submit(early)).toEqual({ ok: true, txid, nonFinal: true });
    expect(await opened.node.submit(early)).toEqual({ ok: true, txid, known: true });
    await opened.reopen();
    expect([...opened.node.nonFinal.entries()].map((entry) => entry.txid)).toEqual([txid]);
    expect(opened.node.mempool.txids()).toEqual([]);
    expect(await opened.node.transaction(txid)).toMatchObject({ blockHash: null });
    expect(await opened.node.utxo(coin, true)).toBeDefined();
    await opened.node.mine(1);
    expect(opened.node.nonFinal.size).toBe(0);
    expect(opened.node.mempool.txids()).toEqual([txid]);
    await opened.node.mine(1);
    expect(await opened.node.transaction(txid)).toMatchObject({ blockHeight: 122 });
  });

  it('replaces a non-final transaction by one with higher sequences, and finalises it with the maximum sequence', async () => {
    const { node } = opened;
    const held = locked(2_000_000_000, 5);
    const heldId = await accepted(node, held);
    const lower = locked(2_000_000_000, 4);
    expect(await refusal(lower)).toBe('16 bad-txn-update');
    const higher = locked(2_000_000_000, 6);
    const higherId = await accepted(node, higher);
    expect(node.nonFinal.has(heldId)).toBe(false);
    const onTop = spend([outputCoin(higher, higherId, 0)], otherKey, [{ satoshis: COIN - 5_000, script: wallet }]);
    expect(await refusal(onTop)).toBe('16 missing-inputs');
    const final = locked(2_000_000_000, 0xffffffff);
    const finalId = await accepted(node, final);
    expect([node.nonFinal.size, node.mempool.txids()]).toEqual([0, [finalId]]);
    good = final;
    await node.mine(1);
  });

  it('does not let a final transaction with additional inputs replace a non-final one', async () => {
    const { node } = opened;
    const heldId = await accepted(node, locked(2_000_000_000, 5));
    const second = await coinOf(node, walletKey, 1);
    const rival = spend([coin, second], walletKey, [{ satoshis: 2 * COIN - 5_000, script: wallet }]);
    expect(await node.submit(serializeTx(rival))).toMatchObject({
      code: 258,
      reason: 'txn-mempool-conflict',
      conflictedWith: [{ txid: heldId }],
    });
  });
});
