import { randomUUID } from 'node:crypto';
import { LockingScript, P2PKH, PrivateKey, Transaction } from '@bsv/sdk';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readBundle, verifyBundle } from '../../chain/bundle/index.ts';
import { decodeAddress, encodeAddress, fromHex, hash160, inscriptionScript, sha256, toHex } from '../../chain/index.ts';
import { failureOf } from '../commands/shared/run.ts';
import { readPdf } from '../pictures/test-support/read-pdf.ts';
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
/** Where the token was minted. One of the tests sends it elsewhere, so the others know it by its origin. */
let minted: string;
let received: string;
beforeAll(async () => {
  opened = await openTestHost({ dataDir: await filledDataDir(), scope: 'core' });
  const { client } = opened;
  await walletPaid(client);
  address = (await client.wallet.status()).address as string;
  projectUid = (await client.projects.create({ name: 'Moons', type: 'single' })).uid;
  const item = await addItem(client, projectUid, { name: 'moon.txt', bytes: Buffer.from('a moon') });
  minted = `${(await mintProven(client, item, address)).txid}_0`;
  received = `${await giveToken()}_0`;
});
afterAll(() => closeTestHost(opened));

/** Another key inscribes a token for the wallet. @returns the txid */
async function giveToken(): Promise<string> {
  const { client } = opened;
  const sender = PrivateKey.fromRandom();
  const own = hash160(Uint8Array.from(sender.toPublicKey().toDER() as number[]));
  const { txid } = await client.sandbox.fund({ address: encodeAddress(own, 'test'), satoshis: 10_000 });
  const { result } = await client.node.call({ method: 'getrawtransaction', params: [txid, false] });
  const source = Transaction.fromHex(result as string);
  const tx = new Transaction();
  tx.addInput({
    sourceTransaction: source,
    sourceOutputIndex: source.outputs.findIndex(({ satoshis }) => satoshis === 10_000),
    unlockingScriptTemplate: new P2PKH().unlock(sender),
  });
  const script = inscriptionScript({
    pubKeyHash: decodeAddress(address).pubKeyHash,
    contentType: 'text/html',
    content: Buffer.from('<h1>Gift</h1>'),
    map: {
      app: 'other',
      type: 'ord',
      name: 'Gift',
      Eyes: 'green',
      subTypeData: `{"collectionId":"${'ab'.repeat(32)}_0","traits":[{"name":"Hat","value":"Top"}]}`,
    },
  });
  tx.addOutput({ lockingScript: LockingScript.fromHex(toHex(script)), satoshis: 1 });
  tx.addOutput({ lockingScript: new P2PKH().lock(Array.from(own)), satoshis: 9_000 });
  await tx.sign();
  const sent = await client.sandbox.relay({ rawTx: tx.toHex() });
  expect(sent).toMatchObject({ txid: tx.id('hex') });
  await until(async () => (await client.tokens.list({ source: 'received' })).total === 1);
  return tx.id('hex');
}

it('the gallery lists what was minted and what others sent, by project, trait, source and text', async () => {
  const { client } = opened;
  const all = await client.tokens.list({});
  expect(all).toMatchObject({
    total: 2,
    tokens: [
      {
        outpoint: received,
        origin: received,
        source: 'received',
        owned: true,
        read: true,
        name: 'Gift',
        itemId: null,
        collectionId: `${'ab'.repeat(32)}_0`,
        content: { contentType: 'text/html', sha256: toHex(sha256(Buffer.from('<h1>Gift</h1>'))), stored: false },
        traits: [
          { name: 'Eyes', value: 'green' },
          { name: 'Hat', value: 'Top' },
        ],
      },
      {
        origin: minted,
        source: 'minted',
        owned: true,
        projectName: 'Moons',
        content: { stored: true },
        state: 'proven',
      },
    ],
  });
  const found = async (query: Parameters<typeof client.tokens.list>[0]) =>
    (await client.tokens.list(query)).tokens.map(({ origin }) => origin);
  expect(await found({ projectUid })).toEqual([minted]);
  expect(await found({ source: 'received' })).toEqual([received]);
  expect(await found({ traits: [{ name: 'Eyes', value: 'green' }] })).toEqual([received]);
  expect(await found({ traits: [{ name: 'metal' }] })).toEqual([minted]);
  const either = [
    { name: 'Eyes', value: 'red' },
    { name: 'Eyes', value: 'green' },
  ];
  expect(await found({ traits: either })).toEqual([received]);
  expect(await found({ traits: [...either, { name: 'metal' }] })).toEqual([]);
  expect(await found({ text: 'COPPER' })).toEqual([minted]);
  expect(await found({ text: `moons ${address}` })).toEqual([minted]);
  expect(await found({ text: 'moons gift' })).toEqual([]);
  expect(await found({ text: 'gift' })).toEqual([received]);
  expect(await found({ owned: false })).toEqual([]);
  expect(await client.tokens.list({ offset: 1, limit: 1 })).toMatchObject({ tokens: [{ origin: minted }], total: 2 });
});

