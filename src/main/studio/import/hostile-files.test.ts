import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { importOpenInputSchema } from '../../../contract/index.ts';
import { type Json, readJson, textOf } from './readers/json.ts';
import { png, sessionOf } from './test-support/import-files.ts';
import { ImportHarness } from './test-support/import-harness.ts';
import { zipOf } from './test-support/zip-writer.ts';

const LONG = process.env.PLANCHET_LONG !== undefined;
/** The long run has 60 MB of a table and 12 MB of one token; `npm test` has a part of that. */
const PART = LONG ? 1 : 25;
const harness = ImportHarness.forTests();
const list = (count: number, one: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => one(n)).join(',');

describe('a file that is made to take long', () => {
  const made: [string, string, string, RegExp][] = [
    ['many small objects', 'a.json', `[${'{"name":1},'.repeat(5_500_000 / PART)}1]`, /more than 50,000 rows/],
    [
      'many empty lists',
      'a.json',
      `{"items":[${'[],'.repeat(20_000_000 / Math.min(PART, 4))}1]}`,
      /more than 4,000,000 values/,
    ],
    ['many members', 'a.json', `{"image":"y",${list(900_000 / PART, (n) => `"k${n}":1`)}}`, /more than 1,000 members/],
    ['many open brackets', 'a.json', '['.repeat(12_000_000 / PART), /nested too deeply/],
    [
      'a list of tokens inside',
      'a.json',
      `{"items":[${list(50_001, () => '{"image":"y"}')}]}`,
      /more than 50,000 rows/,
    ],
    [
      'a table of 1,000 columns',
      'a.csv',
      `${list(1_000, (n) => `c${n}`)}\n${`${list(1_000, String)}\n`.repeat(3_000 / PART)}`,
      /more than 250 columns/,
    ],
    [
      'a table of separators',
      'a.csv',
      `a,b\n${`${','.repeat(200)}\n`.repeat(300_000 / PART)}`,
      /more than 2,000,000 cells/,
    ],
  ];
  // `npm test` has every second case
  it.each(made.filter((_, at) => LONG || at % 2 === 0))(
    '%s is reported with its reason',
    async (_, name, content, message) => {
      const path = harness.put('art.zip', zipOf([{ name, content: Buffer.from(content), deflate: true }]));
      const status = await harness.read({ paths: [path] });
      const { failure } = status;
      // a file that packs to a hundredth is reported before it is unpacked
      expect(failure).toMatchObject({ id: expect.stringMatching(/table-unreadable|archive-too-large/) });
      if (failure?.id === 'import.table-unreadable') expect(failure.message).toMatch(message);
      const plain = await harness.read({ paths: [harness.put(name, content)] });
      expect(plain.failure?.message).toMatch(message);
    },
  );

  it('tokens with one trait two hundred times: each row is named, with the first of its problems', async () => {
    // 12 MB in the long run
    const count = LONG ? 3_000 : 400;
    const token = `{"name":"a","attributes":[${list(200, () => '{"trait_type":"x"}')}]}`;
    const session = await sessionOf({ 'a.json': `[${list(count, () => token)}]`, '1.png': png('1') });
    expect(session.status()).toMatchObject({ rows: count, withErrors: count });
    const [row] = session.rows('errors', '');
    expect(row?.traits).toEqual([]);
    const problems = row === undefined ? [] : session.problems(row);
    expect(problems).toHaveLength(50);
    expect(problems[0]).toMatchObject({ code: 'no-file', severity: 'error' });
  });

  it('thousands of files of one name, each in the folder of its token: each belongs to its own', async () => {
    const count = LONG ? 20_000 : 2_000;
    const numbers = Array.from({ length: count }, (_, n) => n);
    const files = Object.fromEntries(numbers.map((n) => [`${n}/image.png`, png(String(n))]));
    const rows = numbers.map((n) => `${n}/image.png,Ring ${n}`).join('\n');
    const byTable = await sessionOf({ ...files, 'a.csv': `file,name\n${rows}` });
    const byFolder = await sessionOf({
      ...files,
      ...Object.fromEntries(numbers.slice(0, 2_000).map((n) => [`${n}/1.json`, `{"name":"${n}","image":"image.png"}`])),
    });
    for (const [session, length] of [
      [byTable, count],
      [byFolder, 2_000],
    ] as const) {
      const found = session.derived().rows;
      expect(found).toHaveLength(length);
      for (const { name, file } of found)
        expect(`Ring ${file?.path.split('/')[0]}`.endsWith(name.replace('Ring ', ''))).toBe(true);
    }
  });

  it('one zip bomb among other entries: only it is left out and reported', async () => {
    const filler = Buffer.from(Array.from({ length: 400_000 }, (_, n) => (Math.imul(n, 2_654_435_761) >>> 13) & 255));
    const path = harness.put(
      'art.zip',
      zipOf([
        { name: '1.png', content: Buffer.concat([png('1'), filler]) },
        { name: '2.png', content: Buffer.alloc(40_000_000), deflate: true },
      ]),
    );
    const status = await harness.read({ paths: [path] });
    expect(status).toMatchObject({ phase: 'ready', rows: 1 });
    expect(status.problems).toMatchObject([
      { code: 'file-unreadable', message: expect.stringMatching(/2\.png.*packed too tightly/) },
    ]);
  });
});

