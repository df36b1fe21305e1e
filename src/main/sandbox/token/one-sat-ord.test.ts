import { Inscription } from '@bopen-io/templates';
import { type HttpClientRequestOptions, LockingScript } from '@bsv/sdk';
import {
  createOrdinals,
  fetchNftUtxos,
  fetchPayUtxos,
  fetchTokenUtxos,
  oneSatBroadcaster,
  sendOrdinals,
  TokenType,
} from 'js-1sat-ord';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { fromHex, hash160, p2pkhScript, parseTx, readInscription, toHex } from '../../../chain/index.ts';
import { addressOf, CONTENT, otherKey, publicKeyOf, TestSandbox, walletKey } from '../test-support/open-sandbox.ts';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await TestSandbox.open();
});
afterAll(() => sandbox.remove());

const ownScript = p2pkhScript(hash160(publicKeyOf(walletKey)));
const base64 = (script: Uint8Array): string => Buffer.from(script).toString('base64');
/** Addresses of the main network are all the library makes; the scripts are the same on every network. */
const ownAddress = walletKey.toAddress();
const otherAddress = otherKey.toAddress();

async function coin() {
  return { ...(await sandbox.coin()), script: base64(ownScript) };
}

async function take(hex: string): Promise<void> {
  const { body } = await sandbox.mapi('POST', '/tx', { rawTx: hex });
  expect(JSON.parse(body.payload)).toMatchObject({ returnResult: 'success', resultDescription: '' });
}

describe('js-1sat-ord', () => {
  it('reads our inscriptions, and transfers them', async () => {
    const { tx, transactionUid } = await sandbox.prepareMint();
    const { txId } = (await sandbox.submit(transactionUid, tx)).body.data;
    const script = parseTx(fromHex(tx)).outputs[0]?.script as Uint8Array;
    const read = Inscription.decode(LockingScript.fromHex(toHex(script)));
    expect(read?.file.type).toBe('text/plain;charset=utf-8');
    expect(Buffer.from(read?.file.content ?? [])).toEqual(CONTENT);

    const sent = await sendOrdinals({
      paymentUtxos: [await coin()],
      ordinals: [{ txid: txId, vout: 0, satoshis: 1, script: base64(script) }],
      paymentPk: walletKey,
      ordPk: walletKey,
      destinations: [{ address: otherAddress }],
      changeAddress: ownAddress,
      satsPerKb: 500,
    });
    await take(sent.tx.toHex());
    const moved = await sandbox.service.node.utxo({ txid: sent.tx.id('hex'), vout: 0 }, true);
    expect(moved).toMatchObject({ satoshis: 1, lockingScript: p2pkhScript(hash160(publicKeyOf(otherKey))) });
  });

  it('fetches coins and tokens of an address, each token with its origin, and broadcasts', async () => {
    const { tx, transactionUid } = await sandbox.prepareMint();
    const { txId } = (await sandbox.submit(transactionUid, tx)).body.data;
    const script = parseTx(fromHex(tx)).outputs[0]?.script as Uint8Array;
    const { fetch } = globalThis;
    const here = (url: unknown) => String(url).replace('https://ordinals.gorillapool.io', `${sandbox.root}/ordinals`);
    vi.spyOn(globalThis, 'fetch').mockImplementation((url, init) => fetch(here(url), init));
    try {
      const address = addressOf(walletKey);
      const token = { txid: txId, vout: 0, satoshis: 1, script: base64(script), origin: `${txId}_0` };
      expect(await fetchNftUtxos(address, undefined, 100)).toContainEqual(token);
      expect(await fetchNftUtxos(address, 'f0'.repeat(32), 100)).toEqual([]);
      for (const kind of [TokenType.BSV20, TokenType.BSV21])
        expect(await fetchTokenUtxos(kind, kind === TokenType.BSV20 ? 'ORDI' : `${txId}_0`, address)).toEqual([]);
      const paid = await coin();
      expect(await fetchPayUtxos(address)).toContainEqual(paid);
      const sent = await sendOrdinals({
        paymentUtxos: [paid],
        ordinals: [token],
        paymentPk: walletKey,
        ordPk: walletKey,
        destinations: [{ address: otherAddress }],
        changeAddress: ownAddress,
        satsPerKb: 500,
      });
      const txid = sent.tx.id('hex');
      const httpClient = {
        request: async (url: string, { method, headers, data }: HttpClientRequestOptions) => {
          const answer = await fetch(here(url), { method, headers, body: JSON.stringify(data) } as RequestInit);
          return { ok: answer.ok, status: answer.status, statusText: answer.statusText, data: await answer.json() };
        },
      };
      const broadcaster = Object.assign(oneSatBroadcaster(), { httpClient });
      expect(await sent.tx.broadcast(broadcaster)).toMatchObject({ status: 'success', txid });
      expect(await sent.tx.broadcast(broadcaster)).toMatchObject({ status: 'success' });
      expect(await fetchNftUtxos(addressOf(otherKey))).toContainEqual(
        expect.objectContaining({ txid, vout: 0, origin: `${txId}_0` }),
      );
      expect(await fetchNftUtxos(address, undefined, 100)).not.toContainEqual(token);
    } finally {
      vi.restoreAllMocks();
    }
  });

  it('writes inscriptions that the sandbox accepts and we can read', async () => {
    const metaData = { app: 'example', type: 'ord' as const, name: 'Comet' };
    const { tx } = await createOrdinals({
      utxos: [await coin()],
      destinations: [
        {
          address: ownAddress,
          inscription: { dataB64: CONTENT.toString('base64'), contentType: 'text/plain' },
        },
      ],
      paymentPk: walletKey,
      changeAddress: ownAddress,
      satsPerKb: 500,
      metaData,
    });
    await take(tx.toHex());
    const script = fromHex(tx.outputs[0]?.lockingScript.toHex() ?? '');
    const read = readInscription(script);
    expect(read).toBeDefined();
    expect(Buffer.from(read?.content ?? [])).toEqual(CONTENT);
    expect(read).toMatchObject({ contentType: 'text/plain', map: metaData });
    expect(read?.pubKeyHash).toEqual(hash160(publicKeyOf(walletKey)));
    expect(addressOf(walletKey)).not.toBe(ownAddress);
  });
});
