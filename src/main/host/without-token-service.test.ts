import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBundle, verifyBundle } from '../../chain/bundle/index.ts';
import { callCommand } from '../test-support/hosts/call-command.ts';
import { openJoinedHost, untilMined } from '../test-support/hosts/joined-host.ts';
import { closeTestHost, newDataDir, openTestHost, type TestHost, until } from '../test-support/hosts/open-host.ts';
import { pngOf } from '../test-support/png.ts';

const NAMES = ['One', 'Two', 'Three', 'Four', 'Five'];
/** The import makes a collection token before the items. */
const TOKENS = NAMES.length + 1;

let network: TestHost;
let installation: TestHost;

function openInstallation(dataDir: string): Promise<TestHost> {
  // a transaction for each two tokens, so that a run has several
  return openJoinedHost(network, { dataDir, runLimits: { minTokens: 2, maxTokens: 2, maxContentBytes: 10_000 } });
}

beforeAll(async () => {
  network = await openTestHost({ dataDir: newDataDir(), overrides: { 'sandbox.mineOnArrival': '' } });
  installation = await openInstallation(newDataDir());
});
afterAll(async () => {
  await closeTestHost(installation);
  await closeTestHost(network);
});

const mining = <T>(look: () => Promise<T | false | undefined>): Promise<T> => untilMined(network, look);

describe('an installation without a node and without a token service', () => {
  let projectUid: string;
  let destination: string;

  it('gets money, and imports a collection into a project of its own', async () => {
    const { client, dataDir } = installation;
    await client.wallet.create({ words: 12 });
    destination = (await client.wallet.status()).address as string;
    // mints that Planchet builds are paid from any address, and so is the division of the money before a run
    const { address } = await client.wallet.addresses.next({ label: 'asked for by a person' });
    await network.client.sandbox.fund({ address, satoshis: 200_000 });
    await mining(async () => (await client.wallet.status()).balance.confirmed === 200_000);
    const project = await client.projects.create({ name: 'Moons', type: 'collection' });
    expect(project).toMatchObject({ service: null, direct: true });
    projectUid = project.uid;
    const folder = join(dataDir, 'art');
    mkdirSync(folder);
    for (const name of NAMES) writeFileSync(join(folder, `${name}.png`), pngOf(name));
    writeFileSync(
      join(folder, 'list.csv'),
      ['file,name,Eyes', ...NAMES.map((name) => `${name}.png,${name},green`)].join('\n'),
    );
    const { id } = await client.import.open({ paths: [folder], projectUid, projectName: 'Moons' });
    await until(async () => (await client.import.status({ id })).phase === 'ready');
    await client.import.commit({ id });
    const items = await until(async () => {
      const found = await client.items.list({ projectUid });
      return found.length === TOKENS && found;
    });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['Moons', ...NAMES]);
    await until(async () => (await client.import.status({ id })).phase === 'done');
    await client.import.discard({ id });
  });

  it('rehearses it directly on a network of its own', async () => {
    const { client } = installation;
    const { id, direct } = await client.rehearsals.start({ projectUid });
    expect(direct).toBe(true);
    const ended = await until(async () => {
      const now = await client.rehearsals.get({ id });
      return now.state !== 'preparing' && now.state !== 'minting' && now;
    });
    expect(ended).toMatchObject({ state: 'done', failure: null, run: { direct: true, minted: TOKENS } });
  });

  it('mints all of it directly over a miner, also across a restart, proven by headers of its own', async () => {
    const plan = await installation.client.runs.plan({ projectUid, destination });
    expect(plan).toMatchObject({ direct: true, tokens: TOKENS, quotaAvailable: null, problems: [] });
    const { id, digest } = await installation.client.runs.create({
      projectUid,
      destination,
      idempotencyKey: randomUUID(),
    });
    await installation.client.runs.approve({ id, digest });
    await until(async () => (await installation.client.runs.get({ id })).run.minted > 0);
    await closeTestHost(installation, { keepData: true });
    installation = await openInstallation(installation.dataDir);
    const { client } = installation;
    const run = await mining(async () => {
      const { run: now } = await client.runs.get({ id });
      expect(now.failed).toBe(0);
      return now.state === 'done' && now;
    });
    expect(run).toMatchObject({ direct: true, minted: TOKENS, byState: { proven: TOKENS } });
    expect((await client.tokens.list({ source: 'minted' })).total).toBe(TOKENS);
  });

  it('exports proofs that others verify, and sends a token to another installation', async () => {
    const { client } = installation;
    const { rows } = await client.tokens.ledger({ projectUid, offset: 0, limit: 10 });
    expect(rows).toHaveLength(TOKENS);
    expect(new Set(rows.map(({ outpoint }) => outpoint)).size).toBe(TOKENS);
    const { bundle, tokens } = await client.tokens.bundle({ projectUid });
    expect(tokens).toBe(TOKENS);
    const verified = verifyBundle(readBundle(new Uint8Array(await bundle.arrayBuffer())));
    expect(verified.tokens.map(({ outpoint }) => outpoint)).toEqual(rows.map(({ outpoint }) => outpoint));
    const outpoint = rows[1]?.outpoint as string;
    expect((await client.tokens.certificate({ outpoint })).size).toBeGreaterThan(1_000);

    const { address } = await network.client.wallet.addresses.next({ label: '' });
    const { id, review } = await client.tokens.send.prepare({ outpoint, address, idempotencyKey: randomUUID() });
    await client.tokens.send.approve({ id, digest: review.digest });
    const sent = await mining(async () => {
      const job = await client.tokens.send.get({ id });
      return job.state === 'mined' && job;
    });
    const received = await until(async () => {
      const { tokens: cards } = await network.client.tokens.list({ source: 'received' });
      return cards.find((card) => card.outpoint === `${sent.txid}_0`);
    });
    expect(received).toMatchObject({ name: rows[1]?.item });
  });

  it('mints a file by a command, directly and without being told, with money that is at no main address', async () => {
    const { client } = installation;
    const { address } = await client.wallet.addresses.next({ label: '' });
    const request = { to: [{ address, satoshis: 'all' as const }] };
    const { id, review } = await client.wallet.send.prepare({ request, idempotencyKey: randomUUID() });
    await client.wallet.send.approve({ id, digest: review.digest });
    await mining(async () => (await client.wallet.send.get({ id })).state === 'mined');
    expect((await client.wallet.balance()).spendable).toBe(0);
    const file = join(installation.dataDir, 'alone.png');
    writeFileSync(file, pngOf('alone'));
    const args = ['--data-dir', installation.dataDir, 'mint', file, '--wait', 'submitted', '--json'];
    const { code, out, err } = await callCommand(args);
    expect([code, err]).toEqual([0, '']);
    const { jobs } = await installation.client.mint.list({ limit: 1 });
    expect(jobs).toMatchObject([{ txid: (JSON.parse(out) as { txid: string }).txid, direct: true }]);
  });

  it('has asked no token service for anything', async () => {
    const { client } = installation;
    expect(await client.projects.list()).toMatchObject([{ service: null }, { uid: projectUid, service: null }]);
    expect(await client.quota.get()).toBeNull();
    expect(await network.client.quota.get()).toMatchObject({ totalUsed: 0 });
    expect(await network.client.projects.list()).toEqual([]);
    await expect(client.outputs.list({ projectUid })).rejects.toMatchObject({
      data: { id: 'mint.project-not-served' },
    });
  });
});
