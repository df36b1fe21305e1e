import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fromHex, inscriptionScript, satoshis, serializeTx, toHex, txidOf } from '../../../chain/index.ts';
import { PlanchetError, type TokenQuery } from '../../../contract/index.ts';
import { createNodeChainData } from '../../chain-data/node/node-chain-data.ts';
import { systemClock } from '../../clock.ts';
import { type NodeRpc, NodeRpcError } from '../../ports/node.ts';
import type { Store } from '../../ports/store.ts';
import { openStore } from '../../store/store.ts';
import { type StudioTables, studioMigrations } from '../tables.ts';
import { OWN_HASH } from '../test-support/file-wallet.ts';
import { type GalleryOptions, kept, tokenReader } from './gallery.ts';
import { createTokens } from './tokens.ts';

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

type Held = Pick<ReturnType<GalleryOptions['wallet']['nonFundingOutputs']>[number], 'utxo' | 'height' | 'owner'>[];

function optionsOf(outputs: Held, node: NodeRpc): GalleryOptions {
  const wallet = { nonFundingOutputs: () => outputs, status: () => ({ address: null }) };
  return {
    network: 'sandbox',
    store,
    wallet: wallet as unknown as GalleryOptions['wallet'],
    chainData: createNodeChainData(node),
    clock: systemClock,
    logger: pino({ level: 'silent' }),
  };
}

/** Names of what the wallet holds, as a node lists it that answers by txid. */
async function namesWith(answer: (txid: string) => string): Promise<(string | null)[]> {
  const node: NodeRpc = {
    call: async <T>(_: string, [txid]: readonly unknown[] = []) => answer(txid as string) as T,
  };
  const outputs = [first, second].map(({ txid, script }) => ({
    utxo: { txid, vout: 0, satoshis: satoshis(1), lockingScript: script },
    height: 1,
    owner: undefined,
  }));
  const cards = await tokenReader(optionsOf(outputs, node))();
  const named = new Map(cards.map(({ outpoint, read, name }) => [outpoint, read ? name : null]));
  return [first, second].map(({ txid }) => named.get(`${txid}_0`) ?? null);
}

const known = (txid: string): string => (txid === first.txid ? first : second).hex;

it('the gallery reads the other received tokens where the node does not know the transaction of one', async () => {
  const names = await namesWith((txid) => {
    if (txid === first.txid) throw new NodeRpcError(-5, 'No such transaction');
    return known(txid);
  });
  expect(names).toEqual([null, 'Second']);
});

it('the gallery reads received tokens at the next call if the node did not answer', async () => {
  const asked: string[] = [];
  const names = await namesWith((txid) => {
    asked.push(txid);
    throw new PlanchetError({ code: 'upstream-unreachable', message: 'No upstream answers.' });
  });
  expect(names).toEqual([null, null]);
  expect(asked).toHaveLength(1);
  expect(await namesWith(known)).toEqual(['First', 'Second']);
});

