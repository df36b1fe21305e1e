import { describe, expect, it } from 'vitest';
import { problemsOf } from '../rows/validate.ts';
import { importFiles, png, sessionOf } from '../test-support/import-files.ts';
import { splitRoyalties } from './metaplex.ts';

const json = (value: unknown): string => JSON.stringify(value);

/** File, name, number and problem codes of each row. */
async function rowsOf(files: Record<string, string | Uint8Array>, options = {}) {
  const { rows } = await importFiles(files, options);
  return rows.map((row) => [
    row.file?.path,
    row.name,
    row.number,
    problemsOf(row)
      .map(({ code }) => code)
      .join(),
  ]);
}

describe('folders people bring', () => {
  const hashLips = (n: number, image: string) => ({
    name: `Ape #${n}`,
    description: 'An ape',
    image,
    dna: `d${n}`,
    edition: n,
    date: 1,
    attributes: [{ trait_type: 'Hat', value: n === 1 ? 'Crown' : 'None' }],
    compiler: 'HashLips Art Engine',
  });

  it('HashLips: pictures from 1, and the combined file does not count twice', async () => {
    const all = [1, 2].map((n) => hashLips(n, `ipfs://NewUriToReplace/${n}.png`));
    const files = {
      'images/1.png': png('1'),
      'images/2.png': png('2'),
      'json/1.json': json(all[0]),
      'json/2.json': json(all[1]),
      'json/_metadata.json': json(all),
    };
    expect(await rowsOf(files)).toEqual([
      ['images/1.png', 'Ape #1', 1, ''],
      ['images/2.png', 'Ape #2', 2, ''],
    ]);
    const { read, unmatched } = await importFiles(files);
    expect(read.tables).toEqual([{ name: '*.json', format: 'hashlips', rows: 2 }]);
    expect(unmatched).toEqual([]);
  });

  it('HashLips: the combined file alone, and with a token that has no file of its own', async () => {
    const all = [1, 2].map((n) => hashLips(n, `ipfs://x/${n}.png`));
    const images = { '1.png': png('1'), '2.png': png('2') };
    const expected = [
      ['1.png', 'Ape #1', 1, ''],
      ['2.png', 'Ape #2', 2, ''],
    ];
    expect(await rowsOf({ ...images, '_metadata.json': json(all) })).toEqual(expected);
    expect(await rowsOf({ ...images, '1.json': json(all[0]), '_metadata.json': json(all) })).toEqual(expected);
  });

  it('HashLips for Solana: every image is called image.png, so the number of the file counts', async () => {
    const files = Object.fromEntries(
      [0, 1].flatMap((n): [string, string | Uint8Array][] => [
        [`images/${n}.png`, png(`${n}`)],
        [`json/${n}.json`, json(hashLips(n, 'image.png'))],
      ]),
    );
    expect(await rowsOf(files)).toEqual([
      ['images/0.png', 'Ape #0', 0, ''],
      ['images/1.png', 'Ape #1', 1, ''],
    ]);
  });

  it('HashLips with gifs: pictures unless the gifs are chosen', async () => {
    const files = {
      'images/1.png': png('1'),
      'gifs/1.gif': Buffer.from('GIF89a1'),
      'json/1.json': json(hashLips(1, '1.png')),
    };
    expect((await rowsOf(files))[0]?.[0]).toBe('images/1.png');
    const { unmatched } = await importFiles(files);
    expect(unmatched).toEqual([]);
    const gif = { ...files, 'json/1.json': json(hashLips(1, 'image.png')) };
    expect((await rowsOf(gif, { folder: 'gifs' }))[0]?.[0]).toBe('gifs/1.gif');
  });

  it('Metaplex: files from 0, and the collection has its own', async () => {
    const token = (n: number) => ({
      name: `Ring #${n}`,
      symbol: 'RNG',
      description: 'r',
      image: `${n}.png`,
      seller_fee_basis_points: 500,
      attributes: [],
      properties: { files: [{ uri: `${n}.png`, type: 'image/png' }], creators: [{ address: 'So1', share: 100 }] },
    });
    const { rows, read, unmatched, fields } = await importFiles({
      'assets/0.png': png('0'),
      'assets/0.json': json(token(0)),
      'assets/1.png': png('1'),
      'assets/1.json': json(token(1)),
      'assets/collection.png': png('c'),
      'assets/collection.json': json({ name: 'Rings', description: 'All rings', image: 'collection.png' }),
    });
    expect(rows.map(({ file, number }) => [file?.path, number])).toEqual([
      ['assets/0.png', 0],
      ['assets/1.png', 1],
    ]);
    expect(read.collection).toEqual({ name: 'Rings', description: 'All rings' });
    expect(unmatched).toEqual([]);
    expect(fields.find(({ target }) => target === 'royaltyBasisPoints')?.example).toBe('500');
  });

  it.each(['file', 'file_name', 'filename', 'image', 'File Name'])(
    'loose files with a table whose column is %s',
    async (column) => {
      const table = `${column},name\nb.png,B\na.PNG,A\n`;
      expect(await rowsOf({ 'a.png': png('a'), 'b.png': png('b'), 'list.csv': table })).toEqual([
        ['b.png', 'B', 1, ''],
        ['a.png', 'A', 2, ''],
      ]);
    },
  );

  it.each([
    ['an escape', 'Mein%20Bild.png', 'Mein%20Bild.png'],
    ['a percent sign', '50%.png', '50%.png'],
    ['a blank at its start', ' Sonne.png', ' Sonne.png'],
    ['a number sign behind a colon', 'Blatt:1#2.png', 'Blatt:1#2.png'],
    ['an accent that is written in two characters', 'Mu\u0308ller.png', 'Müller.png'],
  ])('a file whose name has %s is found by it', async (_, path, name) => {
    const table = `file,name\n${name},A\nother.png,B\n`;
    expect(await rowsOf({ [path]: png('a'), 'other.png': png('b'), 'list.csv': table })).toEqual([
      [path, 'A', 1, ''],
      ['other.png', 'B', 2, ''],
    ]);
    const beside = { [path]: png('a'), [`${path.slice(0, -4)}.json`]: json({ name: 'A', image: 'A' }) };
    expect(await rowsOf(beside)).toEqual([[path, 'A', expect.any(Number), '']]);
  });

  it('pictures whose names have accents in two characters: the names of the tokens have them in one, and all are found', async () => {
    const session = await sessionOf({ 'mu\u0308ller.png': png('a'), 'other.png': png('b') });
    expect(session.rows('all', 'MÜLLER').map(({ name }) => name)).toEqual(['Müller']);
    expect(session.rows('all', 'Mu\u0308ller')).toHaveLength(1);
    expect(session.files('all', 'Müller')).toHaveLength(1);
  });

  it('a table without a file column: by number, and files from 0 beside rows from 1', async () => {
    const { rows, findings } = await importFiles({
      '0.png': png('0'),
      '1.png': png('1'),
      'list.csv': 'id,name\n1,A\n2,B\n',
    });
    expect(rows.map(({ file }) => file?.path)).toEqual(['0.png', '1.png']);
    expect(findings).toMatchObject([{ code: 'numbering-shifted', values: { files: 0, rows: 1 } }]);
  });

  it('nothing but pictures: names from the files, numbers from their digits', async () => {
    expect(await rowsOf({ 'ring-010.png': png('10'), 'ring-007.png': png('7') })).toEqual([
      ['ring-007.png', 'Ring 007', 7, ''],
      ['ring-010.png', 'Ring 010', 10, ''],
    ]);
  });

  it('a table alone is metadata, never a token', async () => {
    const { rows, read } = await importFiles({ 'list.csv': 'file,name\n1.png,One\n', 'package.json': '{"version":1}' });
    expect(read.files).toEqual([]);
    expect(rows.map((row) => problemsOf(row).map(({ code }) => code))).toEqual([['missing-file']]);
    expect(read.findings.map(({ code }) => code)).toEqual(['not-metadata']);
  });
});