describe('a cell that is made to take long', () => {
  const MANY = 400_000;
  it.each<[string, string]>([
    ['a name of digits', `name,file\n${'1'.repeat(MANY)}x,1.png\n${'1'.repeat(MANY)}x,1.png\n`],
    ['a file of letters', `name,file\nOne,.${'a'.repeat(MANY)}.\nTwo,.${'a'.repeat(MANY)}.\n`],
    ['a column of blanks', `name,attributes[${' '.repeat(MANY)}\nOne,1\n`],
  ])('%s is read in linear time', async (_, table) => {
    const session = await sessionOf({ 'a.csv': table, '1.png': png('1') });
    expect(session.mapping().fields.length).toBeGreaterThan(1);
    expect(session.status().rows).toBeGreaterThan(0);
  });
});

describe('a reading', () => {
  it('of one large file ends when the import is discarded, and the next import is read', async () => {
    const path = harness.put(
      'a.json',
      `[${list(40_000, () => `{"name":"a","attributes":[${list(20, (n) => `"v${n}"`)}]}`)}]`,
    );
    const { imports } = harness.t.studio;
    const { id } = await imports.open(importOpenInputSchema.parse({ paths: [path], projectName: 'Rings' }));
    await imports.discard({ id });
    expect(await imports.list()).toEqual([]);
    harness.put('fine/1.json', '{"name":"One","image":"1.png"}');
    harness.put('fine/1.png', png('1'));
    expect(await harness.read({ paths: [join(harness.folder, 'art', 'fine')] })).toMatchObject({
      phase: 'ready',
      ready: 1,
    });
  });

  it('of a large table returns all rows in order, with their embedded contents', { tags: 'long' }, async () => {
    // more cells than the thread returns in one piece
    const traits = list(50, (n) => `{"trait_type":"T${n}","value":"${n}"}`);
    const rows = list(600, (n) => `{"name":"Ring ${n}","image":"data:text/plain,${n + 100}","attributes":[${traits}]}`);
    const { id } = await harness.read({ paths: [harness.put('a.json', `[${rows}]`)], projectType: 'single' });
    const some = await harness.rows(id, { offset: 590, limit: 10 });
    expect(some.map(({ name, traits: own, file }) => [name, own.length, file?.bytes])).toEqual(
      Array.from({ length: 10 }, (_, n) => [`Ring ${590 + n}`, 50, 3]),
    );
  });

  it('computes its rows in steps, so that other calls run in between', async () => {
    const session = await sessionOf({ 'a.csv': `name,a\n${'x,1\n'.repeat(20_000)}` });
    let steps = 0;
    for (const _ of session.prepareSteps()) {
      steps++;
      // A change during the computation takes effect.
      if (steps === 50) {
        session.head.options = { ...session.head.options, nameTemplate: 'Ring' };
        session.touch();
      }
    }
    expect(steps).toBeGreaterThan(300);
    expect([...session.prepareSteps()]).toEqual([]);
    expect(new Set(session.derived().rows.map(({ name }) => name))).toEqual(new Set(['Ring']));
  });
});

describe('JSON', () => {
  /** As `JSON.parse` reads it, with numbers as they are written. */
  const plain = (json: Json): unknown => {
    if (Array.isArray(json)) return json.map(plain);
    if (json instanceof Map) return Object.fromEntries([...json].map(([key, one]) => [key, plain(one)]));
    return typeof json === 'object' && json !== null ? Number(textOf(json)) : json;
  };

  it('is read as JSON.parse reads it', () => {
    const spaced = fc
      .tuple(fc.json({ maxDepth: 5 }), fc.constantFrom(0, 1, 2, '\t', '\r\n '))
      .map(([text, space]) =>
        typeof space === 'string' && space.includes('\r')
          ? JSON.stringify(JSON.parse(text), null, ' ').replaceAll('\n', '\r\n')
          : JSON.stringify(JSON.parse(text), null, space),
      );
    fc.assert(
      fc.property(spaced, (text) => {
        // a plain object cannot have the key __proto__
        fc.pre(!text.includes('__proto__'));
        expect(plain(readJson(Buffer.from(text)))).toEqual(JSON.parse(text));
      }),
    );
    const text = String.raw`{"a\"\\":"\u00e9\n\\","":[],"b":[1.50,-0,1e3,{"__proto__":1}],"c":{} , "d" : "\\\\" }`;
    const json = readJson(Buffer.from(`\ufeff${text}`)) as Map<string, Json>;
    expect([...json.keys()]).toEqual(['a"\\', '', 'b', 'c', 'd']);
    expect(json.get('a"\\')).toBe('é\n\\');
    expect(textOf(json.get('b'))).toBe('[1.50,-0,1e3,{"__proto__":1}]');
    expect(json.get('d')).toBe('\\\\');
  });
});

describe('a table', () => {
  it('does not count separators and line breaks inside quotation marks as cells', async () => {
    harness.put('1.png', png('1'));
    const long = `"${`a,""b"",`.repeat(3_000)}"`;
    harness.put('t.csv', `file,name,description\n1.png,One,${long}\n`);
    const status = await harness.read();
    expect(status).toMatchObject({ phase: 'ready', rows: 1 });
    expect((await harness.rows(status.id))[0]?.description).toHaveLength(18_000);
  });
});
