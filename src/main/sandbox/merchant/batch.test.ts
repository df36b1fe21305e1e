import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  concatBytes,
  parseTx,
  satoshis,
  serializeTx,
  signP2pkhInputs,
  type Tx,
  toHex,
  txidOf,
} from '../../../chain/index.ts';
import { failed, ownScript, payloadOf, spend } from '../test-support/merchant.ts';
import { TestSandbox, walletKey } from '../test-support/open-sandbox.ts';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await TestSandbox.open();
});
afterAll(() => sandbox.remove());

/** One transaction with many outputs, waiting in the mempool, and one transaction for each of them. */
async function fanOut(own: TestSandbox, count: number): Promise<Uint8Array[]> {
  const value = 10_000;
  const coin = { ...(await own.coin(count * (value + 100) + 100_000)), lockingScript: ownScript };
  await own.service.mine({ blocks: 1 });
  const wide: Tx = {
    version: 1,
    inputs: [{ txid: coin.txid, vout: coin.vout, script: new Uint8Array(), sequence: 0xffffffff }],
    outputs: Array.from({ length: count }, () => ({ satoshis: satoshis(value), script: ownScript })),
    lockTime: 0,
  };
  const raw = serializeTx(signP2pkhInputs(wide, [{ ...coin, satoshis: satoshis(coin.satoshis) }], walletKey));
  const taken = await own.service.node.submit(raw);
  if (!taken.ok) throw new Error(taken.reason);
  return wide.outputs.map((_, vout) => spend({ txid: taken.txid, vout, satoshis: value }));
}

describe('a batch sent to the merchant API', () => {
  const batch = async (elements: unknown, query = '') =>
    payloadOf(await sandbox.mapi('POST', `/txs${query}`, elements));

  it('accepts transactions that build on each other in any order', async () => {
    const coin = await sandbox.coin();
    const chain = [spend(coin)];
    for (let i = 1; i < 20; i++) {
      const parent = chain[i - 1] as Uint8Array;
      chain.push(spend({ txid: txidOf(parent), vout: 0, satoshis: parseTx(parent).outputs[0]?.satoshis ?? 0 }));
    }
    const result = await batch([...chain].reverse().map((raw) => ({ rawTx: toHex(raw) })));
    expect(Object.keys(result)).toEqual([
      'apiVersion',
      'timestamp',
      'minerId',
      'currentHighestBlockHash',
      'currentHighestBlockHeight',
      'txSecondMempoolExpiry',
      'txs',
      'failureCount',
    ]);
    expect(result.failureCount).toBe(0);
    expect(result.txs).toHaveLength(20);
  });

  it('accepts ten thousand, some of which build on each other, in any order', async () => {
    const size = process.env.PLANCHET_LONG ? 10_000 : 1_000;
    const own = await TestSandbox.open({}, {});
    try {
      const fan = await fanOut(own, size / 2);
      const children = fan.map((raw) =>
        spend({ txid: txidOf(raw), vout: 0, satoshis: parseTx(raw).outputs[0]?.satoshis ?? 0 }),
      );
      const raws = [...children.reverse(), ...fan];
      const result = payloadOf(
        await own.mapi(
          'POST',
          '/txs',
          raws.map((raw) => ({ rawTx: toHex(raw) })),
        ),
      );
      expect(result.failureCount).toBe(0);
      expect(result.txs).toHaveLength(size);
      expect(own.service.node.mempool.size).toBe(size + 1);
      const again = payloadOf(await own.mapi('POST', '/txs', concatBytes(...raws)));
      expect(again.failureCount).toBe(size);
    } finally {
      await own.remove();
    }
  });

  it('reports each failure and their number', async () => {
    const raw = spend(await sandbox.coin());
    const result = await batch([{ rawTx: toHex(raw) }, { rawTx: toHex(raw) }, { rawTx: 'zz' }, 7]);
    expect(result.failureCount).toBe(3);
    expect(result.txs).toEqual([
      { txid: txidOf(raw), ...failed('Transaction with this id occurs more than once within request') },
      failed('Invalid characters in rawTx'),
      failed('RawTx is required'),
      { txid: txidOf(raw), returnResult: 'success', resultDescription: '' },
    ]);
  });

  it('accepts transactions as bytes, one after the other', async () => {
    const raws = [spend(await sandbox.coin()), spend(await sandbox.coin())];
    const result = await batch(concatBytes(...raws));
    expect(result.txs.map(({ txid }: { txid: string }) => txid)).toEqual(raws.map((raw) => txidOf(raw)));
    const cut = await sandbox.mapi('POST', '/txs', concatBytes(...raws).slice(0, -1));
    expect(cut.body).toMatchObject({ status: 400, title: 'Unable to parse incoming stream of transactions' });
  });

  it('accepts defaults for its elements under both names', async () => {
    const raw = { rawTx: toHex(spend(await sandbox.coin())) };
    for (const name of ['merkleFormat', 'defaultMerkleFormat']) {
      const result = await batch([raw, { ...raw, merkleFormat: 'TSC' }], `?${name}=X`);
      expect(result.txs[0]).toEqual(failed('Invalid merkle format X. Supported formats: TSC.'));
    }
  });
});
