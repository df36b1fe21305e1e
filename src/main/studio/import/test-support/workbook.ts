import { zipOf } from './zip-writer.ts';

interface WorkbookParts {
  /** The XML inside `<sheetData>`. */
  readonly rows: string;
  readonly strings?: readonly string[];
  /** The XML inside the style sheet. */
  readonly styles?: string;
  readonly properties?: string;
}

const part = (name: string, text: string) => ({ name, content: new TextEncoder().encode(text), deflate: true });

/** A workbook (.xlsx) as spreadsheets write it: a hidden sheet before the one that a person sees. */
export function workbookOf({ rows, strings = [], styles = '', properties = '' }: WorkbookParts): Buffer {
  const sheet = (data: string) => `<?xml version="1.0"?><worksheet><sheetData>${data}</sheetData></worksheet>`;
  return zipOf([
    part(
      'xl/workbook.xml',
      `<workbook><workbookPr ${properties}/><sheets><sheet name="Lists" sheetId="1" state="hidden" r:id="rId1"/>
        <sheet name="Tokens" sheetId="2" r:id="rId2"/></sheets></workbook>`,
    ),
    part(
      'xl/_rels/workbook.xml.rels',
      `<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/>
        <Relationship Id="rId2" Target="/xl/worksheets/sheet2.xml"/></Relationships>`,
    ),
    part('xl/worksheets/sheet1.xml', sheet('<row r="1"><c r="A1"><v>0</v></c></row>')),
    part('xl/worksheets/sheet2.xml', sheet(rows)),
    part('xl/sharedStrings.xml', `<sst>${strings.map((one) => `<si>${one}</si>`).join('')}</sst>`),
    part('xl/styles.xml', `<styleSheet>${styles}</styleSheet>`),
  ]);
}

const escaped = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');

export function workbookOfTexts(lines: readonly (readonly string[])[]): Buffer {
  const rows = lines.map(
    (cells, at) =>
      `<row r="${at + 1}">${cells.map((cell) => `<c t="inlineStr"><is><t>${escaped(cell)}</t></is></c>`).join('')}</row>`,
  );
  return workbookOf({ rows: rows.join('') });
}
