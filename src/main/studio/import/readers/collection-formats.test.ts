import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ImportOptions } from '../../../../contract/index.ts';
import { protocolMetadata } from '../../projects/metadata.ts';
import { planCommit } from '../commit/commit-plan.ts';
import { problemsOf } from '../rows/validate.ts';
import { importFiles, png, sessionOf } from '../test-support/import-files.ts';

/** Rows of the large collections. */
const ROWS = process.env.PLANCHET_LONG ? 10_000 : 2_000;
const json = (value: unknown): string => JSON.stringify(value);
const codes = (rows: Awaited<ReturnType<typeof importFiles>>['rows']): string[] =>
  rows.map((row) =>
    problemsOf(row)
      .map(({ code }) => code)
      .join(),
  );

/** One token with its picture, under the name `1`. */
const token = (fields: Record<string, unknown>) => ({
  '1.png': png('1'),
  '1.json': json({ name: 'N', image: '1.png', ...fields }),
});

describe('pictures and rows of a collection', () => {
  it('HashLips for Solana with the combined file alone: matched by edition', async () => {
    const all = [1, 0].map((n) => ({ name: `Ape ${n}`, image: 'image.png', edition: n, dna: `d${n}`, attributes: [] }));
    const { rows } = await importFiles({ '0.png': png('0'), '1.png': png('1'), '_metadata.json': json(all) });
    expect(rows.map(({ name, file }) => [name, file?.path])).toEqual([
      ['Ape 1', '1.png'],
      ['Ape 0', '0.png'],
    ]);
  });

  it('a table without a file column: by the names of the tokens', async () => {
    const table = 'name,Eyes\nBlue Ring,open\nring_two,shut\n';
    const { rows, match, findings } = await importFiles({
      'ring-two.png': png('2'),
      'blue-ring.PNG': png('1'),
      'list.csv': table,
    });
    expect(rows.map(({ file }) => file?.path)).toEqual(['blue-ring.PNG', 'ring-two.png']);
    expect([match, findings]).toEqual(['stem', []]);
  });

  it('of files with one name the one beside the metadata, not that of another folder', async () => {
    const { rows } = await importFiles({
      'backup/0.png': png('old'),
      'nft/0.png': png('new'),
      'nft/0.json': json({ name: 'Zero', image: '0.png', attributes: [] }),
      'nft/1.png': png('1'),
      'nft/1.json': json({ name: 'One', image: 'ipfs://NewUriToReplace/1.png', attributes: [] }),
      '1.png': png('another'),
    });
    expect(rows.map(({ name, file }) => [name, file?.path])).toEqual([
      ['Zero', 'nft/0.png'],
      ['One', 'nft/1.png'],
    ]);
  });

  it('a table in a folder: its own pictures, by the folders it names', async () => {
    const { rows } = await importFiles({
      'a/images/1.png': png('a1'),
      'b/images/1.png': png('b1'),
      'b/common/2.png': png('b2'),
      'b/rare/2.png': png('b2 rare'),
      'b/list.csv': 'file,name\n1.png,One\nrare/2.png,Two\n',
    });
    expect(rows.map(({ file }) => file?.path)).toEqual(['b/images/1.png', 'b/rare/2.png']);
  });

  it('one picture for all rows, named by each of them', async () => {
    const files = {
      'badge.png': png('badge'),
      'poster-2.png': png('poster'),
      'list.csv': 'file,name,id\nbadge.png,First,1\nbadge.png,Second,2\nbadge.png,Third,3\n',
    };
    const { rows, match, findings } = await importFiles(files, { allowDuplicates: true });
    expect(rows.map(({ file }) => file?.path)).toEqual(['badge.png', 'badge.png', 'badge.png']);
    expect([codes(rows), match, findings]).toEqual([['', '', ''], 'field', []]);
  });

  it("each row's own picture where every row names the same file, as an unchanged template does", async () => {
    const files = Object.fromEntries(
      [0, 1, 2].flatMap((n) => [
        [`${n}.png`, png(`${n}`)],
        [`${n}.json`, json({ name: `Ape ${n}`, image: '0.png', attributes: [] })],
      ]),
    );
    const { rows } = await importFiles(files);
    expect(rows.map(({ file }) => file?.path)).toEqual(['0.png', '1.png', '2.png']);
  });

  it.each<[string, (n: number) => string, number, string]>([
    ['named in a column', (n) => `${n}.png,Ape ${n},${n}`, 1, 'missing-file'],
    ['found by number', (n) => `,Ape ${n},${n}`, 1, 'no-file'],
    ['found by number, files from 0', (n) => `,Ape ${n},${n}`, 0, 'no-file'],
    ['found by order', (n) => `,Ape of ${n % 7} ${'x'.repeat(n % 3)},`, 1, 'no-file'],
  ])(`${ROWS - 1} pictures and ${ROWS} rows, %s: only the last row is without`, async (_, line, firstFile, problem) => {
    const files: Record<string, string | Uint8Array> = {};
    for (let n = 0; n < ROWS - 1; n++) files[`${n + firstFile}.png`] = png(`${n}`);
    const lines = Array.from({ length: ROWS }, (_row, n) => line(n + 1));
    files['list.csv'] = `file,name,id\n${lines.join('\n')}\n`;
    const { rows, unmatched } = await importFiles(files, { pairByOrder: true });
    expect(rows).toHaveLength(ROWS);
    expect(codes(rows).slice(0, -1).filter(Boolean)).toEqual([]);
    expect(codes(rows).at(-1)).toBe(problem);
    expect(rows[999]?.file?.path).toBe(`${999 + firstFile}.png`);
    expect(unmatched).toEqual([]);
  });

  it('a drive that goes away in the middle: what was read stays, the rest is named', async () => {
    const gone = Object.assign(new Error('gone'), { code: 'EIO' });
    const files = {
      '1.png': png('1'),
      '2.png': png('2'),
      'a.csv': 'file,name\n1.png,One\n2.png,Two\n',
      'b.json': '[]',
    };
    const { rows, read } = await importFiles(files, {}, 100_000, (path) => {
      if (path === '2.png' || path === 'b.json') throw gone;
    });
    expect(codes(rows)).toEqual(['', 'file-unreadable']);
    expect(problemsOf(rows[1] as (typeof rows)[number])[0]?.message).toContain('its drive does not answer');
    expect(read.findings.map(({ code, file }) => [code, file])).toEqual([['file-unreadable', 'b.json']]);
  });

  it('a picture of 30 MB: refused by the limit, taken where the limit allows it', async () => {
    const files = { '1.png': Buffer.concat([png('1'), Buffer.alloc(30_000_000)]), 'a.csv': 'file,name\n1.png,One\n' };
    const { rows } = await importFiles(files, {}, 4_000_000);
    expect(problemsOf(rows[0] as (typeof rows)[number])[0]?.message).toContain('the limit is 4000000');
    expect(codes((await importFiles(files, {}, 40_000_000)).rows)).toEqual(['']);
  });

  it('animated PNG and WebP are pictures', async () => {
    const chunk = Buffer.from('\0\0\0\x08acTL', 'latin1');
    const { rows } = await importFiles({
      '1.png': Buffer.concat([png(''), Buffer.from('\0\0\0\rIHDR'), Buffer.alloc(17), chunk]),
      '2.webp': Buffer.from('RIFF\x20\0\0\0WEBPVP8X\x0a\0\0\0\x02', 'latin1'),
      '3.apng': Buffer.concat([png(''), chunk]),
    });
    expect(rows.map(({ contentType }) => contentType)).toEqual(['image/png', 'image/webp', 'image/apng']);
    expect(codes(rows)).toEqual(['', '', '']);
  });

  it.each([
    ['fonts', '<style>@font-face{src:url("https://x/f.woff")}</style>', 'svg-external'],
    ['a style sheet', '<style>@import "https://x/a.css";</style>', 'svg-external'],
    ['a picture', '<image href="//x/1.png"/>', 'svg-external'],
    ['a script', '<script>alert(1)</script>', 'svg-script'],
    ['a handler', '<g onload = "x()"/>', 'svg-script'],
    ['a script behind a numbered character', '<a href="&#106;ava&#x53;cript:alert(1)"/>', 'svg-script'],
    ['a script behind line breaks', '<a href="java&#10;scr\nipt:alert(1)"/>', 'svg-script'],
    ['a picture behind a numbered character', '<image href="&#x68;ttps:&#47;/x/1.png"/>', 'svg-external'],
    ['nothing', '<use href="#a"/>', ''],
    ['numbers that are no characters', '<text>&#1114112;&#xffffffffff;</text>', ''],
  ])('an SVG that loads %s', async (_, body, problem) => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg">${body}</svg>`;
    const utf16 = Buffer.from(`\ufeff${svg}`, 'utf16le');
    const { rows } = await importFiles({ '1.svg': svg, '2.svg': utf16, '3.svg': Buffer.from(utf16).swap16() });
    expect(codes(rows)).toEqual([problem, problem, problem]);
  });
});

