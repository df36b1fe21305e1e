/** Limits of a zip file without extensions: 32 bits for sizes and offsets, and 16 for the number of files. */
const MOST_BYTES = 0xffffffff;
const MOST_FILES = 0xffff;
/** Names are in UTF-8. */
const UTF8_NAMES = 0x0800;
const VERSION = 20;
/** 1980-01-01, the first day the format knows. */
const FIRST_DAY = 33;
/** Length of the record after the central directory. */
const END_BYTES = 22;

/** The folder is larger, or has more files, than a zip file can contain. */
export class ZipTooLarge extends Error {}

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value >>> 0;
});

/** CRC-32 of a file, as a zip file contains it. */
function crc32(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes) value = (value >>> 8) ^ (table[(value ^ byte) & 0xff] ?? 0);
  return (value ^ 0xffffffff) >>> 0;
}

/**
 * A zip file that is written while its files arrive. Files are stored uncompressed: pictures are compressed already, and reports are small. Used by
 * the page and the host. The browser stores the parts, on disk if there are many.
 * @see https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
 */
export class Zip {
  readonly #parts: BlobPart[] = [];
  readonly #directory: Uint8Array<ArrayBuffer>[] = [];
  #size = 0;
  #directorySize = 0;

  get size(): number {
    return this.#size;
  }

  /** @param path without a leading slash. @throws ZipTooLarge */
  async add(path: string, content: Blob): Promise<void> {
    const name = new TextEncoder().encode(path);
    const bytes = new Uint8Array(await content.arrayBuffer());
    const shared = new Uint8Array(26);
    const view = new DataView(shared.buffer);
    view.setUint16(0, VERSION, true);
    view.setUint16(2, UTF8_NAMES, true);
    view.setUint16(8, FIRST_DAY, true);
    view.setUint32(10, crc32(bytes), true);
    view.setUint32(14, bytes.length, true);
    view.setUint32(18, bytes.length, true);
    view.setUint16(22, name.length, true);
    const place = new Uint8Array(14);
    new DataView(place.buffer).setUint32(10, this.#size, true);
    const entry = Uint8Array.of(0x50, 0x4b, 1, 2, VERSION, 0, ...shared, ...place, ...name);
    const header = Uint8Array.of(0x50, 0x4b, 3, 4, ...shared, ...name);
    this.#parts.push(header, content);
    this.#directory.push(entry);
    this.#size += header.length + bytes.length;
    this.#directorySize += entry.length;
    const total = this.#size + this.#directorySize + END_BYTES;
    if (total > MOST_BYTES || this.#directory.length > MOST_FILES) throw new ZipTooLarge();
  }

  finish(): Blob {
    const end = new Uint8Array(END_BYTES);
    const view = new DataView(end.buffer);
    end.set([0x50, 0x4b, 5, 6]);
    view.setUint16(8, this.#directory.length, true);
    view.setUint16(10, this.#directory.length, true);
    view.setUint32(12, this.#directorySize, true);
    view.setUint32(16, this.#size, true);
    return new Blob([...this.#parts, ...this.#directory, end], { type: 'application/zip' });
  }
}
