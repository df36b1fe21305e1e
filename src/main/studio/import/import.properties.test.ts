import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { importProblemCodes, PlanchetError } from '../../../contract/index.ts';
import { protocolMetadata } from '../projects/metadata.ts';
import { percentages } from '../projects/rarity.ts';
import { readMetadata } from './readers/index.ts';
import { problemsOf, stateOf } from './rows/validate.ts';
import { openSources } from './sources/open-sources.ts';
import { safePath } from './sources/source.ts';
import { importFiles, png } from './test-support/import-files.ts';
import { zipOf } from './test-support/zip-writer.ts';

const long = process.env.PLANCHET_LONG !== undefined;
const numRuns = long ? 40_000 : 200;
/** Milliseconds a test may take. */
const timeout = long ? 1_800_000 : 60_000;
const folder = mkdtempSync(join(tmpdir(), 'planchet-mutated-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const csv = Buffer.from('\ufefffile;name;Eyes;edition\r\n1.png;"One ""and"" more";green;1\r\n2.png;Two;blue;2\r\n');
const json = Buffer.from(
  JSON.stringify([
    { name: 'One', image: '1.png', edition: 1, attributes: [{ trait_type: 'Eyes', value: 'green' }] },
    { name: 'Two', image: '2.png', edition: 2, attributes: [{ trait_type: 'Eyes', value: 5, max_value: 9 }] },
  ]),
);

/** A file with some bytes replaced, put in or taken out. */
const mutated = (bytes: Buffer): fc.Arbitrary<Buffer> =>
  fc
    .array(fc.record({ at: fc.nat(bytes.length), remove: fc.nat(8), put: fc.uint8Array({ maxLength: 8 }) }), {
      minLength: 1,
      maxLength: 6,
    })
    .map((changes) =>
      changes.reduce(
        (text, { at, remove, put }) => Buffer.concat([text.subarray(0, at), put, text.subarray(at + remove)]),
        bytes,
      ),
    );

describe('mutated files', () => {
  it.each([
    ['list.csv', csv],
    ['list.json', json],
  ])(
    '%s never crashes an import, and no row is ready with a file or text that is not shown',
    async (name, bytes) => {
      await fc.assert(
        fc.asyncProperty(mutated(bytes), async (table) => {
          const imported = await importFiles({ '1.png': png('1'), '2.png': png('2'), [name]: table });
          const shown = new Set(imported.read.files.map(({ id }) => id));
          const hashes = new Set<string>();
          for (const row of imported.rows) {
            for (const { code } of problemsOf(row)) expect(importProblemCodes).toContain(code);
            if (stateOf(row) === 'error') continue;
            expect(row.file !== undefined && shown.has(row.file.id)).toBe(true);
            expect(hashes.has(row.file?.sha256 ?? '')).toBe(false);
            hashes.add(row.file?.sha256 ?? '');
            expect(row.name.length).toBeGreaterThan(0);
            // The metadata itself never becomes content.
            expect(row.file?.path).not.toBe(name);
          }
        }),
        { numRuns },
      );
    },
    timeout,
  );

  it(
    'an archive never crashes an import and never gives a path outside it',
    async () => {
      const archive = zipOf([
        { name: 'images/1.png', content: png('1'), deflate: true },
        { name: 'list.csv', content: csv },
      ]);
      const path = join(folder, 'mutated.zip');
      await fc.assert(
        fc.asyncProperty(mutated(archive), async (bytes) => {
          writeFileSync(path, bytes);
          const sources = await openSources([path]).catch((error: unknown) => {
            expect(error).toBeInstanceOf(PlanchetError);
            return undefined;
          });
          for (const entry of sources?.entries ?? []) {
            expect(safePath(entry.path)).toBe(entry.path);
            const read = await entry.read(1_000_000).catch(() => undefined);
            if (read !== undefined) expect(read.length).toBe(entry.bytes);
          }
          await sources?.close();
        }),
        { numRuns: long ? 20_000 : 100 },
      );
    },
    timeout,
  );
});

describe('files made to take long', () => {
  it.each<[string, string, string]>([
    ['blanks in an SVG', '1.svg', `<svg href=${' '.repeat(2_000_000)}>${'url( '.repeat(2_000)}`],
    [
      'attributes',
      '1.json',
      JSON.stringify({ name: 'x', attributes: Array.from({ length: 50_000 }, () => ({ value: 'x' })) }),
    ],
    ['keys', '1.json', JSON.stringify({ name: 'x', image: '1', ...Array.from({ length: 50_000 }, () => 'x') })],
    ['quotation marks', '1.csv', `file,name\n${'"a""b",'.repeat(20_000)}`],
    ['columns', '1.csv', `${'a,'.repeat(20_000)}\n1\n`],
  ])('%s are read like others', async (_, name, content) => {
    const { rows, read } = await importFiles({ [name]: content }, {}, 10_000_000);
    const codes = [
      ...read.findings.map(({ code }) => code),
      ...rows.flatMap((row) => problemsOf(row).map(({ code }) => code)),
    ];
    for (const code of codes) expect(importProblemCodes).toContain(code);
  });
});

describe('metadata', () => {
  const text = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
    .filter((one) => one.trim() === one && one !== '');

  it('comes through JSON, the mapping and subTypeData unchanged, whatever its letters', () => {
    fc.assert(
      fc.property(text, text, text, (name, trait, value) => {
        const token = { name, image: '1.png', attributes: [{ trait_type: trait, value }] };
        const read = readMetadata('1.json', Buffer.from(JSON.stringify(token)));
        expect(read).toMatchObject({ kind: 'token', record: { traits: [{ name: trait, value }] } });
        const written = protocolMetadata(
          { name, description: '', traits: [{ name: trait, value, occurrencePercent: '50' }], mintNumber: 1 },
          'collectionItem',
          `${'ab'.repeat(32)}_0`,
        );
        expect(written.name).toBe(name);
        expect(JSON.parse(written.subTypeData as string)).toMatchObject({
          mintNumber: 1,
          traits: [{ name: trait, value, occurrencePercent: '50' }],
        });
      }),
      { numRuns },
    );
  });

  it('percentages of any counts sum to exactly 100', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(10_000), { minLength: 1, maxLength: 50 }).filter((counts) => counts.some((n) => n > 0)),
        (counts) => {
          const cents = percentages(counts).map((percent) => Math.round(Number(percent) * 100));
          expect(cents.reduce((sum, one) => sum + one, 0)).toBe(10_000);
        },
      ),
      { numRuns },
    );
  });
});