it('the gallery counts by what the tokens can be filtered', async () => {
  const { client } = opened;
  expect(await client.tokens.facets({})).toEqual({
    minted: 1,
    received: 1,
    elsewhere: 0,
    projects: [{ uid: projectUid, name: 'Moons', count: 1 }],
    traits: [
      { name: 'Eyes', value: 'green', count: 1 },
      { name: 'Hat', value: 'Top', count: 1 },
      { name: 'metal', value: 'copper', count: 1 },
    ],
  });
  expect((await client.tokens.facets({ projectUid })).traits).toEqual([{ name: 'metal', value: 'copper', count: 1 }]);
});

it('the gallery counts the tokens of each block', async () => {
  const { client } = opened;
  const { provenance } = await client.tokens.get({ outpoint: minted });
  const mint = provenance[0]?.blockHeight as number;
  await until(async () => (await client.tokens.get({ outpoint: received })).token.blockHeight !== null);
  const gift = (await client.tokens.get({ outpoint: received })).token.blockHeight as number;
  const blocks = await client.tokens.blocks();
  expect(blocks).toContainEqual({ height: mint, tokens: mint === gift ? 2 : 1 });
  expect(blocks).toContainEqual({ height: gift, tokens: mint === gift ? 2 : 1 });
  expect(blocks.map(({ height }) => height)).toEqual(blocks.map(({ height }) => height).sort((a, b) => a - b));
});

it('the gallery tells a token’s metadata and its way from the mint', async () => {
  const { client } = opened;
  const { token, metadata, provenance } = await client.tokens.get({ outpoint: minted });
  expect(token.origin).toBe(minted);
  expect(metadata).toMatchObject({ name: 'moon.txt', metal: 'copper' });
  expect(provenance[0]).toMatchObject({ kind: 'mint', outpoint: minted, address });
  expect(provenance.at(-1)).toMatchObject({ outpoint: token.outpoint, blockHeight: token.blockHeight });
  expect(provenance[0]?.at).toBeGreaterThan(0);
  expect(
    await failureOf(await client.tokens.get({ outpoint: `${'cd'.repeat(32)}_0` }).catch((error) => error)),
  ).toMatchObject({
    code: 'not-found',
  });
});

it('the gallery lists the ledger of a project in pages', async () => {
  const { client } = opened;
  const { rows, total } = await client.tokens.ledger({ projectUid });
  expect(total).toBe(1);
  expect(rows).toMatchObject([{ outpoint: minted, item: 'moon.txt', state: 'proven' }]);
  expect(fromHex(rows[0]?.proof?.target ?? '')).toHaveLength(80);
  expect(await client.tokens.ledger({ projectUid, offset: 1 })).toEqual({ rows: [], total: 1 });
});

