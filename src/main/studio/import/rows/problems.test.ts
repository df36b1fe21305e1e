import { describe, expect, it } from 'vitest';
import { importFiles, png } from '../test-support/import-files.ts';
import { problemsOf } from './validate.ts';

const json = (value: unknown): string => JSON.stringify(value);

describe('the problems of an import', () => {
  const problems = async (files: Record<string, string | Uint8Array>) =>
    (await importFiles(files)).rows.map((row) =>
      problemsOf(row)
        .map(({ code }) => code)
        .join(),
    );

  it('name a picture that the table calls differently than its file', async () => {
    const files = { '1.png': png('1'), '2.png': png('2'), '1.json': json({ name: 'A', image: '2.png' }) };
    expect(await problems(files)).toEqual(['image-differs']);
  });

  it('name two rows with the same picture, and two with the same number', async () => {
    const files = { '1.png': png('1'), '2.png': png('2'), 't.csv': 'file,name,id\n1.png,A,1\n1.png,B,2\n2.png,C,1\n' };
    expect(await problems(files)).toEqual(['', 'duplicate-content', 'duplicate-number']);
  });

  it('name too long texts, wrong numbers, empty traits and invalid names', async () => {
    const files = {
      'a.png': png('a'),
      'b.png': png('b'),
      'c.json': json({ name: 'C', image: 'a.png', attributes: [{ trait_type: 'Eyes', value: '' }] }),
      'd.json': json({
        name: 'x'.repeat(121),
        image: 'b.png',
        edition: 'first',
        attributes: [{ trait_type: 'type', value: 'x' }],
      }),
    };
    expect(await problems(files)).toEqual(['trait-empty', 'trait-renamed,too-long,number-invalid']);
  });

  it('name hidden marks in names, as warnings', async () => {
    const files = {
      '1.png': png('1'),
      '2.png': png('2'),
      't.csv': 'file,name,collection\n1.png,Mo\u200Bon,Rings\u202E\n2.png,👩🏽‍🚀 קמר,Rings\u202E\n',
    };
    expect(await problems(files)).toEqual(['hidden-marks,hidden-marks', 'hidden-marks']);
    const [row] = (await importFiles(files)).rows;
    expect(row && problemsOf(row)).toMatchObject([
      { severity: 'warning', field: 'name', message: expect.stringContaining('The name holds marks') as string },
      { severity: 'warning', field: 'collectionName', message: expect.stringContaining('U+202E') as string },
    ]);
  });

  it('name files that are too large, empty, of unknown type, or not shown by browsers', async () => {
    const heic = Buffer.from('\0\0\0\x18ftypheic\0\0\0\0', 'latin1');
    const files = {
      '1.png': Buffer.alloc(100_001, 1),
      '2.png': Buffer.alloc(0),
      '3.zzz': Buffer.from([0, 1, 2]),
      '4.heic': heic,
    };
    expect(await problems(files)).toEqual(['file-too-large', 'file-empty', 'type-unknown', 'type-not-viewable']);
  });

  it('name a foreign collection id, and a row of another collection', async () => {
    const files = {
      '1.png': png('1'),
      '2.png': png('2'),
      '3.png': png('3'),
      't.csv': 'file,name,collection,collectionId\n1.png,A,Rings,\n2.png,B,Rings,nowhere_0\n3.png,C,Other,\n',
    };
    expect(await problems(files)).toEqual(['', 'collection-unknown', 'not-in-collection']);
  });

  it.each([
    ['broken.json', '{"name":'],
    ['deep.json', `${'['.repeat(100_000)}`],
    ['open.csv', 'file,name\n"never closed'],
    ['binary.csv', Buffer.from([0xff, 0x00, 0x9f])],
  ])('%s is named and keeps nothing else from being read', async (name, content) => {
    const { read, rows } = await importFiles({ '1.png': png('1'), [name]: content });
    expect(read.findings.map(({ code, file }) => [code, file])).toEqual([['table-unreadable', name]]);
    expect(rows).toHaveLength(1);
  });
});
