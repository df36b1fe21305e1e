import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  p2pkhScript,
  satoshis,
  serializeTx,
  signP2pkhInputs,
  type Tx,
  toHex,
  txidOf,
  type Utxo,
} from '../../../chain/index.ts';
import { lockingScriptOf } from '../node/test-support/open-node.ts';
import { TestSandbox, walletKey } from '../test-support/open-sandbox.ts';

const own = lockingScriptOf(walletKey);
let sandbox: TestSandbox;
let coins: Utxo[];

beforeEach(async () => {
  sandbox = await TestSandbox.open({}, {}, { maxBytes: 1_000, maxAncestors: 3 });
  coins = await sandbox.service.node.spendable(own);
});
afterEach(() => sandbox.remove());

/** A payment with as many outputs, the first of which goes on to be spent. */
function pay(coin: Utxo, fee: number, outputs = 1): { tx: Tx; rawTx: string; txid: string; coin: Utxo } {
  const value = satoshis(coin.satoshis - fee - (outputs - 1));
  const unsigned: Tx = {
    version: 1,
    inputs: [{ txid: coin.txid, vout: coin.vout, script: new Uint8Array(), sequence: 0xffffffff }],
    outputs: Array.from({ length: outputs }, (_, n) => ({
      satoshis: n === 0 ? value : satoshis(1),
      script: n === 0 ? own : p2pkhScript(new Uint8Array(20)),
    })),
    lockTime: 0,
  };
  const tx = signP2pkhInputs(unsigned, [coin], walletKey);
  const raw = serializeTx(tx);
  const txid = txidOf(raw);
  return { tx, rawTx: toHex(raw), txid, coin: { txid, vout: 0, satoshis: value, lockingScript: own } };
}

async function submit(rawTx: string): Promise<{ returnResult: string; resultDescription: string }> {
  return JSON.parse((await sandbox.mapi('POST', '/tx', { rawTx })).body.payload);
}

describe('a full mempool at the merchant API', () => {
  it('answers the lowest payer with "evicted", and accepts it once a block has made room', async () => {
    const rich = pay(coins[0] as Utxo, 20_000, 20);
    expect(await submit(rich.rawTx)).toMatchObject({ returnResult: 'success' });
    const poor = pay(coins[1] as Utxo, 300, 10);
    expect(await submit(poor.rawTx)).toMatchObject({ returnResult: 'failure', resultDescription: 'evicted' });
    expect(sandbox.service.node.mempool.txids()).toEqual([rich.txid]);
    sandbox.set({ mapiVersion: '1.5.0' });
    expect(await submit(poor.rawTx)).toMatchObject({
      returnResult: 'failure',
      resultDescription: 'Mempool error, retry again later. (details: 66 mempool full)',
      failureRetryable: true,
    });
    await sandbox.service.mine({ blocks: 1 });
    expect(await submit(poor.rawTx)).toMatchObject({ returnResult: 'success' });
  });

  it('keeps a cheap parent whose child pays for both, and evicts transactions that pay less than the two together', async () => {
    const parent = pay(coins[0] as Utxo, 100);
    const child = pay(parent.coin, 10_000);
    const middling = pay(coins[1] as Utxo, 400, 9);
    for (const { rawTx } of [parent, child, middling]) {
      expect(await submit(rawTx)).toMatchObject({ returnResult: 'success' });
    }
    const rich = pay(coins[2] as Utxo, 9_000, 4);
    expect(await submit(rich.rawTx)).toMatchObject({ returnResult: 'success' });
    expect(sandbox.service.node.mempool.txids()).toEqual([parent.txid, child.txid, rich.txid]);
  });

  it('reports its limits in the quote', async () => {
    const { policies } = JSON.parse((await sandbox.mapi('GET', '/policyQuote')).body.payload);
    expect(policies).toMatchObject({
      limitancestorcount: 3,
      limitcpfpgroupmemberscount: 25,
      maxscriptnumlengthpolicy: 32_000_000,
      maxstackmemoryusagepolicy: 66_000_000,
      maxstdtxvalidationduration: 5_000,
    });
    let last = pay(coins[0] as Utxo, 5_000);
    for (let built = 0; built < policies.limitancestorcount; built++) {
      expect(await submit(last.rawTx)).toMatchObject({ returnResult: 'success' });
      last = pay(last.coin, 5_000);
    }
    expect(await submit(last.rawTx)).toMatchObject({ resultDescription: '64 too-long-mempool-chain' });
  });
});
