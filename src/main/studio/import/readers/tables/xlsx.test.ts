import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UnreadableFile } from '../../model.ts';
import { workbookOf, workbookOfTexts } from '../../test-support/workbook.ts';
import { zipOf } from '../../test-support/zip-writer.ts';
import { readXlsx } from './xlsx.ts';

const valuesOf = async (bytes: Uint8Array) =>
  (await readXlsx('Liste.xlsx', bytes)).records.map(({ fields }) => Object.fromEntries(fields));
const reasonOf = async (bytes: Uint8Array): Promise<unknown> => {
  try {
    await readXlsx('Liste.xlsx', bytes);
  } catch (error) {
    if (error instanceof UnreadableFile) return error.reason;
    throw error;
  }
  throw new Error('it was not refused');
};

describe('a workbook', () => {
  it('is read as its first visible sheet, with texts, numbers and gaps as a person sees them', async () => {
    const rows = `<row r="2"><c r="A2" t="s"><v>0</v></c><c r="B2" t="s"><v>1</v></c><c r="D2" t="inlineStr"><is><t>Hut</t></is></c></row>
      <row r="4"><c r="A4" t="s"><v>2</v></c><c r="B4"><v>0.30000000000000004</v></c><c r="D4" t="str"><f>A1&amp;"x"</f><v>Krone</v></c></row>
      <row r="5"><c r="B5" s="1"/><c r="D5"/></row>
      <row><c t="b"><v>1</v></c><c><v>1E3</v></c></row>`;
    const strings = [
      '<t>Na</t><t>me</t>',
      '<r><t>Prei</t></r><r><t>s &amp; Wert</t></r>',
      '<t><![CDATA[Möwe <1>]]></t><rPh><t>kamome</t></rPh>',
    ];
    const { records, format } = await readXlsx('Liste.xlsx', workbookOf({ rows, strings }));
    expect(format).toBe('csv');
    expect(records.map(({ line, fields }) => [line, ...fields.map(([, value]) => value)])).toEqual([
      [4, 'Möwe <1>', '0.3', '', 'Krone'],
      [6, 'TRUE', '1000'],
    ]);
    expect(records[0]?.fields.map(([name]) => name)).toEqual(['Name', 'Preis & Wert', 'Column 3', 'Hut']);
  });

  it('gives line breaks that a spreadsheet writes as numbers as what they are', async () => {
    const rows = `<row><c t="s"><v>0</v></c></row><row><c t="s"><v>1</v></c></row>
      <row><c t="inlineStr"><is><t>a_x0009_b</t></is></c></row><row><c t="str"><v>_x005F_x000D_ _x12_</v></c></row>`;
    const strings = ['<t>name</t>', '<t>eins_x000D_\nzwei</t>'];
    const names = (await valuesOf(workbookOf({ rows, strings }))).map(({ name }) => name);
    expect(names).toEqual(['eins\r\nzwei', 'a\tb', '_x000D_ _x12_']);
  });

  it('shows days, percents and zeros in front as its formats say', async () => {
    const styles = `<numFmts><numFmt numFmtId="164" formatCode="000"/><numFmt numFmtId="165" formatCode="[Red]dd\\.mm\\.yyyy"/>
        <numFmt numFmtId="166" formatCode="0.0&quot; days&quot;"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>
      <cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="165"/><xf numFmtId="22"/><xf numFmtId="10"/><xf numFmtId="164"/><xf numFmtId="166"/></cellXfs>`;
    const cells = [46_458, 46_458.75, 0.6, 0.075, 7, 2.5];
    const row = `<row>${cells.map((value, at) => `<c s="${[1, 3, 3, 4, 5, 6][at]}"><v>${value}</v></c>`).join('')}</row>`;
    const head = `<row>${['day', 'moment', 'time', 'share', 'number', 'length'].map((name) => `<c t="str"><v>${name}</v></c>`).join('')}</row>`;
    expect(await valuesOf(workbookOf({ rows: head + row, styles }))).toEqual([
      { day: '2027-03-12', moment: '2027-03-12 18:00', time: '14:24', share: '7.5%', number: '007', length: '2.5' },
    ]);
    const since1904 = await valuesOf(workbookOf({ rows: head + row, styles, properties: 'date1904="1"' }));
    expect(since1904[0]?.day).toBe('2031-03-13');
  });

  it('is refused in words where it is damaged, encrypted, or too large', async () => {
    expect(await reasonOf(new Uint8Array(100))).toMatchObject({ key: 'import.word.damaged' });
    const good = workbookOfTexts([['a'], ['b']]);
    expect(await reasonOf(good.subarray(0, good.length - 30))).toMatchObject({ key: 'import.word.damaged' });
    const locked = Buffer.from(good);
    locked.writeUInt16LE(1, locked.indexOf('PK\x01\x02', 0, 'latin1') + 8);
    expect(await reasonOf(locked)).toMatchObject({ key: 'import.word.encrypted' });
    expect(await reasonOf(zipOf([{ name: 'a.txt', content: new Uint8Array(9) }]))).toMatchObject({
      key: 'import.word.damaged',
    });
    const wide = '<row><c r="ZZZ1"><v>1</v></c></row>';
    expect(await reasonOf(workbookOf({ rows: wide }))).toMatchObject({ key: 'import.word.columns' });
    const sparse = '<row><c r="IP1"><v>1</v></c></row>'.repeat(8_100);
    expect(await reasonOf(workbookOf({ rows: sparse }))).toMatchObject({ key: 'import.word.cells' });
    const repeated = `<row>${'<c t="s"><v>0</v></c>'.repeat(65)}</row>`;
    const strings = [`<t>${'x'.repeat(1_000_000)}</t>`];
    expect(await reasonOf(workbookOf({ rows: repeated, strings }))).toMatchObject({
      key: 'import.word.packed-tightly',
    });
    const bomb = zipOf([{ name: 'xl/worksheets/sheet1.xml', content: new Uint8Array(130_000_000), deflate: true }]);
    expect(await reasonOf(bomb)).toMatchObject({ key: 'import.word.packed-tightly' });
  });

  it('gives rows or a reason, whatever bytes of it are changed', async () => {
    const good = workbookOfTexts([
      ['name', 'address'],
      ['Bob & Co', 'mAone'],
    ]);
    expect(await valuesOf(good)).toEqual([{ name: 'Bob & Co', address: 'mAone' }]);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { maxLength: 6 }), async (changes) => {
        const bytes = Buffer.from(good);
        for (const [at, value] of changes) bytes[at] = value;
        try {
          await readXlsx('Liste.xlsx', bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(UnreadableFile);
        }
      }),
      { numRuns: 300 },
    );
  });
});
