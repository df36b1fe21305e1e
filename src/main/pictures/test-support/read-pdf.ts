import { inflateSync } from 'node:zlib';

/** What a reader of a PDF that was made here sees: its lines of text as they are copied, and its pictures. */
export interface ReadPdf {
  readonly lines: readonly string[];
  readonly pictures: readonly Uint8Array[];
  readonly title: string;
}

/** Reads a PDF of `PdfPage` by the rules of the format: the table of objects, the page's contents, and what each font's codes mean. */
export function readPdf(file: Uint8Array): ReadPdf {
  const text = Buffer.from(file).toString('latin1');
  const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(text)?.[1]);
  const rows = text.slice(start).match(/^\d{10} 00000 n $/gm) ?? [];
  const objects = rows.map((row, at) => {
    const offset = Number(row.slice(0, 10));
    const head = `${at + 1} 0 obj\n`;
    if (!text.startsWith(head, offset)) throw new Error(`no object ${at + 1} at ${offset}`);
    return text.slice(offset + head.length, text.indexOf('\nendobj\n', offset));
  });
  const object = (number: string | undefined): string => objects[Number(number) - 1] ?? '';
  const page = objects.find((each) => each.includes('/Type /Page ')) ?? '';
  const meanings = new Map(
    [...page.matchAll(/\/F(\d+) (\d+) 0 R/g)].map(([, font, place]) => [font, meaningsOf(object(place), object)]),
  );
  const contents = streamOf(object(/\/Contents (\d+) 0 R/.exec(page)?.[1])).toString('latin1');
  const lines = [...contents.matchAll(/BT (.*?) ET/g)].map(([, line = '']) =>
    [...line.matchAll(/\/F(\d+) \S+ Tf <([0-9a-f]*)> Tj/g)]
      .flatMap(([, font, codes = '']) => (codes.match(/../g) ?? []).map((code) => meanings.get(font)?.get(code) ?? '?'))
      .join(''),
  );
  const pictures = objects.filter((each) => each.includes('/Subtype /Image')).map((each) => rawOf(each));
  return { lines, pictures, title: utf16(/\/Title <feff([0-9a-f]*)>/.exec(text)?.[1] ?? '') };
}

function meaningsOf(font: string, object: (number: string | undefined) => string): Map<string | undefined, string> {
  const map = streamOf(object(/\/ToUnicode (\d+) 0 R/.exec(font)?.[1])).toString('latin1');
  return new Map([...map.matchAll(/^<(..)> <([0-9a-f]+)>$/gm)].map(([, code, meaning = '']) => [code, utf16(meaning)]));
}

function rawOf(object: string): Buffer {
  const at = object.indexOf('stream\n') + 'stream\n'.length;
  return Buffer.from(object.slice(at, at + Number(/\/Length (\d+)/.exec(object)?.[1])), 'latin1');
}

function streamOf(object: string): Buffer {
  return inflateSync(rawOf(object));
}

function utf16(hex: string): string {
  return Buffer.from(hex, 'hex').swap16().toString('utf16le');
}
