import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { JOINED_PASSPHRASE, openJoinedHost, untilMined } from '../test-support/hosts/joined-host.ts';
import { closeTestHost, newDataDir, openTestHost, type TestHost, until } from '../test-support/hosts/open-host.ts';
import { pngOf } from '../test-support/png.ts';

const ITEMS = process.env.PLANCHET_LONG ? 300 : 6;
/** The import makes a token of the collection itself. */
const TOKENS = ITEMS + 1;
const EYES = ['green', 'amber', 'blue'];
const names = Array.from({ length: ITEMS }, (_, n) => `Moon ${String(n + 1).padStart(3, '0')}`);
const eyesOf = (name: string): string => EYES[names.indexOf(name) % EYES.length] as string;
/** For each step. */
const TIMEOUT_MS = process.env.PLANCHET_LONG ? 1_800_000 : 60_000;

const opened: TestHost[] = [];
let network: TestHost;
let maker: TestHost;
let receiver: TestHost;

async function joined(): Promise<TestHost> {
  const host = await openJoinedHost(network);
  opened.push(host);
  return host;
}

beforeAll(async () => {
  network = await openTestHost({ dataDir: newDataDir(), overrides: { 'sandbox.mineOnArrival': '' } });
  opened.push(network);
  maker = await joined();
  receiver = await joined();
}, TIMEOUT_MS);
afterAll(async () => {
  for (const host of opened.reverse()) await closeTestHost(host);
});

const mining = <T>(look: () => Promise<T | false | undefined>): Promise<T> => untilMined(network, look, TIMEOUT_MS);

/** Name and eyes of all tokens that an installation received and has. */
async function received({ client }: TestHost): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (let offset = 0; ; offset += 500) {
    const { tokens, total } = await client.tokens.list({ source: 'received', owned: true, offset, limit: 500 });
    for (const { name, traits } of tokens)
      found.set(name, traits.map((trait) => `${trait.name}: ${trait.value}`).join(', '));
    if (offset + tokens.length >= total) return found;
  }
}

const expected = () => new Map(names.map((name) => [name, `Eyes: ${eyesOf(name)}`]));

it(`${ITEMS} items are imported and minted directly from words and money`, {
  tags: 'long',
  timeout: TIMEOUT_MS,
}, async () => {
  const { client, dataDir } = maker;
  await client.wallet.create({ words: 12 });
  const address = (await client.wallet.status()).address as string;
  await network.client.sandbox.fund({ address, satoshis: 5_000_000 });
  await mining(async () => (await client.wallet.status()).balance.confirmed === 5_000_000);
  const { uid: projectUid } = await client.projects.create({ name: 'Moons', type: 'collection' });
  const folder = join(dataDir, 'art');
  mkdirSync(folder);
  for (const name of names) writeFileSync(join(folder, `${name}.png`), pngOf(name));
  const rows = names.map((name) => `${name}.png,${name},${eyesOf(name)}`);
  writeFileSync(join(folder, 'list.csv'), ['file,name,Eyes', ...rows].join('\n'));
  const { id: importId } = await client.import.open({ paths: [folder], projectUid, projectName: 'Moons' });
  await until(async () => (await client.import.status({ id: importId })).phase === 'ready', TIMEOUT_MS);
  await client.import.commit({ id: importId });
  await until(async () => (await client.import.status({ id: importId })).phase === 'done', TIMEOUT_MS);
  const { id, digest } = await client.runs.create({ projectUid, destination: address, idempotencyKey: randomUUID() });
  await client.runs.approve({ id, digest });
  const run = await mining(async () => {
    const { run: now } = await client.runs.get({ id });
    expect(now.failed).toBe(0);
    return now.state === 'done' && now;
  });
  expect(run).toMatchObject({ direct: true, minted: TOKENS, byState: { proven: TOKENS } });
  expect(await client.quota.get()).toBeNull();
});

it('the items of a collection are sent to another installation, which shows them with their traits', {
  tags: 'long',
  timeout: TIMEOUT_MS,
}, async () => {
  await receiver.client.wallet.create({ words: 12 });
  const address = (await receiver.client.wallet.status()).address as string;
  const { client } = maker;
  const { tokens } = await client.tokens.list({ source: 'minted', limit: 500 });
  const sends: string[] = [];
  for (const { outpoint, name } of tokens.filter((token) => names.includes(token.name))) {
    const { id, review } = await mining(() =>
      client.tokens.send
        .prepare({ outpoint, address, idempotencyKey: `send ${name}` })
        .catch((error: { data?: { code?: string } }) => {
          // its coin waits for a block
          if (error.data?.code !== 'funds-insufficient' && error.data?.code !== 'conflict') throw error;
          return undefined;
        }),
    );
    await client.tokens.send.approve({ id, digest: review.digest });
    sends.push(id);
  }
  for (const id of sends) await mining(async () => (await client.tokens.send.get({ id })).state === 'mined');
  await mining(async () => (await received(receiver)).size === ITEMS);
  await until(async () => [...(await received(receiver)).values()].every((traits) => traits !== ''), TIMEOUT_MS);
  expect(await received(receiver)).toEqual(expected());
});

it('a wallet that is restored from its words elsewhere has all items of a collection', {
  tags: 'long',
  timeout: TIMEOUT_MS,
}, async () => {
  const { words } = await receiver.client.wallet.seed.reveal({ passphrase: JOINED_PASSPHRASE });
  const elsewhere = await joined();
  await elsewhere.client.wallet.restore({ words });
  await until(async () => (await elsewhere.client.wallet.status()).balance.tokens === ITEMS, TIMEOUT_MS);
  await until(async () => {
    const all = await received(elsewhere);
    return all.size === ITEMS && [...all.values()].every((traits) => traits !== '');
  }, TIMEOUT_MS);
  expect(await received(elsewhere)).toEqual(expected());
});
