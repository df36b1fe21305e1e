import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ImportStatus, importOpenInputSchema } from '../../../../contract/index.ts';
import { TestService } from '../../test-support/test-service.ts';
import { openStudio } from '../../test-support/test-studio.ts';

const CHILD = join(import.meta.dirname, '..', 'test-support', 'commit-kill-child.ts');
/** Written in pieces of 200. */
const ITEMS = process.env.PLANCHET_LONG ? 450 : 210;
const KILLS = process.env.PLANCHET_LONG ? 60 : 1;

let folder: string;
/** An import that was read, and is ready to be committed. */
let template: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-commit-kill-'));
  template = join(folder, 'template');
  const art = join(folder, 'art');
  for (const made of [template, art]) mkdirSync(made);
  const rows = Array.from({ length: ITEMS }, (_, n) => `${n}.txt,Moon ${n},${n % 7}`);
  writeFileSync(join(art, 'tokens.csv'), `file,name,Eyes\n${rows.join('\n')}\n`);
  for (let n = 0; n < ITEMS; n++) writeFileSync(join(art, `${n}.txt`), `moon ${n}`);
  const service = new TestService();
  await service.start();
  const { studio, close } = await openStudio({ dataDir: template, url: service.url });
  let status = await studio.imports.open(importOpenInputSchema.parse({ paths: [art], projectName: 'Moons' }));
  while (status.phase === 'reading') {
    await new Promise((resolve) => setTimeout(resolve, 10));
    status = await studio.imports.status({ id: status.id });
  }
  expect(status).toMatchObject({ phase: 'ready', ready: ITEMS });
  await close();
  await service.stop();
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Commits in a process of its own. @param killAt the writing statement that it does not survive; 0: it ends by itself */
function commits(
  dataDir: string,
  url: string,
  killAt: number,
): Promise<{ signal: string | null; out: string; err: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [CHILD, dataDir, url, String(killAt)], (_, out, err) =>
      resolve({ signal: child.signalCode, out, err }),
    );
  });
}

/** Commits a copy of the import, killed at these statements one after the other. @returns how many statements the last run wrote */
async function commitKilledAt(kills: readonly number[]): Promise<number> {
  const dataDir = join(folder, kills.join('-') || 'whole');
  cpSync(template, dataDir, { recursive: true });
  const service = new TestService();
  await service.start();
  for (const killAt of kills) {
    const { signal, err } = await commits(dataDir, service.url, killAt);
    expect(signal, err).toBe('SIGKILL');
  }
  const { signal, out, err } = await commits(dataDir, service.url, 0);
  expect(signal, err).toBeNull();
  const { status, written } = JSON.parse(out) as { status: ImportStatus; written: number };
  expect(status).toMatchObject({ phase: 'done', imported: ITEMS, failure: null });
  const { studio, close } = await openStudio({ dataDir, url: service.url });
  const items = await studio.items.list({ projectUid: status.projectUid as string });
  const made = items.filter(({ subType }) => subType === 'collectionItem');
  expect(service.projects.size).toBe(1);
  expect(items).toHaveLength(ITEMS + 1);
  expect(made.map(({ metadata, file }) => [metadata.mintNumber, metadata.name, file.sha256])).toEqual(
    Array.from({ length: ITEMS }, (_, n) => [
      n + 1,
      `Moon ${n}`,
      createHash('sha256').update(`moon ${n}`).digest('hex'),
    ]),
  );
  const shares = made.map(({ metadata }) => metadata.traits[0]?.occurrencePercent);
  expect(
    shares.every((share) => Math.abs(Number(share) - 100 / 7) < 0.5),
    String(shares),
  ).toBe(true);
  const collection = items.find(({ subType }) => subType === 'collection')?.metadata.collection;
  expect(collection?.quantity).toBe(ITEMS);
  await close();
  await service.stop();
  rmSync(dataDir, { recursive: true });
  return written;
}

it(`an import whose commit is killed, at ${KILLS} of its places and again, makes each item once and loses none`, async () => {
  const whole = await commitKilledAt([]);
  for (let kill = 0; kill < KILLS; kill++) {
    const place = 1 + Math.floor(((kill + 0.5) * whole) / KILLS);
    // The second kill falls into what the first one left to do.
    await commitKilledAt([place, 1 + ((kill * 5) % Math.max(1, Math.floor((whole - place) / 2)))]);
  }
}, 3_600_000);
