import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MintJob } from '../../../contract/index.ts';
import { startHere } from '../../test-support/hosts/start-here.ts';
import { replacing } from '../../test-support/replacing.ts';
import type { Client } from '../shared/run.ts';
import { type MintOptions, mint } from './mint.ts';

let folder: string;
let files: string[];
let host: Awaited<ReturnType<typeof startHere>>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-mint-files-'));
  files = ['cover', 'one', 'two'].map((name) => {
    const path = join(folder, `${name}.txt`);
    writeFileSync(path, `this is ${name}`);
    return path;
  });
  host = await startHere({ dataDir: join(folder, 'data') });
});
afterAll(async () => {
  await host.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A client of the host whose reviews are of real money after so many mints. Without a terminal the answer to the question is no. */
function onMainAfter(client: Client, mints: number): Client {
  const ids: string[] = [];
  const altered = (job: MintJob): MintJob => {
    if (!ids.includes(job.id)) ids.push(job.id);
    return ids.indexOf(job.id) < mints || job.review === null
      ? job
      : { ...job, review: { ...job.review, network: 'main' } };
  };
  const calls: Partial<Client['mint']> = {
    create: async (input) => altered(await client.mint.create(input)),
    get: async (input) => altered(await client.mint.get(input)),
  };
  const minting = replacing(client.mint, calls);
  return replacing(client, { mint: minting });
}

/** Mints a collection. @returns what was printed and thrown, and what the host has of it afterwards */
async function minted(client: Client, collection: string) {
  const printed: unknown[] = [];
  const output = { note: () => undefined, result: (value: unknown) => void printed.push(value) };
  const options: MintOptions = { collection, description: '', trait: [], wait: 'seen', yes: false };
  const error: unknown = await mint(client, files, options, output).catch((thrown) => thrown);
  const project = (await client.projects.list()).find(({ name }) => name === collection);
  const items = await client.items.list({ projectUid: project?.uid as string });
  const jobs = (await client.mint.list({})).jobs.filter(({ projectUid }) => projectUid === project?.uid);
  return { printed, error, names: items.map(({ metadata }) => metadata.name), jobs };
}

describe('planchet mint', () => {
  it('cancels what nobody approved, and leaves no drafts', async () => {
    const { printed, error, names, jobs } = await minted(onMainAfter(host.client(), 0), 'Nothing');
    expect(error).toMatchObject({ code: 'cancelled' });
    expect([printed, names]).toEqual([[], []]);
    expect(jobs.map(({ state }) => state)).toEqual(['cancelled']);
  });

  it('prints the token of the collection where its items are not approved', async () => {
    const { printed, error, names, jobs } = await minted(onMainAfter(host.client(), 1), 'Cover alone');
    expect(error).toMatchObject({ code: 'cancelled' });
    const seed = jobs.find(({ state }) => state !== 'cancelled');
    expect(printed).toMatchObject([[{ outpoint: `${seed?.txid}_0` }]]);
    expect(names).toEqual(['cover']);
    expect(jobs).toHaveLength(2);
  });

  it('ends with an error, and begins nothing else, if the mint is cancelled in the window', async () => {
    const client: Client = host.client();
    const get: Client['mint']['get'] = ({ id }) => client.mint.cancel({ id });
    const cancelling = replacing(client, { mint: replacing(client.mint, { get }) });
    const { printed, error, jobs } = await minted(cancelling, 'Cancelled');
    expect(error).toMatchObject({ code: 'cancelled' });
    expect(printed).toEqual([]);
    expect(jobs.map(({ state }) => state)).toEqual(['cancelled']);
  });
});
