import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Item, SearchAnswer } from '../../contract/index.ts';
import {
  addItem,
  closeTestHost,
  filledDataDir,
  mintProven,
  openTestHost,
  type TestHost,
  until,
  walletPaid,
} from '../test-support/hosts/open-host.ts';

let opened: TestHost;
let address: string;
let projectUid: string;
let draft: string;
let mint: string;
let txid: string;
let document: string;
beforeAll(async () => {
  opened = await openTestHost({ dataDir: await filledDataDir(), scope: 'all' });
  const { client } = opened;
  await walletPaid(client);
  address = (await client.wallet.status()).address as string;
  projectUid = (await client.projects.create({ name: 'Moons of Jupiter', type: 'collection' })).uid;
  const cover = await addItem(client, projectUid, { name: 'cover.txt', bytes: Buffer.from('all moons') });
  draft = await addItem(client, projectUid, { name: 'europa.txt', bytes: Buffer.from('a moon') });
  ({ id: mint, txid } = await mintProven(client, cover, address));
  document = (await client.writer.write({ body: '{"n":1}', tag: 'invoice/2026', wait: 'submitted', waitMs: 15_000 }))
    .id;
  await client.wallet.history.label({ txid, label: 'First light' });
  await client.tx.label({ txid, label: 'Evening star' });
  await client.wallet.addresses.label({ address, label: 'Rent account' });
  await client.gateway.keys.create({ name: 'Explorer bot' });
});
afterAll(() => closeTestHost(opened));

const find = (text: string): Promise<SearchAnswer> => opened.client.search.find({ text });
const found = async (text: string) => (await find(text)).hits.map(({ kind, id }) => `${kind} ${id}`);

it('the search finds blocks by height and hash', async () => {
  const { hash } = await opened.client.explorer.blockAt({ height: 101 });
  expect(await found('101')).toContain(`block ${hash}`);
  expect(await found(hash.toUpperCase())).toEqual([`block ${hash}`]);
});

it('the search shows the blocks of the chain, what waits for one, and what an address received', async () => {
  const { explorer, transactions } = opened.client;
  const { blockHash, blockHeight } = await transactions.get({ txid });
  const height = blockHeight as number;
  const row = await explorer.blockAt({ height });
  expect(row).toMatchObject({ hash: blockHash, fees: expect.any(Number), size: expect.any(Number) });
  expect(row.fees).toBeGreaterThan(0);
  const block = await explorer.block({ hash: row.hash, search: txid });
  expect(block.confirmations).toBe((await explorer.height()) - height + 1);
  expect(block.rows).toEqual([{ position: 1, txid }]);
  const [figures] = await explorer.described({ txids: [txid] });
  // the only one of its block beside the coinbase
  expect(figures).toMatchObject({ txid, tokens: 1, outputs: 2, fee: row.fees });
  expect(await explorer.proof({ txid, blockHash: row.hash })).toMatchObject({ index: 1 });
  expect((await explorer.mempool()).map((one) => one.txid)).not.toContain(txid);
  const { receipts } = await explorer.receipts({ address, heights: [height] });
  expect(receipts).toContainEqual(expect.objectContaining({ outpoint: `${txid}_0`, satoshis: 1, height }));
});

it('the search finds a transaction by its txid, with everything that is known of it', async () => {
  const { hits, tried } = await find(txid);
  expect(hits.map(({ kind, id, name }) => [kind, id, name])).toEqual([
    ['transaction', txid, ''],
    ['submitted', txid, 'Evening star'],
    ['token', `${txid}_0`, expect.any(String)],
    ['mint', mint, 'Moons of Jupiter'],
  ]);
  expect(tried).toContainEqual({ kind: 'block', state: 'none' });
  expect(await found(txid.slice(0, 12))).toContain(`submitted ${txid}`);
});

it('the search finds outpoints in each way they are written', async () => {
  for (const sign of ['_', ':', '.']) {
    expect(await found(`${txid}${sign}0`)).toEqual(expect.arrayContaining([`output ${txid}_0`, `token ${txid}_0`]));
  }
});

it('the search finds addresses, whosever they are, and refuses those of other networks', async () => {
  expect((await find(address)).hits).toContainEqual(
    expect.objectContaining({ kind: 'address', id: address, name: 'Rent account' }),
  );
  expect(await found(address.slice(0, 10))).toEqual([`address ${address}`]);
  expect(await found('1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa')).toEqual([]);
});

it('the search finds projects, items and tokens by name, also with a wrong letter', async () => {
  expect(await found('jupitre')).toEqual([`project ${projectUid}`, `mint ${mint}`]);
  const item = (await opened.client.items.list({ projectUid })).find(({ id }) => id === draft) as Item;
  await opened.client.items.update({ id: draft, metadata: { ...item.metadata, name: 'Callisto' } });
  expect(await found('callisto')).toEqual([`item ${draft}`]);
  await opened.client.items.update({ id: draft, metadata: item.metadata });
  const { hits } = await find('europa');
  expect(hits).toEqual([
    expect.objectContaining({
      kind: 'item',
      id: draft,
      projectUid,
      place: 'Moons of Jupiter',
      file: expect.anything(),
    }),
  ]);
  expect(await found('cover')).toEqual([`token ${txid}_0`]);
});

