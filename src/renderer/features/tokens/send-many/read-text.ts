/** The first bytes of text in UTF-16, as spreadsheets save it. */
const MARKS = [
  [0xff, 0xfe, 'utf-16le'],
  [0xfe, 0xff, 'utf-16be'],
] as const;

/**
 * The text of a list that was chosen or dropped.
 * @throws TypeError where it is none, such as a workbook
 */
export async function readText(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const [, , encoding = 'utf-8'] = MARKS.find(([first, second]) => bytes[0] === first && bytes[1] === second) ?? [];
  const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
  if (text.includes('\0')) throw new TypeError('no text');
  return text;
}