it('the gallery gives the ledger and the proof of a token as files', async () => {
  const { client } = opened;
  const json = await client.tokens.exportLedger({ projectUid, format: 'json' });
  expect(JSON.parse(await json.text())).toMatchObject([{ outpoint: minted }]);
  const csv = await client.tokens.exportLedger({ projectUid, format: 'csv' });
  expect(await csv.text()).toContain(`,${minted},`);
  await until(async () => (await client.tokens.list({ source: 'received' })).tokens[0]?.blockHeight !== null);
  const { bundle, tokens } = await client.tokens.bundle({ outpoint: received });
  expect(tokens).toBe(1);
  const verified = verifyBundle(readBundle(new Uint8Array(await bundle.arrayBuffer())));
  expect(verified.tokens).toMatchObject([{ outpoint: received, contentType: 'text/html' }]);
});

it('the gallery draws a certificate with the picture and a code, for a mined token alone', async () => {
  const { client } = opened;
  const page = await client.tokens.certificate({ outpoint: minted });
  const { lines } = readPdf(new Uint8Array(await page.arrayBuffer()));
  expect(lines.join('')).toContain(minted);
  const german = await client.tokens.certificate({ outpoint: minted, language: 'de-CH' });
  expect(readPdf(new Uint8Array(await german.arrayBuffer())).lines[0]).toBe('Urkunde eines Ein-Satoshi-Tokens');
  // A picture that is given stands for films and models alone, and may not be large.
  const given = await client.tokens.certificate({ outpoint: minted, picture: new Blob(['no picture']) });
  expect(readPdf(new Uint8Array(await given.arrayBuffer())).lines).toEqual(lines);
  const large = client.tokens.certificate({ outpoint: minted, picture: new Blob([new Uint8Array(1_048_577)]) });
  expect(await failureOf(await large.catch((error) => error))).toMatchObject({ code: 'invalid-input' });
  expect(
    await failureOf(await client.tokens.certificate({ outpoint: `${'cd'.repeat(32)}_0` }).catch((error) => error)),
  ).toMatchObject({ code: 'not-found' });
});

it('the gallery sends a token whole, and shows its way and its proof at the new place', async () => {
  const { client } = opened;
  const request = { outpoint: minted, address, idempotencyKey: randomUUID() };
  const job = await client.tokens.send.prepare(request);
  expect(job.review).toMatchObject({ ok: true, outputs: [{ satoshis: 1, address }, { kind: 'change' }] });
  expect(await client.tokens.send.prepare(request)).toEqual(job);
  const cancelled = await client.tokens.send.cancel({ id: job.id });
  expect(cancelled.state).toBe('cancelled');
  const { id, review } = await client.tokens.send.prepare({ ...request, idempotencyKey: randomUUID() });
  await client.tokens.send.approve({ id, digest: review.digest });
  const sent = await until(async () => {
    const now = await client.tokens.send.get({ id });
    if (now.failure) throw new Error(now.failure.message);
    return now.state === 'mined' && now;
  });
  const { result } = await client.node.call({ method: 'getrawtransaction', params: [sent.txid, true] });
  expect(result).toMatchObject({ vin: [{ txid: minted.slice(0, 64), vout: 0 }, {}], vout: [{ value: 1e-8 }, {}] });
  const moved = `${sent.txid}_0`;
  const { token, provenance } = await client.tokens.get({ outpoint: minted });
  expect(token).toMatchObject({ outpoint: moved, origin: minted, source: 'minted', owned: true });
  expect(provenance).toMatchObject([
    { kind: 'mint', outpoint: minted },
    { kind: 'move', outpoint: moved, address },
  ]);
  const { bundle } = await client.tokens.bundle({ outpoint: moved });
  const verified = verifyBundle(readBundle(new Uint8Array(await bundle.arrayBuffer())));
  expect(verified.tokens).toMatchObject([{ outpoint: moved, origin: minted }]);
  const coin = `${sent.txid}_1`;
  for (const outpoint of [coin, `${'cd'.repeat(32)}_0`]) {
    const refused = client.tokens.send.prepare({ outpoint, address, idempotencyKey: randomUUID() });
    expect(await failureOf(await refused.catch((error) => error))).toMatchObject({ code: 'invalid-input' });
  }
  const one = client.wallet.send.prepare({ request: { to: [{ address, satoshis: 1 }] }, idempotencyKey: randomUUID() });
  expect(await failureOf(await one.catch((error) => error))).toMatchObject({ code: 'invalid-input' });
});
