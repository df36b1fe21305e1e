import { crc32, deflateRawSync } from 'node:zlib';

/** Names are in UTF-8. */
const UTF8_NAMES = 0x0800;
const DEFLATED = 8;
const VERSION = 20;
/** 1980-01-01, the first day the format knows: the files have no time of their own. */
const FIRST_DAY = 33;

/**
 * A zip file of a few small texts.
 * @see https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
 */
export function zipOf(files: readonly { name: string; text: string }[]): Buffer<ArrayBuffer> {
  const entries: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, text } of files) {
    const content = Buffer.from(text, 'utf8');
    const packed = deflateRawSync(content);
    const nameBytes = Buffer.from(name, 'utf8');
    const header = Buffer.alloc(26);
    header.writeUInt16LE(VERSION, 0);
    header.writeUInt16LE(UTF8_NAMES, 2);
    header.writeUInt16LE(DEFLATED, 4);
    header.writeUInt16LE(FIRST_DAY, 8);
    header.writeUInt32LE(crc32(content), 10);
    header.writeUInt32LE(packed.length, 14);
    header.writeUInt32LE(content.length, 18);
    header.writeUInt16LE(nameBytes.length, 22);
    const entry = Buffer.concat([Buffer.from('PK\x03\x04'), header, nameBytes, packed]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02'), Buffer.from([VERSION, 0]), header, place, nameBytes]));
    entries.push(entry);
    offset += entry.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(list.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...entries, list, Buffer.from('PK\x05\x06'), end]);
}