it('the gallery lists, counts and filters 10,000 tokens, those that left the wallet last', async () => {
  const COUNT = 10_000;
  const txid = '12'.repeat(32);
  await store.db
    .insertInto('studio_files')
    .values({ sha256: 'ab', name: 'a.png', content_type: 'image/png', bytes: 1, created_at: 0 })
    .execute();
  const items = Array.from({ length: COUNT }, (_, n) => ({
    id: `item ${n}`,
    network: 'sandbox',
    project_uid: 'p1',
    position: n,
    sub_type: n === 0 ? 'collection' : 'collectionItem',
    sha256: 'ab',
    file_name: `${n}.png`,
    content_type: 'image/png',
    bytes: 1,
    metadata: JSON.stringify({
      name: `Öre ${n}`,
      description: '',
      ...(n === 0 ? {} : { mintNumber: n }),
      traits: n === 0 ? [] : [{ name: 'Metal', value: n % 4 === 0 ? 'Gold' : 'Iron' }],
    }),
    state: 'proven',
    upload_intent: 0,
    txid,
    vout: n,
    created_at: n,
  }));
  for (let at = 0; at < COUNT; at += 500) {
    await store.db
      .insertInto('studio_items')
      .values(items.slice(at, at + 500) as never)
      .execute();
  }
  // The newest ten were sent away, and one more was received.
  const { script } = first;
  const outputs = Array.from({ length: COUNT - 10 }, (_, vout) => ({
    utxo: { txid, vout, satoshis: satoshis(1), lockingScript: script },
    height: 1,
    owner: undefined,
  }));
  outputs.push({ ...outputs[0], utxo: { ...outputs[0]?.utxo, txid: first.txid } } as (typeof outputs)[number]);
  const node: NodeRpc = { call: async <T>() => first.hex as T };
  const gallery = createTokens({
    ...optionsOf(outputs, node),
    tracker: { proofOf: async () => undefined },
    headers: { tip: null, isActive: () => false, refresh: async () => undefined },
    project: () => Promise.reject(new Error('no project is asked for')),
    pictures: {
      certificate: () => Promise.reject(new Error('no certificate is asked for')),
      resized: () => Promise.reject(new Error('no picture is asked for')),
    },
  });
  const list = async (query: Partial<TokenQuery>) => {
    const { tokens, total } = await gallery.list({ offset: 0, limit: 3, sort: 'time', reversed: false, ...query });
    return [total, ...tokens.map(({ name }) => name)];
  };
  expect(await list({})).toEqual([COUNT + 1, 'First', `Öre ${COUNT - 11}`, `Öre ${COUNT - 12}`]);
  expect(await list({ offset: COUNT - 11, limit: 4 })).toEqual([COUNT + 1, 'Öre 1', 'Öre 0', 'Öre 9999', 'Öre 9998']);
  expect(await list({ offset: COUNT + 5 })).toEqual([COUNT + 1]);
  expect(await list({ owned: false, limit: 1 })).toEqual([10, 'Öre 9999']);
  expect(await list({ source: 'received' })).toEqual([1, 'First']);
  expect(await list({ projectUid: 'p1', limit: 1 })).toEqual([COUNT, `Öre ${COUNT - 11}`]);
  expect(await list({ traits: [{ name: 'Metal', value: 'Gold' }], limit: 1 })).toEqual([2_499, 'Öre 9988']);
  expect(await list({ traits: [{ name: 'Metal' }], limit: 1 })).toEqual([COUNT - 1, 'Öre 9989']);
  expect(await list({ text: 'ÖRE 1234' })).toEqual([1, 'Öre 1234']);
  expect(await list({ text: 'gold öre 996' })).toEqual([13, 'Öre 9968', 'Öre 9964', 'Öre 9960']);
  // A few digits of an id are in nearly every id.
  const twelves = items.filter((_, n) => n > 0 && n % 4 === 0 && `${n}`.includes('12'));
  expect((await list({ text: 'gold 12' }))[0]).toBe(twelves.length);
  expect(await list({ text: `${txid}_1234` })).toEqual([1, 'Öre 1234']);
  const { token } = await gallery.get({ outpoint: `${txid}_7` });
  expect(token).toMatchObject({ name: 'Öre 7', owned: true, collectionId: `${txid}_0`, blockHeight: null });
  expect(await gallery.facets({})).toEqual({
    minted: COUNT,
    received: 1,
    elsewhere: 10,
    projects: [{ uid: 'p1', name: 'p1', count: COUNT }],
    traits: [
      { name: 'Metal', value: 'Iron', count: 7_500 },
      { name: 'Metal', value: 'Gold', count: 2_499 },
    ],
  });
  // Tokens that left the wallet come last in every order, and tokens without a value after those with one.
  expect(await list({ sort: 'name' })).toEqual([COUNT + 1, 'First', 'Öre 0', 'Öre 1']);
  expect(await list({ sort: 'name', reversed: true, limit: 2 })).toEqual([COUNT + 1, `Öre ${COUNT - 11}`, 'Öre 9988']);
  expect(await list({ sort: 'number', limit: 2 })).toEqual([COUNT + 1, 'Öre 1', 'Öre 2']);
  expect(await list({ sort: 'number', reversed: true, limit: 1 })).toEqual([COUNT + 1, `Öre ${COUNT - 11}`]);
  expect(await list({ sort: 'number', offset: COUNT - 11 })).toEqual([COUNT + 1, 'First', 'Öre 0', 'Öre 9990']);
  expect(await list({ sort: 'time', reversed: true, limit: 2 })).toEqual([COUNT + 1, 'Öre 0', 'Öre 1']);
  const filter = { sort: 'number', reversed: false, traits: [{ name: 'Metal', value: 'Gold' }] } as const;
  const { outpoints } = await gallery.outpoints({ ...filter, traits: [...filter.traits] });
  expect([outpoints.length, ...outpoints.slice(0, 2)]).toEqual([2_497, `${txid}_4`, `${txid}_8`]);
  expect(await gallery.facets({ projectUid: 'p2' })).toMatchObject({ minted: COUNT, traits: [] });
});

it('the gallery reads the tokens again only after a row or an output changed', async () => {
  const node: NodeRpc = { call: async <T>() => first.hex as T };
  const output = {
    utxo: { txid: first.txid, vout: 0, satoshis: satoshis(1), lockingScript: first.script },
    height: null as number | null,
    owner: undefined,
  };
  let outputs = [output];
  const wallet = { nonFundingOutputs: () => outputs, status: () => ({ address: null }) };
  const read = tokenReader({ ...optionsOf([], node), wallet: wallet as unknown as GalleryOptions['wallet'] });
  const cards = await read();
  expect(cards).toMatchObject([{ name: 'First', read: true, blockHeight: null }]);
  expect(await read()).toBe(cards);
  outputs = [{ ...output, height: 7 }];
  expect(await read()).toMatchObject([{ name: 'First', blockHeight: 7 }]);
  await store.db.updateTable('studio_read_tokens').set({ metadata: '{"name":"Renamed"}' }).execute();
  expect(await read()).toMatchObject([{ name: 'Renamed', blockHeight: 7 }]);
});

it('the gallery caches what it made of the rows until one changes, but not a failure', async () => {
  let made = 0;
  const options = optionsOf([], { call: () => Promise.reject(new Error('not asked')) });
  const count = kept(options, async () => {
    made++;
    if (made === 2) throw new Error('the disk did not answer');
    return made;
  });
  const file = { sha256: 'ab', name: 'a.png', content_type: 'image/png', bytes: 1, created_at: 0 };
  expect([await count(), await count()]).toEqual([1, 1]);
  await store.db.insertInto('studio_files').values(file).execute();
  await expect(count()).rejects.toThrow('the disk did not answer');
  expect([await count(), await count()]).toEqual([3, 3]);
});