describe('fields people bring', () => {
  const one = async (token: Record<string, unknown>) => {
    const { rows } = await importFiles({ '1.png': png('1'), '1.json': json({ image: '1.png', name: 'N', ...token }) });
    return rows[0];
  };

  it.each([
    [{ trait_type: 'Level', value: 5 }, 'Level', '5'],
    [{ trait_type: 'Level', value: 5, max_value: 10 }, 'Level', '5/10'],
    [{ trait_type: 'Boost', value: 10, display_type: 'boost_number' }, 'Boost', '+10'],
    [{ trait_type: 'Boost', value: 10, display_type: 'boost_percentage' }, 'Boost', '+10%'],
    [{ trait_type: 'Born', value: 1_546_360_800, display_type: 'date' }, 'Born', '2019-01-01'],
    [{ value: 'Happy' }, 'Property', 'Happy'],
    [{ trait_type: 'Hat', value: null }, 'Hat', 'None'],
    [{ trait_type: 'Hat', value: true }, 'Hat', 'true'],
    [{ trait_type: 'عين 👁', value: '🟢 أخضر' }, 'عين 👁', '🟢 أخضر'],
  ])('attribute %j is the trait %s: %s', async (attribute, name, value) => {
    expect((await one({ attributes: [attribute] }))?.traits).toEqual([{ name, value }]);
  });

  it('attributes as an object, numbers as they are written', async () => {
    const text = '{"name":"N","image":"1.png","attributes":{"Weight":1.50,"Big":1e400}}';
    const { rows } = await importFiles({ '1.png': png('1'), '1.json': text });
    expect(rows[0]?.traits).toEqual([
      { name: 'Weight', value: '1.50' },
      { name: 'Big', value: '1e400' },
    ]);
  });

  it('columns of a table are traits; what describes a web page is left out but offered', async () => {
    const { rows, fields } = await importFiles({
      '1.png': png('1'),
      'list.csv': 'file,title,Eyes,attributes[Hat],external_url,dna\n1.png,One,green,Crown,https://x,abc\n',
    });
    expect(rows[0]).toMatchObject({
      name: 'One',
      traits: [
        { name: 'Eyes', value: 'green' },
        { name: 'Hat', value: 'Crown' },
      ],
    });
    expect(fields.filter(({ target }) => target === 'ignore').map(({ field, example }) => [field, example])).toEqual([
      ['external_url', 'https://x'],
      ['dna', 'abc'],
    ]);
  });

  it('unknown keys of JSON are left out', async () => {
    expect((await one({ secret: 'x', attributes: [] }))?.traits).toEqual([]);
  });

  it.each(['edition', 'tokenID', 'token_id', 'id'])('%s is the mint number', async (key) => {
    expect((await one({ [key]: 42 }))?.number).toBe(42);
  });

  it('content in the metadata itself becomes the file', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>';
    const data = `data:image/png;base64,${png('inside').toString('base64')}`;
    const { rows } = await importFiles({
      'list.json': json([
        { name: 'A', image_data: svg },
        { name: 'B', image: data },
        { name: 'C', image: 'https://example.com/far.png' },
      ]),
    });
    expect(rows.map(({ file, contentType }) => [file?.path, contentType])).toEqual([
      ['list.json:1', 'image/svg+xml'],
      ['list.json:2', 'image/png'],
      [undefined, null],
    ]);
    expect(
      rows.map((row) =>
        problemsOf(row)
          .map(({ code }) => code)
          .join(),
      ),
    ).toEqual(['svg-script', '', 'missing-file']);
  });

  it('1Sat MAP metadata is read with its subTypeData', async () => {
    const { rows, read } = await importFiles({
      '1.png': png('1'),
      '1.json': json({
        app: 'x',
        type: 'ord',
        name: 'One',
        subType: 'collectionItem',
        subTypeData: json({
          mintNumber: 3,
          rank: 2,
          rarityLabel: 'Rare',
          description: 'd',
          traits: [{ name: 'Eyes', value: 'red' }],
        }),
      }),
    });
    expect(read.tables[0]?.format).toBe('1sat');
    expect(rows[0]).toMatchObject({
      name: 'One',
      number: 3,
      rank: 2,
      rarityLabel: 'Rare',
      traits: [{ name: 'Eyes', value: 'red' }],
    });
  });

  it('royalties are split by share', () => {
    const creators = [
      { address: 'a', share: 70 },
      { address: 'b', share: 30 },
      { address: 'c', share: 0 },
    ];
    expect(splitRoyalties(500, creators)).toEqual([
      { address: 'a', percentage: '0.035' },
      { address: 'b', percentage: '0.015' },
    ]);
    expect(splitRoyalties(500, [{ address: 'a', share: 100 }])).toEqual([{ address: 'a', percentage: '0.05' }]);
  });

  const table = 'file;name;Größe\n1.png;"Zwei\nZeilen";1,5\n';
  const utf16 = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
  it.each<[string, string | Uint8Array]>([
    ['UTF-8', table],
    ['UTF-8 with a byte order mark', `\ufeff${table}`],
    ['UTF-16', utf16(table)],
    ['UTF-16 of the other order', utf16(table).swap16()],
    ['lines of Windows', table.replaceAll('\n', '\r\n')],
    ['commas', 'file,name,Größe\n1.png,"Zwei\nZeilen","1,5"\n'],
    ['tabs', 'file\tname\tGröße\n1.png\t"Zwei\nZeilen"\t1,5\n'],
  ])('a table in %s', async (_, content) => {
    const { rows, read } = await importFiles({ '1.png': png('1'), 'list.csv': content });
    expect(read.findings).toEqual([]);
    expect(rows).toHaveLength(1);
    expect(rows[0]?.name.replace('\r', '')).toBe('Zwei\nZeilen');
    expect(rows[0]?.traits).toEqual([{ name: 'Größe', value: '1,5' }]);
  });

  it.each([
    ['header', 'file,name,Eyes\n', '"1.png","One","green"\r\n"2.png","Two","blue"\r\n'],
    ['rows', 'file,name,Eyes\r\n', '1.png,One,green\n2.png,Two,blue\n'],
  ])('a table whose %s end in another way than the rest of its lines', async (_, header, body) => {
    const { rows } = await importFiles({ '1.png': png('1'), '2.png': png('2'), 'list.csv': header + body });
    expect(rows.map(({ name, traits, record }) => [name, traits, record.line])).toEqual([
      ['One', [{ name: 'Eyes', value: 'green' }], 2],
      ['Two', [{ name: 'Eyes', value: 'blue' }], 3],
    ]);
  });

  it.each([
    ['leading-zeros', ['007', '8', '010']],
    ['decimal-comma', ['1,5', '2,25']],
    ['date', ['1-Feb', 'L', '3-4']],
    [null, ['1', '2', '30']],
    [null, ['1.png', '10.png', 'a.gif', '100.png']],
  ])('points at a column that looks damaged: %s', async (damaged, values) => {
    const rows = values.map((value, n) => `${n}.png;N${n};${value}`).join('\n');
    const { fields } = await importFiles({ 'list.csv': `file;name;Code\n${rows}\n` });
    expect(fields.find(({ field }) => field === 'Code')?.damaged).toBe(damaged);
  });

  it.each([
    ['sep=;\r\n', ';'],
    ['\ufeffsep=;\n', ';'],
    ['SEP=,\r', ','],
    ['"sep=\t"\r\n', '\t'],
    ['sep=|\n', '|'],
  ])('reads a table whose first line says how its cells are separated: %j', async (first, separator) => {
    const rows = ['file,name,Kind', '1.png,One,a', '2.png,Two,b'];
    const text = `${first}${rows.map((row) => row.replaceAll(',', separator)).join('\r\n')}`;
    const { rows: found } = await importFiles({ 'list.csv': text });
    expect(found.map(({ file, name, record }) => [file?.path, name, record?.line])).toEqual([
      [undefined, 'One', 3],
      [undefined, 'Two', 4],
    ]);
  });

  it('reads 50,000 rows with semicolons and a byte order mark', { tags: 'long' }, async () => {
    const rows = Array.from({ length: 50_000 }, (_, n) => `${n}.png;Name ${n};${n % 7}`).join('\r\n');
    const { rows: found } = await importFiles({ 'list.csv': `\ufefffile;name;Kind\r\n${rows}\r\n` });
    expect(found).toHaveLength(50_000);
    expect(found[49_999]).toMatchObject({ name: 'Name 49999', record: { line: 50_001 } });
  });
});
