import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fromHex, inscriptionScript, satoshis, serializeTx, toHex, txidOf } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import { systemClock } from '../../clock.ts';
import { type NodeRpc, NodeRpcError } from '../../ports/node.ts';
import type { Store } from '../../ports/store.ts';
import { openStore } from '../../store/store.ts';
import { type StudioTables, studioMigrations } from '../tables.ts';
import { OWN_HASH } from '../test-support/test-studio.ts';
import { allTokens } from './gallery.ts';

let dataDir: string;
let store: Store<StudioTables>;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'planchet-gallery-'));
  store = await openStore<StudioTables>({ file: join(dataDir, 'p.db'), migrations: studioMigrations });
});
afterEach(async () => {
  await store.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** A transaction that inscribes one token. */
function inscribed(name: string): { txid: string; hex: string; script: Uint8Array } {
  const script = inscriptionScript({
    pubKeyHash: OWN_HASH,
    contentType: 'text/plain',
    content: Buffer.from(name),
    map: { app: 'test', type: 'ord', name },
  });
  const tx = {
    version: 1,
    inputs: [{ txid: 'ab'.repeat(32), vout: 0, script: fromHex(''), sequence: 0xffffffff }],
    outputs: [{ satoshis: satoshis(1), script }],
    lockTime: 0,
  };
  return { txid: txidOf(tx), hex: toHex(serializeTx(tx)), script };
}

const first = inscribed('First');
const second = inscribed('Second');

/** Names of what the wallet holds, as a node lists it that answers by txid. */
async function namesWith(answer: (txid: string) => string): Promise<(string | null)[]> {
  const node: NodeRpc = {
    call: async <T>(_: string, [txid]: readonly unknown[] = []) => ({ hex: answer(txid as string) }) as T,
  };
  const outputs = [first, second].map(({ txid, script }) => ({
    utxo: { txid, vout: 0, satoshis: satoshis(1), lockingScript: script },
    height: 1,
    owner: undefined,
  }));
  const wallet = { nonFundingOutputs: () => outputs, status: () => ({ address: null }) };
  const cards = await allTokens({
    network: 'sandbox',
    store,
    wallet: wallet as unknown as Parameters<typeof allTokens>[0]['wallet'],
    node,
    clock: systemClock,
    logger: pino({ level: 'silent' }),
  });
  const named = new Map(cards.map(({ outpoint, read, name }) => [outpoint, read ? name : null]));
  return [first, second].map(({ txid }) => named.get(`${txid}_0`) ?? null);
}

const known = (txid: string): string => (txid === first.txid ? first : second).hex;

it('reads the other received tokens where the node does not know the transaction of one', async () => {
  const names = await namesWith((txid) => {
    if (txid === first.txid) throw new NodeRpcError(-5, 'No such transaction');
    return known(txid);
  });
  expect(names).toEqual([null, 'Second']);
});

it('reads received tokens at the next time where the node did not answer', async () => {
  const asked: string[] = [];
  const names = await namesWith((txid) => {
    asked.push(txid);
    throw new PlanchetError({ code: 'upstream-unreachable', message: 'No upstream answers.' });
  });
  expect(names).toEqual([null, null]);
  expect(asked).toHaveLength(1);
  expect(await namesWith(known)).toEqual(['First', 'Second']);
});
