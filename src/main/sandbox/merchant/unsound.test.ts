import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { concatBytes, MAX_SATOSHIS, parseTx, satoshis, serializeTx, toHex, txidOf } from '../../../chain/index.ts';
import { failed, payloadOf, spend } from '../test-support/merchant.ts';
import { TestSandbox } from '../test-support/open-sandbox.ts';
import { readUnsound } from './unsound.ts';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await TestSandbox.open();
});
afterAll(() => sandbox.remove());

/** The same transaction with another amount in its only output, written as a signed 64-bit number. */
function withAmount(raw: Uint8Array, amount: bigint): Uint8Array {
  const { outputs } = parseTx(raw);
  const changed = Buffer.from(raw);
  // amount, length and script of the output, then the lock time
  changed.writeBigInt64LE(amount, raw.length - 4 - 1 - (outputs[0]?.script.length ?? 0) - 8);
  return Uint8Array.from(changed);
}

const asText = (raws: readonly Uint8Array[]) => raws.map((raw) => ({ rawTx: toHex(raw) }));
/** Hands in a batch in both forms; the second time what was taken is known, so only failures must be the same. */
async function inBothForms(raws: readonly Uint8Array[]): Promise<{ txid: string }[][]> {
  const bodies = [concatBytes(...raws), asText(raws)];
  const answers = [];
  for (const body of bodies) answers.push(payloadOf(await sandbox.mapi('POST', '/txs', body)).txs);
  return answers;
}

describe('a batch of dependent transactions', () => {
  it('is refused for negative amounts, including transactions that spend them', async () => {
    const parent = withAmount(spend(await sandbox.coin()), -1n);
    const child = spend({ txid: txidOf(parent), vout: 0, satoshis: 1_000 });
    for (const txs of await inBothForms([child, parent])) {
      expect(txs).toEqual([
        { txid: txidOf(child), ...failed('Negative inputs are not allowed') },
        { txid: txidOf(parent), ...failed('16 bad-txns-vout-negative') },
      ]);
    }
    expect(sandbox.service.node.mempool.has(txidOf(child))).toBe(false);
  });

  it('is refused for oversized amounts, including all descendants', async () => {
    const parent = withAmount(spend(await sandbox.coin()), BigInt(MAX_SATOSHIS) + 1n);
    const child = spend({ txid: txidOf(parent), vout: 0, satoshis: 1_000 });
    const grandchild = spend({ txid: txidOf(child), vout: 0, satoshis: 800 });
    for (const txs of await inBothForms([parent, child, grandchild])) {
      expect(txs).toEqual([
        { txid: txidOf(parent), ...failed('16 bad-txns-vout-toolarge') },
        { txid: txidOf(child), ...failed('tx rejected: missing inputs') },
        { txid: txidOf(grandchild), ...failed('tx rejected: missing inputs') },
      ]);
    }
  });

  it('refuses a child that spends a missing output, and accepts the parent', async () => {
    const parent = spend(await sandbox.coin());
    const child = spend({ txid: txidOf(parent), vout: 0, satoshis: 1_000 }, 200, 7);
    const [first, second] = await inBothForms([child, parent]);
    const refusal = { txid: txidOf(child), ...failed('Error fetching inputs') };
    expect(first).toEqual([refusal, { txid: txidOf(parent), returnResult: 'success', resultDescription: '' }]);
    expect(second).toEqual([refusal, { txid: txidOf(parent), ...failed('Transaction already in the mempool') }]);
  });
});

it('the merchant API reports invalid amounts of a single transaction, in both formats', async () => {
  const raw = withAmount(spend(await sandbox.coin()), -(2n ** 63n));
  for (const body of [raw, { rawTx: toHex(raw) }]) {
    expect(payloadOf(await sandbox.mapi('POST', '/tx', body))).toMatchObject({
      txid: txidOf(raw),
      ...failed('16 bad-txns-vout-negative'),
    });
  }
  const longer = concatBytes(raw, Uint8Array.of(0));
  for (const body of [longer, { rawTx: toHex(longer) }]) {
    expect(payloadOf(await sandbox.mapi('POST', '/tx', body))).toMatchObject(failed('Can not parse transaction'));
  }
});

it('the merchant API reports if the node cannot read the spent outputs, and accepts the transaction afterwards', async () => {
  const own = await TestSandbox.open({ mapiVersion: '1.5.0' });
  try {
    const coin = await own.coin();
    await own.service.mine({ blocks: 1 });
    const raw = spend(coin);
    const { db } = own.service.node;
    const bodies: [string, unknown][] = [
      ['/tx', raw],
      ['/tx', { rawTx: toHex(raw) }],
      ['/txs', raw],
      ['/txs', asText([raw])],
    ];
    await sql`alter table node_utxos rename to node_utxos_gone`.execute(db);
    for (const [path, body] of bodies) {
      const payload = payloadOf(await own.mapi('POST', path, body));
      expect(payload.txs?.[0] ?? payload).toMatchObject({
        txid: txidOf(raw),
        ...failed('Error fetching inputs'),
        failureRetryable: true,
      });
    }
    await sql`alter table node_utxos_gone rename to node_utxos`.execute(db);
    expect(payloadOf(await own.mapi('POST', '/tx', raw))).toMatchObject({ returnResult: 'success' });
  } finally {
    await own.remove();
  }
});

describe('readUnsound', () => {
  const script = fc.uint8Array({ maxLength: 80 });
  const input = fc.record({ txid: fc.constant('ab'.repeat(32)), vout: fc.nat(), script, sequence: fc.nat() });
  const inputs = fc.array(input, { maxLength: 4 });

  it('reads any amounts, and leaves transactions with valid ones to the codec', () => {
    fc.assert(
      fc.property(inputs, script, fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (ins, lock, amount) => {
        const tx = { version: 1, inputs: ins, outputs: [{ satoshis: satoshis(0), script: lock }], lockTime: 0 };
        const raw = withAmount(serializeTx(tx), amount);
        const read = readUnsound(concatBytes(raw, Uint8Array.of(1, 2, 3)));
        if (amount >= 0n && amount <= BigInt(MAX_SATOSHIS)) expect(read).toBeUndefined();
        else expect(read).toEqual({ raw, txid: txidOf(raw), amounts: [amount] });
      }),
    );
  });

  it('returns undefined for other malformed bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const read = readUnsound(bytes);
        if (read !== undefined) expect(bytes.subarray(0, read.raw.length)).toEqual(read.raw);
      }),
    );
  });
});
