import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { inscriptionScript, parseInscription, readInscription } from '../../../chain/index.ts';
import { importProblemCodes, mapKeySchema, PlanchetError, traitSchema } from '../../../contract/index.ts';
import { checkedMetadata, protocolMetadata } from '../projects/metadata.ts';
import { percentages } from '../projects/rarity.ts';
import { planCommit } from './commit/commit-plan.ts';
import { readMetadata } from './readers/index.ts';
import { problemsOf } from './rows/validate.ts';
import { openSources } from './sources/open-sources.ts';
import { safePath } from './sources/source.ts';
import { importFiles, png, sessionOf } from './test-support/import-files.ts';
import { zipOf } from './test-support/zip-writer.ts';

const long = process.env.PLANCHET_LONG !== undefined;
const numRuns = long ? 40_000 : 100;
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

/** Tokens of any shape under the keys that are read. */
const shapedTokens = fc
  .array(
    fc.dictionary(
      fc.constantFrom(
        'name',
        'image',
        'edition',
        'attributes',
        'traits',
        'description',
        'type',
        'subTypeData',
        'rank',
        'x',
      ),
      fc.oneof(
        fc.string({ unit: 'binary', maxLength: 20 }),
        fc.constantFrom('1.png', '2.png', 'https://x/2.png'),
        fc.jsonValue({ maxDepth: 3 }),
        fc.array(fc.record({ trait_type: fc.jsonValue({ maxDepth: 1 }), value: fc.jsonValue({ maxDepth: 1 }) })),
      ),
    ),
    { maxLength: 4 },
  )
  .map((tokens) => Buffer.from(JSON.stringify(tokens)));

describe('mutated files', () => {
  it.each<[string, string, fc.Arbitrary<Buffer>, number]>([
    ['a table', 'list.csv', mutated(csv), long ? 30_000 : 600],
    ['a list of tokens', 'list.json', mutated(json), long ? 30_000 : 600],
    ['a list of tokens of any shape', 'list.json', shapedTokens, long ? 20_000 : 200],
  ])(
    '%s never crashes an import, and nothing is made that is not shown',
    async (_, name, tables, runs) => {
      await fc.assert(
        fc.asyncProperty(tables, async (table) => {
          const session = await sessionOf({ '1.png': png('1'), '2.png': png('2'), [name]: table });
          session.mapping();
          const views = new Map(session.rows('all', '').map((row) => [row.id, session.view(row)]));
          for (const { problems } of views.values()) {
            for (const { code } of problems) expect(importProblemCodes).toContain(code);
          }
          const { items } = planCommit(session);
          const fine = [...views.values()].filter(({ state }) => state === 'ready' || state === 'warning');
          expect(items.map(({ row }) => row?.id)).toEqual(fine.map(({ row }) => row));
          const hashes = new Set<string>();
          for (const { row, file, metadata } of items) {
            const shown = views.get(row?.id ?? -1);
            expect(shown?.file).toMatchObject({ sha256: file.sha256, contentType: file.contentType });
            // The metadata itself never becomes content.
            expect(['1.png', '2.png']).toContain(shown?.file?.name);
            expect(hashes.has(file.sha256)).toBe(false);
            hashes.add(file.sha256);
            expect(metadata.name).toBe(shown?.name);
            expect(metadata.description).toBe(shown?.description);
            expect(metadata.mintNumber ?? null).toBe(shown?.number);
            expect(metadata.traits.map((trait) => [trait.name, trait.value])).toEqual(
              shown?.traits.map((trait) => [trait.name, trait.value]),
            );
            expect(metadata.keys ?? []).toEqual(shown?.keys);
            // Metadata of a ready row can be stored unchanged.
            expect(checkedMetadata(metadata)).toEqual(metadata);
          }
        }),
        { numRuns: runs },
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
        { numRuns: long ? 20_000 : 200 },
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
    .string({ unit: 'binary', minLength: 1, maxLength: 40 })
    .filter((one) => one.trim() === one && one !== '' && !one.includes('\0'));
  const name = text.filter((one) => traitSchema.shape.name.safeParse(one).success && one !== '__proto__');
  const key = text.filter((one) => mapKeySchema.shape.name.safeParse(one).success);

  it('comes through JSON, the mapping, subTypeData and the script unchanged, whatever its letters', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, name, text, key, text, async (title, description, trait, value, field, content) => {
        fc.pre(trait !== field);
        const token = { name: title, image: '1.png', attributes: [{ trait_type: trait, value }] };
        const read = await readMetadata('1.json', Buffer.from(JSON.stringify(token)));
        expect(read).toMatchObject({ kind: 'token', record: { traits: [{ name: trait, value }] } });
        const metadata = checkedMetadata({
          name: title,
          description,
          traits: [{ name: trait, value, occurrencePercent: '50' }],
          mintNumber: 1,
          keys: [{ name: field, value: content }],
        });
        for (const subType of ['collectionItem', 'single'] as const) {
          const written = protocolMetadata(metadata, subType, `${'ab'.repeat(32)}_0`);
          const inscribed = {
            pubKeyHash: new Uint8Array(20),
            contentType: 'text/plain;charset=utf-8',
            content: Buffer.from(description),
            map: written,
          };
          const script = inscriptionScript(inscribed);
          expect(parseInscription(script)?.map).toEqual(written);
          expect(Buffer.from(parseInscription(script)?.content ?? []).toString()).toBe(description);
          const shown = Object.fromEntries(Object.entries(readInscription(script)?.map ?? {}));
          expect(shown).toEqual(written);
          expect(written).toMatchObject({ name: title, description, [field]: content });
        }
        const data = protocolMetadata(metadata, 'collectionItem', 'c_0').subTypeData as string;
        expect(JSON.parse(data)).toMatchObject({
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
