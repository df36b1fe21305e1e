import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OwnCoins } from '../../../src/main/test-support/hosts/own-coins.ts';
import type { RunningHost } from '../host.ts';
import { artwork } from './art.ts';

type Client = ReturnType<RunningHost['client']>;

/** An address of the sandbox that belongs to nobody here. */
const OTHER_ADDRESS = 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn';
const WAIT_MS = 60_000;
const LOOK_MS = 50;

/** The content of a filled host, by the parameters in the addresses of its views. */
export interface Content {
  readonly minted: string;
  readonly drafts: string;
  readonly sketches: string;
  readonly importId: string;
  /** An import whose rows name no files, so that a person has to say whether both are in the same order. */
  readonly orderImportId: string;
  readonly jobId: string;
  readonly openJobId: string;
  readonly runId: string;
  readonly openRunId: string;
  readonly rehearsalId: string;
  readonly tokenJobId: string;
  readonly contract: string;
  readonly token: string;
  readonly tokenSendId: string;
  readonly paymentId: string;
  readonly txid: string;
  /** A transaction that the checks before sending held back. */
  readonly keptBack: string;
  readonly blockHash: string;
  readonly address: string;
  readonly documentId: string;
}

/** Repeats a request until the reply matches. @throws on a timeout */
async function until<T>(ask: () => Promise<T>, fits: (answer: T) => boolean): Promise<T> {
  const end = Date.now() + WAIT_MS;
  for (;;) {
    const answer = await ask();
    if (fits(answer)) return answer;
    if (Date.now() > end) throw new Error(`Still not so: ${JSON.stringify(answer).slice(0, 2_000)}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** Stores a file, as the page does after an upload. */
async function store(client: Client, name: string, bytes: Uint8Array<ArrayBuffer>, contentType: string) {
  const { uploadId } = await client.files.begin({ name, bytes: bytes.length, contentType });
  await client.files.append({ uploadId, offset: 0, piece: new Blob([bytes]) });
  return client.files.finish({ uploadId });
}

/** A collection of pictures with traits. @param count pictures beside that of the collection itself */
export async function createCollection(client: Client, name: string, count: number, first: number): Promise<string> {
  const { uid } = await client.projects.create({ name, type: 'collection' });
  for (let number = 0; number <= count; number++) {
    const { png, sky, moon, waves } = await artwork(first + number);
    const fileName = number === 0 ? 'cover.png' : `${number}.png`;
    const { sha256 } = await store(client, fileName, new Uint8Array(png), 'image/png');
    const traits = [
      { name: 'Sky', value: sky },
      { name: 'Moon', value: moon },
      { name: 'Waves', value: waves },
    ];
    const own = { name: `${name} #${number}`, description: 'A moon over the sea.', traits, mintNumber: number };
    const metadata = number === 0 ? { name, description: 'Moons over the sea, each struck once.', traits: [] } : own;
    await client.items.create({ projectUid: uid, sha256, fileName, metadata });
  }
  return uid;
}

/** A project of single tokens with the three samples. */
async function createSketches(client: Client): Promise<{ uid: string; items: string[] }> {
  const { uid } = await client.projects.create({ name: 'Sketches', type: 'single' });
  const items: string[] = [];
  for (const [fileName, name, type] of [
    ['copper-moon.png', 'Copper moon', 'image/png'],
    ['tide.svg', 'Tide', 'image/svg+xml'],
    ['haiku.txt', 'Haiku', 'text/plain'],
  ] as const) {
    const bytes = new Uint8Array(readFileSync(new URL(`../../../resources/samples/${fileName}`, import.meta.url)));
    const { sha256 } = await store(client, fileName, bytes, type);
    const metadata = { name, description: 'A sample.', traits: [{ name: 'Metal', value: 'Copper' }] };
    items.push((await client.items.create({ projectUid: uid, sha256, fileName, metadata })).id);
  }
  return { uid, items };
}

async function ownAddress(client: Client): Promise<string> {
  return (await client.wallet.status()).address as string;
}

/** Mints all drafts of a project and waits for their proofs. @returns the id of the run */
async function mintAll(client: Client, projectUid: string): Promise<string> {
  const destination = await ownAddress(client);
  const { id, digest } = await client.runs.create({ projectUid, destination, idempotencyKey: randomUUID() });
  await client.runs.approve({ id, digest });
  const state = async () => (await client.runs.get({ id })).run.state;
  await until(state, (now) => now === 'done');
  return id;
}

async function mintOne(client: Client, itemId: string, approve: boolean): Promise<string> {
  const destination = await ownAddress(client);
  const { id } = await client.mint.create({ itemIds: [itemId], destination, idempotencyKey: randomUUID() });
  const job = await until(
    () => client.mint.get({ id }),
    ({ awaitingApproval }) => awaitingApproval,
  );
  if (!approve) return id;
  await client.mint.approve({ id, digest: job.review?.digest as string });
  await until(
    () => client.mint.get({ id }),
    ({ state }) => state === 'proven',
  );
  return id;
}

/** An import of a folder of pictures and a table with some errors. */
async function openImport(client: Client, folder: string): Promise<string> {
  mkdirSync(join(folder, 'images'), { recursive: true });
  const rows = ['name,file,Sky,Moon,number'];
  for (let number = 1; number <= 24; number++) {
    const { png, sky, moon } = await artwork(500 + (number === 9 ? 8 : number));
    if (number !== 5) writeFileSync(join(folder, 'images', `${number}.png`), png);
    const name = number === 12 ? '' : `Harbour #${number}`;
    rows.push(`${name},${number}.png,${sky},${moon},${number === 17 ? 16 : number}`);
  }
  writeFileSync(join(folder, 'table.csv'), `${rows.join('\n')}\n`);
  const { id } = await client.import.open({ paths: [folder], projectName: 'Harbour' });
  await until(
    () => client.import.status({ id }),
    ({ phase }) => phase === 'ready',
  );
  return id;
}

/** Pictures with a table that names none of them. */
async function openUnnamedImport(client: Client, folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const rows = ['name,Sky'];
  for (const [at, place] of ['quay', 'crane', 'ferry', 'mole'].entries()) {
    const { png, sky } = await artwork(700 + at);
    writeFileSync(join(folder, `${place}.png`), png);
    rows.push(`Dock ${'ABCD'[at]},${sky}`);
  }
  writeFileSync(join(folder, 'table.csv'), `${rows.join('\n')}\n`);
  const { id } = await client.import.open({ paths: [folder], projectName: 'Docks' });
  await until(
    () => client.import.status({ id }),
    ({ phase }) => phase === 'ready',
  );
  return id;
}

/** Submits a transaction with too low a fee. @returns its id */
async function keepBack(client: Client): Promise<string> {
  const own = new OwnCoins();
  const { hex, txid } = own.spend([await own.funded(client, 10_000)], [9_999]);
  await client.tx.submit({ source: { text: hex } });
  return txid;
}

async function fillWallet(client: Client): Promise<{ address: string; paymentId: string }> {
  const amounts = [5_000_000, 1_250_000, 420_000, 90_000, 30_000, 30_000, 12_000, 5_000];
  const labels = ['Savings', 'Sold: Low tide #7', 'Workshop fee', '', 'Refund of a print', '', '', 'A tip'];
  const labelled: { txid: string; label: string }[] = [];
  for (const [at, satoshis] of amounts.entries()) {
    const label = labels[at] ?? '';
    const { address } = await client.wallet.addresses.next({ label });
    const { txid } = await client.sandbox.fund({ address, satoshis });
    if (label !== '') labelled.push({ txid, label });
  }
  await client.sandbox.mine({ blocks: 1 });
  await until(
    async () => new Set((await client.wallet.history.list({})).entries.map((entry) => entry.txid)),
    (known) => labelled.every(({ txid }) => known.has(txid)),
  );
  for (const { txid, label } of labelled) await client.wallet.history.label({ txid, label });
  const coins = await client.wallet.coins.list();
  const frozen = coins.find(({ satoshis }) => satoshis === 90_000);
  if (frozen) await client.wallet.coins.freeze({ outpoints: [frozen.outpoint], frozen: true });
  const send = async (satoshis: number, label: string, approve: boolean): Promise<string> => {
    const request = { to: [{ address: OTHER_ADDRESS, satoshis }], label };
    const { id, review } = await client.wallet.send.prepare({ request, idempotencyKey: randomUUID() });
    if (approve) await client.wallet.send.approve({ id, digest: review.digest });
    return id;
  };
  await send(75_000, 'Frames for the show', true);
  await send(310_000, 'Rent of the studio', true);
  return { address: await ownAddress(client), paymentId: await send(48_000, 'Paper', false) };
}

async function fillRedeemableTokens(client: Client): Promise<{ contract: string; tokenJobId: string }> {
  // Tokens at the issuer's own address could only be redeemed.
  const address = (await client.redeemableTokens.overview()).address as string;
  type Request = Parameters<Client['redeemableTokens']['prepare']>[0]['request'];
  const run = async (request: Request, approve: boolean) => {
    const { id, review } = await client.redeemableTokens.prepare({ request, idempotencyKey: randomUUID() });
    if (!approve) return id;
    await client.redeemableTokens.approve({ id, digest: review.digest });
    await until(
      () => client.redeemableTokens.get({ id }),
      ({ blockHeight }) => blockHeight !== null,
    );
    return id;
  };
  const schema = { symbol: 'BREAD', name: 'Bread voucher', totalSupply: 100, satsPerToken: 10 };
  await run({ action: 'contract', schema }, true);
  const [contract] = (await client.redeemableTokens.overview()).contracts;
  if (contract === undefined) throw new Error('There is no contract.');
  const to = [
    { address, satoshis: 700 },
    { address: OTHER_ADDRESS, satoshis: 300 },
  ];
  await run({ action: 'issue', contract: contract.outpoint, splittable: true, to }, true);
  const token = (await client.redeemableTokens.overview()).holdings[0]?.tokens.find((one) => !one.inUse);
  if (token === undefined) throw new Error('There is no token.');
  const milk = { symbol: 'MILK', name: 'Milk voucher', totalSupply: 50, satsPerToken: 20 };
  await run({ action: 'contract', schema: milk }, true);
  const tokenJobId = await run({ action: 'transfer', token: token.outpoint, to: OTHER_ADDRESS }, false);
  return { contract: contract.outpoint, tokenJobId };
}

async function writeDocuments(client: Client): Promise<string> {
  const ids: string[] = [];
  for (let number = 0; number < 36; number++) {
    const tag = ['orders', 'readings', 'invoices'][number % 3] as string;
    const digest = createHash('sha256').update(`${number}`).digest('hex').slice(0, 12);
    const body = JSON.stringify({ kind: tag, number, reference: digest, total: 1_250 + number * 7 });
    ids.push((await client.writer.write({ body, tag, wait: 'accepted' })).id);
  }
  await until(
    () => client.writer.status(),
    ({ states }) => states.proven >= ids.length,
  );
  await client.settings.set({ key: 'maxFeeSatoshis', value: 1 });
  await client.writer.write({ body: '{"kind":"orders","late":true}', tag: 'orders', wait: 'accepted' });
  await until(
    () => client.writer.status(),
    ({ states }) => states.dead > 0,
  );
  await client.settings.reset({ keys: ['maxFeeSatoshis'] });
  return ids[0] as string;
}

/** Another browser, signed in by its own link. */
async function openSecondBrowser(host: RunningHost): Promise<void> {
  const link = new URL(await host.login());
  const token = new URLSearchParams(link.hash.slice(1)).get('token');
  const headers = {
    'content-type': 'application/json',
    origin: link.origin,
    'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  };
  const answer = await fetch(new URL('/session', link), { method: 'POST', headers, body: JSON.stringify({ token }) });
  if (!answer.ok) throw new Error(`The second browser was refused: ${answer.status}`);
}

/** Calls of other programs through the gateway, some of them wrong. */
async function callGateway({ ready }: RunningHost, txid: string): Promise<void> {
  const authorization = `Basic ${Buffer.from(readFileSync(ready.rpcCookieFile, 'utf8').trim()).toString('base64')}`;
  const calls: [string, unknown[]][] = [
    ['getblockchaininfo', []],
    ['getblockcount', []],
    ['getbestblockhash', []],
    ['getblockhash', [3]],
    ['getrawtransaction', [txid, true]],
    ['getrawtransaction', ['00'.repeat(32), true]],
    ['getmempoolinfo', []],
    ['getnetworkinfo', []],
    ['getblockhash', [999_999]],
    ['nosuchmethod', []],
    ['getrawmempool', []],
  ];
  for (let round = 0; round < 4; round++) {
    for (const [method, params] of calls) {
      const body = JSON.stringify({ jsonrpc: '1.0', id: round, method, params });
      const headers = { authorization, 'content-type': 'application/json' };
      await (await fetch(ready.rpc, { method: 'POST', headers, body })).arrayBuffer();
    }
  }
}

/** Fills a fresh host with the data of some weeks, so that every view has content. @param folder for files to import */
export async function fillHost(host: RunningHost, folder: string): Promise<Content> {
  const client = host.client();
  await until(
    () => client.wallet.balance(),
    ({ spendable }) => spendable > 0,
  );
  const { address, paymentId } = await fillWallet(client);
  const minted = await createCollection(client, 'Copper moons', 24, 1);
  const runId = await mintAll(client, minted);
  const drafts = await createCollection(client, 'Low tide', 40, 100);
  const { id: rehearsalId } = await client.rehearsals.start({ projectUid: drafts });
  await until(
    () => client.rehearsals.get({ id: rehearsalId }),
    ({ state }) => state === 'done',
  );
  const waiting = await createCollection(client, 'Night ferry', 20, 300);
  const open = { projectUid: waiting, destination: address, idempotencyKey: randomUUID() };
  const openRun = await client.runs.create(open);
  const sketches = await createSketches(client);
  const jobId = await mintOne(client, sketches.items[0] as string, true);
  const openJobId = await mintOne(client, sketches.items[1] as string, false);
  const { contract, tokenJobId } = await fillRedeemableTokens(client);
  const { tokens } = await client.tokens.list({ projectUid: minted, owned: true });
  const away = await client.tokens.send.prepare({
    outpoint: tokens[2]?.outpoint as string,
    address: OTHER_ADDRESS,
    idempotencyKey: randomUUID(),
  });
  await client.tokens.send.approve({ id: away.id, digest: away.review.digest });
  const token = tokens[0]?.outpoint as string;
  const sending = { outpoint: tokens[1]?.outpoint as string, address: OTHER_ADDRESS, idempotencyKey: randomUUID() };
  const { id: tokenSendId } = await client.tokens.send.prepare(sending);
  const documentId = await writeDocuments(client);
  const { apiKey } = await client.sandbox.createKey({});
  await client.writer.keys.register({ apiKey });
  await openSecondBrowser(host);
  const importId = await openImport(client, join(folder, 'Harbour'));
  const orderImportId = await openUnnamedImport(client, join(folder, 'Docks'));
  const keptBack = await keepBack(client);
  const [mint] = await client.items.list({ projectUid: minted, limit: 1 });
  if (typeof mint?.outpoint !== 'string') throw new Error('Nothing was minted.');
  const txid = mint.outpoint.slice(0, 64);
  await client.gateway.keys.create({ name: 'Explorer of the studio', methods: ['getblock', 'getrawtransaction'] });
  await client.gateway.keys.create({ name: 'Night jobs', rate: 50 });
  await client.gateway.origins.pair({ origin: 'https://gallery.example' });
  await client.miners.add({ name: 'Second', kind: 'mapi', url: host.ready.mapi.replace('127.0.0.1', 'localhost') });
  await client.sandbox.snapshots.take({ name: 'before-the-show' });
  await client.sandbox.mine({ blocks: 1 });
  await callGateway(host, txid);
  const { tip } = await client.sandbox.status();
  return {
    minted,
    drafts,
    sketches: sketches.uid,
    importId,
    orderImportId,
    jobId,
    openJobId,
    runId,
    openRunId: openRun.id,
    rehearsalId,
    tokenJobId,
    contract,
    token,
    tokenSendId,
    paymentId,
    txid,
    keptBack,
    blockHash: tip.hash,
    address,
    documentId,
  };
}
