import { expect, it } from 'vitest';
import { type ImportStatus, importOpenInputSchema } from '../../../contract/index.ts';
import { heldBy } from '../../test-support/held.ts';
import { png } from './test-support/import-files.ts';
import { ImportHarness } from './test-support/import-harness.ts';

const LONG = process.env.PLANCHET_LONG !== undefined;
const BOUND = { milliseconds: 250, bytes: 64 * 1_048_576 };
/** The largest tables that are allowed, or a slice of them. */
const ROWS = LONG ? 49_999 : 500;

const harness = ImportHarness.forTests({ isFresh: true });
const list = (count: number, one: (n: number) => string, by = ','): string =>
  Array.from({ length: count }, (_, n) => one(n)).join(by);
const columns = (row: number): string =>
  list(40, (n) => (n === 0 ? `Ring ${row}` : n === 1 ? `${row % 100}.png` : `v${(row * n) % 97}`));

const traits = (row: number): string => list(24, (n) => `{"trait_type":"t${n}","value":"v${(row * n) % 97}"}`);
const tables: Record<string, () => [name: string, content: string]> = {
  'of 2,000,000 cells': () => [
    'a.csv',
    `name,file,${list(38, (n) => `c${n}`)}\n${list(ROWS, (row) => columns(row), '\n')}`,
  ],
  'of 44 MB of traits': () => [
    'a.json',
    `[${list(ROWS, (row) => `{"name":"R ${row}","image":"${row % 100}.png","attributes":[${traits(row)}]}`)}]`,
  ],
  'of 58 MB of text': () => [
    'a.json',
    `[${list(ROWS, (row) => `{"name":"R ${row}","image":"${row % 100}.png","description":"${'x'.repeat(1_100)}"}`)}]`,
  ],
};

async function settled(id: string): Promise<ImportStatus> {
  for (;;) {
    const status = await harness.t.studio.imports.status({ id });
    if (status.phase !== 'reading' && status.phase !== 'committing') return status;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** `npm test` has only the table with the most cells. */
it.each(Object.keys(tables).slice(0, LONG ? undefined : 1))(
  'a table %s is read, understood and imported within 250 ms of the thread at a time and 64 MB',
  { timeout: 3_600_000 },
  async (key) => {
    for (let n = 0; n < 100; n++) harness.put(`${n}.png`, png(String(n)));
    harness.put(...(tables[key] as () => [string, string])());
    const { imports } = harness.t.studio;
    const input = importOpenInputSchema.parse({ paths: [`${harness.folder}/art`], projectName: 'Rings' });
    let id = '';
    const steps: Record<string, () => unknown> = {
      reading: async () => {
        id = (await imports.open(input)).id;
        expect(await settled(id)).toMatchObject({ phase: 'ready', rows: ROWS, ready: 100, withErrors: ROWS - 100 });
      },
      rows: () => harness.rows(id, { filter: 'errors' }),
      mapping: () => imports.mapping.get({ id }),
      traits: () => imports.traits({ id }),
      deciding: () => imports.mapping.set({ id, options: { allowDuplicates: true } }),
      committing: async () => {
        await imports.commit({ id });
        expect(await settled(id)).toMatchObject({ phase: 'done', imported: ROWS });
      },
    };
    for (const [step, work] of Object.entries(steps)) {
      // a reading and a commit cannot be repeated
      const held = await heldBy(async () => work(), BOUND, 1);
      expect(held.milliseconds, step).toBeLessThanOrEqual(BOUND.milliseconds);
      expect(held.bytes, step).toBeLessThanOrEqual(BOUND.bytes);
    }
  },
);

it('a commit that is stopped in its middle, again and again, loses no row and makes none twice', {
  tags: 'long',
}, async () => {
  const count = 1_500;
  harness.put('1.png', png('1'));
  harness.put('a.csv', `name,file,c\n${list(count, (row) => `Ring ${row},1.png,${row % 7}`, '\n')}`);
  const { id } = await harness.read({ paths: [`${harness.folder}/art`] });
  await harness.t.studio.imports.mapping.set({ id, options: { allowDuplicates: true } });
  await harness.t.studio.imports.commit({ id });
  const stops: number[] = [];
  while (stops.length < 2) {
    let status = await harness.t.studio.imports.status({ id });
    while (status.done === 0 && status.phase === 'committing') status = await harness.t.studio.imports.status({ id });
    stops.push(status.imported);
    await harness.restart();
  }
  expect(stops[0]).toBeLessThan(count);
  const done = await settled(id);
  expect(done).toMatchObject({ phase: 'done', imported: count });
  const items = await harness.t.studio.items.list({ projectUid: done.projectUid as string });
  const made = items.filter(({ subType }) => subType === 'collectionItem');
  expect(items).toHaveLength(count + 1);
  expect(new Set(made.map(({ metadata }) => metadata.name)).size).toBe(count);
  expect(made.map(({ metadata }) => metadata.mintNumber).sort((a, b) => Number(a) - Number(b))).toEqual(
    Array.from({ length: count }, (_, n) => n + 1),
  );
  const shares = new Set(made.map(({ metadata }) => metadata.traits.map((one) => one.occurrencePercent).join()));
  expect([...shares].every((share) => /^14\.[23]\d?$/.test(share))).toBe(true);
  const token = items.find(({ subType }) => subType === 'collection');
  expect(token?.metadata.collection?.quantity).toBe(count);
});