describe('fields of a collection', () => {
  it.each([
    ['image/svg+xml', "data:image/svg+xml;utf8,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E"],
    ['image/svg+xml', `data:image/svg+xml;base64,${Buffer.from('<svg/>').toString('base64')}`],
    ['video/mp4', 'data:video/mp4;base64,AAAA'],
  ])('content of the type %s inside the metadata', async (type, uri) => {
    const { rows } = await importFiles({ 'a.json': json([{ name: 'A', animation_url: uri }]) });
    expect(rows[0]?.contentType?.split(';')[0]).toBe(type);
  });

  it.each<[string, string]>([
    ['a sign of text without a name', 'data:image/svg+xml;utf8,%3Csvg width=%22100%25%22/%3E'],
    ['signs that are not escaped', 'data:image/svg+xml;utf8,<svg width="100%"/>'],
    ['a charset', 'data:image/svg+xml;charset=utf-8,%3Csvg width=%22100%25%22/%3E'],
    ['escaped base64', 'data:image/svg+xml;base64,PHN2ZyB3aWR0aD0iMTAwJSIvPg%3D%3D'],
  ])('a data URI with %s is read as a browser reads it', async (_, image) => {
    const { rows } = await importFiles({ 'a.json': json([{ name: 'A', image }]) });
    expect(codes(rows)).toEqual(['']);
    expect(rows[0]?.file?.sha256).toBe(createHash('sha256').update('<svg width="100%"/>').digest('hex'));
  });

  it('the picture is inscribed where there is an animation too; the animation where that is chosen', async () => {
    const files = {
      '1.png': png('1'),
      '1.mp4': Buffer.from('\0\0\0\x18ftypmp42', 'latin1'),
      'a.json': json([{ name: 'A', image: 'ipfs://x/1.png', animation_url: 'https://x/1.mp4?a=b' }]),
    };
    expect((await importFiles(files)).rows[0]?.file?.path).toBe('1.png');
    const session = await sessionOf(files, {}, { image: 'ignore', animation_url: 'file' });
    expect(session.derived().rows[0]?.file?.path).toBe('1.mp4');
  });

  it.each([
    ['rank,rarity', '3,Epic', 3, 'Epic'],
    ['rarity_rank,rarityLabel', '3,Epic', 3, 'Epic'],
    ['rarity,Eyes', '3,open', 3, null],
  ])('the columns %s', async (columns, cells, rank, label) => {
    const { rows } = await importFiles({ '1.png': png('1'), 'a.csv': `file,name,${columns}\n1.png,One,${cells}\n` });
    expect([rows[0]?.rank, rows[0]?.rarityLabel]).toEqual([rank, label]);
  });

  it.each<[string, Record<string, unknown>, { name: string; description: string }]>([
    [
      'collection{name, family}',
      { collection: { name: 'Rings I', family: 'Rings' } },
      { name: 'Rings I', description: 'd' },
    ],
    ['symbol', { symbol: 'RNG', seller_fee_basis_points: 0 }, { name: 'RNG', description: 'd' }],
    ['the names of the tokens alone', {}, { name: 'N', description: 'd' }],
  ])('what %s says is offered for the collection', async (_, fields, expected) => {
    const tokens = [1, 2].map((n) => ({ name: `N${n}`, description: 'd', image: `${n}.png`, ...fields }));
    const session = await sessionOf({ '1.png': png('1'), '2.png': png('2'), 'a.json': json(tokens) });
    expect(session.mapping().collectionProposal).toEqual(expected);
    const different = tokens.map((one, n) => ({ ...one, description: `d${n}` }));
    const other = await sessionOf({ '1.png': png('1'), '2.png': png('2'), 'a.json': json(different) });
    expect(other.mapping().collectionProposal.description).toBe('');
  });

  it('royalties are proposed by share; none are written before a person names a destination', async () => {
    const creators = [
      { address: 'So1', share: 60 },
      { address: 'So2', share: 40 },
    ];
    const session = await sessionOf(token({ seller_fee_basis_points: 500, properties: { creators } }));
    expect(session.mapping().royaltyProposal).toEqual([
      { address: 'So1', percentage: '0.03' },
      { address: 'So2', percentage: '0.02' },
    ]);
    expect(session.wholeProblems().map(({ code }) => code)).toEqual(['royalty-destination']);
    expect(planCommit(session).items[0]?.metadata.royalties).toBeUndefined();
  });

  it('a column may have any name, also one that every object has', async () => {
    const session = await sessionOf({ '1.png': png('1'), 'a.csv': 'file,name,Constructor\n1.png,One,Ferrari\n' });
    expect(session.mapping().fields.map(({ target }) => target)).toEqual(['file', 'name', 'trait']);
    expect(session.derived().rows[0]?.traits).toEqual([{ name: 'Constructor', value: 'Ferrari' }]);
  });

  it('values that are lists, objects and booleans become text', async () => {
    const attributes = [
      { trait_type: 'List', value: [1, 'a'] },
      { trait_type: 'Object', value: { a: 1.5 } },
      { trait_type: 'Off', value: false },
    ];
    const { rows } = await importFiles(token({ attributes }));
    expect(rows[0]?.traits.map(({ value }) => value)).toEqual(['[1,"a"]', '{"a":1.5}', 'false']);
  });

  const leftOut = ['external_url', 'background_color', 'youtube_url', 'dna', 'date', 'compiler', 'secret'];
  it.each(leftOut)('%s is left out, and becomes a trait or a key of the token where that is chosen', async (field) => {
    const files = token({ [field]: 'x y' });
    const metadata = async (chosen: Record<string, 'trait' | 'key'>, options: Partial<ImportOptions> = {}) => {
      const session = await sessionOf(files, options, chosen);
      const [item] = planCommit(session).items;
      return protocolMetadata(item?.metadata ?? { name: '', description: '', traits: [] }, 'collectionItem', 'c_0');
    };
    const plain = await metadata({});
    expect(json(plain)).not.toContain('x y');
    expect(await metadata({ [field]: 'key' })).toEqual({ ...plain, [field]: 'x y' });
    const data = JSON.parse((await metadata({ [field]: 'trait' })).subTypeData as string);
    expect(data.traits).toMatchObject([{ name: field, value: 'x y' }]);
  });

  it('a key that the protocol uses itself is refused', async () => {
    const session = await sessionOf(token({ app: 'other' }), {}, { app: 'key' });
    expect(codes(session.derived().rows)).toEqual(['key-invalid']);
  });
});