it('the search finds items by their traits, and says which', async () => {
  const item = (await opened.client.items.list({ projectUid })).find(({ id }) => id === draft) as Item;
  const traits = [
    { name: 'Hat', value: 'Crown' },
    { name: 'Eyes', value: 'Laser' },
  ];
  await opened.client.items.update({ id: draft, metadata: { ...item.metadata, traits } });
  for (const [text, place] of [
    ['laser', 'Moons of Jupiter · Eyes: Laser'],
    ['Hat: Crown', 'Moons of Jupiter · Hat: Crown'],
    ['europa', 'Moons of Jupiter'],
  ] as const)
    expect((await find(text)).hits, text).toEqual([expect.objectContaining({ kind: 'item', id: draft, place })]);
  await opened.client.items.update({ id: draft, metadata: item.metadata });
});

it('the search finds contacts by name, and by the beginning of their address', async () => {
  const [contact, paymail] = ['mkpZhYtJu2r87Js3pDiWJDmPte2NRZ8bJV', 'cleo@example.com'];
  await opened.client.wallet.contacts.save({ address: contact, name: 'Bruno Taut' });
  await opened.client.wallet.contacts.save({ address: paymail, name: 'Cleo' });
  expect(await found('bruno')).toEqual([`contact ${contact}`]);
  expect(await found('cleo')).toEqual([`contact ${paymail}`]);
  expect(await found(contact.slice(0, 10))).toContain(`contact ${contact}`);
});

it('the search finds labels, documents, miners and API keys', async () => {
  expect(await found('first light')).toEqual([`transaction ${txid}`]);
  expect(await found('evening')).toEqual([`submitted ${txid}`]);
  expect(await found('rent')).toEqual([`address ${address}`]);
  expect(await found('invoice')).toEqual([`document ${document}`]);
  expect(await found(document.slice(0, 8))).toContain(`document ${document}`);
  expect((await find('explorer bot')).hits).toMatchObject([{ kind: 'key', name: 'Explorer bot' }]);
  const [miner] = await opened.client.miners.list();
  expect(await found(miner?.name as string)).toContain(`miner ${miner?.id}`);
});

it('the search names ids by labels and tokens, that of the wallet first', async () => {
  const { client } = opened;
  const unknown = 'cd'.repeat(32);
  expect(await client.search.names({ ids: [txid, address, `${txid}_0`, unknown] })).toEqual({
    [txid]: 'First light',
    [address]: 'Rent account',
    [`${txid}_0`]: expect.stringMatching(/cover/i),
  });
  expect(await client.search.names({ ids: [] })).toEqual({});
});

it('the search says where an unknown id was looked for, and what could not be asked', async () => {
  const unknown = 'ab'.repeat(32);
  const { hits, tried } = await find(unknown);
  expect(hits).toEqual([]);
  expect(tried).toEqual(
    expect.arrayContaining(
      ['block', 'transaction', 'submitted', 'token', 'document'].map((kind) => ({ kind, state: 'none' })),
    ),
  );
  await opened.client.sandbox.faults.set({ name: 'http-error', value: 503, area: 'rpc' });
  const failed = await find(unknown);
  await opened.client.sandbox.faults.clear({});
  expect(failed.tried).toContainEqual({ kind: 'transaction', state: 'failed' });
  expect(failed.tried).toContainEqual({ kind: 'token', state: 'none' });
});

it('the search finds mints and runs by their project, and redeemable tokens by symbol and name', async () => {
  const { client } = opened;
  const run = await client.runs.create({ projectUid, destination: address, idempotencyKey: randomUUID() });
  const { hits } = await find('moons of jupiter');
  expect(hits.filter(({ kind }) => kind === 'mint' || kind === 'run')).toMatchObject([
    { kind: 'mint', id: mint, projectUid, place: txid },
    { kind: 'run', id: run.id, name: 'Moons of Jupiter' },
  ]);
  const schema = { symbol: 'CAFE', name: 'Coffee voucher', satsPerToken: 10, totalSupply: 100 };
  const request = { action: 'contract' as const, schema };
  const { id, review } = await client.redeemableTokens.prepare({ request, idempotencyKey: randomUUID() });
  await client.redeemableTokens.approve({ id, digest: review.digest });
  const contract = await until(async () => (await client.redeemableTokens.overview()).contracts[0]);
  expect(await found('cafe')).toContain(`redeemable ${contract.outpoint}`);
  expect(await found('coffee voucher')).toContain(`redeemable ${contract.outpoint}`);
});
