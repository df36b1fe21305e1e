import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ImportStatus, importOpenInputSchema } from '../../../../contract/index.ts';
import { TestService } from '../../test-support/test-service.ts';
import { openStudio, type TestStudio } from '../../test-support/test-studio.ts';
import type { ImportHead } from '../import-store.ts';
import { SessionThread } from '../session/session-thread.ts';
import type { SessionCalls } from '../session/session-worker.ts';

/** Written in pieces of 200. */
const ITEMS = 450;
/** Enough for the rows of the import, and small enough to be filled quickly. */
const HEAP_MB = 64;

let folder: string;
let service: TestService;
let t: TestStudio;
const run = SessionThread.prototype.run;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-commit-memory-'));
  const art = join(folder, 'art');
  mkdirSync(art);
  mkdirSync(join(folder, 'data'));
  const rows = Array.from({ length: ITEMS }, (_, n) => `moon.txt,Moon ${n},${n % 7}`);
  writeFileSync(join(art, 'tokens.csv'), `file,name,Eyes\n${rows.join('\n')}\n`);
  writeFileSync(join(art, 'moon.txt'), 'moon');
  service = new TestService();
  await service.start();
  t = await openStudio({ dataDir: join(folder, 'data'), url: service.url, importHeapMb: HEAP_MB });
});

afterEach(async () => {
  vi.restoreAllMocks();
  await t.close();
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Waits until nothing is read or committed, without a question to the thread, which would open the session again. */
async function settled(id: string): Promise<void> {
  const phases = ['reading', 'committing'];
  await expect.poll(async () => phases.includes((await phaseOf(id)) ?? ''), { timeout: 60_000 }).toBe(false);
}

async function phaseOf(id: string): Promise<string | undefined> {
  const row = t.store.db.selectFrom('studio_imports').select('phase').where('id', '=', id);
  return (await row.executeTakeFirst())?.phase;
}

async function opened(): Promise<ImportStatus> {
  const input = { paths: [join(folder, 'art')], projectName: 'Moons' };
  const { id } = await t.studio.imports.open(importOpenInputSchema.parse(input));
  await settled(id);
  await t.studio.imports.mapping.set({ id, options: { allowDuplicates: true } });
  return t.studio.imports.status({ id });
}

/** Gives a thread the rows of another import until its memory is full and it ends. */
async function fill(thread: SessionThread): Promise<void> {
  const id = 'another import';
  await thread.open({ id } as ImportHead);
  for (let round = 0; ; round++) {
    const records = Array.from({ length: 200 }, (_, n) => JSON.stringify({ text: `${round} ${n}`.repeat(2_000) }));
    try {
      await run.call(thread, id, 'add', { records });
    } catch (error) {
      expect(error).toMatchObject({ id: 'import.table-unreadable', cause: { code: 'ERR_WORKER_OUT_OF_MEMORY' } });
      return;
    }
  }
}

/** Lets the thread run out of memory at a call of the commit: before it, or while it is answered. */
function endsAt(call: keyof SessionCalls, time: number, when: 'before' | 'beside'): { times: number } {
  const seen = { times: 0 };
  vi.spyOn(SessionThread.prototype, 'run').mockImplementation(async function (this: SessionThread, id, asked, input) {
    const isPlace = asked === call && seen.times++ === time;
    if (isPlace && when === 'before') await fill(this);
    const answer = run.call(this, id, asked, input);
    if (isPlace && when === 'beside') {
      answer.catch(() => undefined);
      await fill(this);
    }
    return answer as never;
  });
  return seen;
}

async function expectWhole(id: string): Promise<void> {
  const done = await t.studio.imports.status({ id });
  expect(done).toMatchObject({ phase: 'done', imported: ITEMS, failure: null });
  const items = await t.studio.items.list({ projectUid: done.projectUid as string });
  const made = items.filter(({ subType }) => subType === 'collectionItem');
  expect(service.projects.size).toBe(1);
  expect(items).toHaveLength(ITEMS + 1);
  expect(made.map(({ metadata }) => [metadata.mintNumber, metadata.name])).toEqual(
    Array.from({ length: ITEMS }, (_, n) => [n + 1, `Moon ${n}`]),
  );
  const shares = made.map(({ metadata }) => metadata.traits[0]?.occurrencePercent);
  expect(
    shares.every((share) => Math.abs(Number(share) - 100 / 7) < 0.5),
    String(shares),
  ).toBe(true);
}

describe('a commit whose thread runs out of memory', () => {
  const places: [keyof SessionCalls, number][] = [
    ['planned', 1],
    ['compute', 0],
    ['imported', 1],
    ['requireSomething', 0],
    ['plan', 0],
    ['usedFields', 0],
  ];
  it.each(process.env.PLANCHET_LONG ? places : places.slice(0, 1))(
    'before its call "%s" (%i) goes on with what is left',
    async (call, time) => {
      const { id } = await opened();
      const seen = endsAt(call, time, 'before');
      await t.studio.imports.commit({ id });
      await settled(id);
      expect(seen.times).toBeGreaterThan(time + 1);
      await expectWhole(id);
    },
  );

  it('while it is queried stops with the reason or goes on, and is complete in the end', { tags: 'long' }, async () => {
    const { id } = await opened();
    endsAt('planned', 1, 'beside');
    await t.studio.imports.commit({ id });
    await settled(id);
    if ((await phaseOf(id)) === 'ready') {
      const stopped = await t.studio.imports.status({ id });
      expect(stopped).toMatchObject({ failure: { id: 'import.table-unreadable' }, imported: 200 });
      await t.studio.imports.commit({ id });
      await settled(id);
    }
    await expectWhole(id);
  });

  it('each time stops with the reason, and goes on when there is enough memory', async () => {
    const { id } = await opened();
    vi.spyOn(SessionThread.prototype, 'run').mockImplementation(async function (this: SessionThread, of, asked, input) {
      if (asked === 'imported') await fill(this);
      return run.call(this, of, asked, input) as never;
    });
    await t.studio.imports.commit({ id });
    await settled(id);
    vi.restoreAllMocks();
    expect(await t.studio.imports.status({ id })).toMatchObject({
      phase: 'ready',
      imported: 400,
      failure: { id: 'import.table-unreadable' },
    });
    await t.studio.imports.commit({ id });
    await settled(id);
    await expectWhole(id);
  });
});

it('a thread that runs out of memory ends alone, also where nothing says how many new values its process keeps', async () => {
  const code = `
    import { SessionThread } from ${JSON.stringify(new URL('../session/session-thread.ts', import.meta.url).href)};
    const thread = new SessionThread(${HEAP_MB});
    await thread.open({ id: 'import' });
    const fill = async () => {
      for (let round = 0; ; round++) {
        const records = Array.from({ length: 200 }, (_, n) => JSON.stringify({ text: (round + ' ' + n).repeat(2_000) }));
        await thread.run('import', 'add', { records });
      }
    };
    await fill().catch(({ cause }) => console.log(cause.code));
    await thread.close();
  `;
  const ended = await new Promise((resolve) => {
    execFile(process.execPath, ['--input-type=module', '-e', code], (error, out) => resolve({ error, out }));
  });
  expect(ended).toEqual({ error: null, out: 'ERR_WORKER_OUT_OF_MEMORY\n' });
});
