import { closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  displayToHash,
  equalBytes,
  HEADER_BYTES,
  hashToDisplay,
  isHashHex,
  meetsTarget,
  parseHeader,
  sha256d,
} from '../../../chain/index.ts';
import type { ChainHeader } from '../../ports/headers.ts';
import { storeFailure } from '../../store/store.ts';
import { HashIndex } from './hash-index.ts';

/** Headers read at once while a file is opened. */
const CHUNK = 16_384;
/** Headers at the end whose hashes are computed at every start: a power cut can leave the end of a file incomplete. */
const CHECKED_AT_END = 2_016;
const PREVIOUS_AT = 4;

/**
 * The headers of one chain on disk, 80 bytes each, in order of height, beginning with the first block. Of a block only four bytes of its
 * hash and its height stay in memory: the hash itself stands in the header above it.
 */
export class HeaderFile {
  readonly #fd: number;
  readonly #path: string;
  #index = new HashIndex(0);
  #count = 0;
  #tipHash: Uint8Array = new Uint8Array(32);

  private constructor(path: string, fd: number) {
    this.#path = path;
    this.#fd = fd;
  }

  /**
   * Opens or creates a file.
   * @param genesis the chain's first header; a file with another one is emptied
   * @param options.readOnly leaves the file as it is, whatever it holds: another process may be writing it
   * @throws PlanchetError `store-failed`, `disk-full`
   */
  static async open(path: string, genesis: Uint8Array, options: { readOnly?: boolean } = {}): Promise<HeaderFile> {
    const { readOnly = false } = options;
    let fd: number | undefined;
    try {
      if (!readOnly) {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
        closeSync(openSync(path, 'a', 0o600));
      }
      fd = openSync(path, readOnly ? 'r' : 'r+');
      const file = new HeaderFile(path, fd);
      await file.#load(genesis, readOnly);
      return file;
    } catch (error) {
      if (fd !== undefined) closeSync(fd);
      throw storeFailure(error, path);
    }
  }

  /** Headers in the file. */
  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.#count * HEADER_BYTES;
  }

  /** The 80 bytes of a header; undefined above the tip. */
  at(height: number): Uint8Array | undefined {
    if (!Number.isInteger(height) || height < 0 || height >= this.#count) return undefined;
    return this.#read(height * HEADER_BYTES, HEADER_BYTES);
  }

  /** A header with its hash; undefined above the tip. */
  entry(height: number): ChainHeader | undefined {
    const header = this.at(height);
    const hash = this.hashAt(height);
    return header === undefined || hash === undefined ? undefined : { hash, height, header };
  }

  /** @param hash display hex */
  find(hash: string): ChainHeader | undefined {
    const height = isHashHex(hash) ? this.heightOf(displayToHash(hash)) : undefined;
    return height === undefined ? undefined : this.entry(height);
  }

  /** Block hash at a height, display hex. */
  hashAt(height: number): string | undefined {
    const hash = this.#hashAt(height);
    return hash && hashToDisplay(hash);
  }

  /** @param hash internal byte order */
  heightOf(hash: Uint8Array): number | undefined {
    for (const height of this.#index.heights(keyOf(hash))) {
      const found = this.#hashAt(height);
      if (found !== undefined && equalBytes(found, hash)) return height;
    }
    return undefined;
  }

  /**
   * Adds headers above the tip.
   * @param headers verified, 80 bytes each
   * @param hashes of each, internal byte order
   * @throws PlanchetError `store-failed`, `disk-full`; nothing was added then
   */
  append(headers: Uint8Array, hashes: readonly Uint8Array[]): void {
    if (hashes.length === 0) return;
    try {
      writeSync(this.#fd, headers, 0, headers.length, this.#count * HEADER_BYTES);
    } catch (error) {
      throw storeFailure(error, this.#path);
    }
    for (const hash of hashes) this.#index.add(keyOf(hash), this.#count++);
    this.#tipHash = hashes.at(-1) as Uint8Array;
  }

  /** Removes all headers from a height on. @param count at least 1 */
  truncate(count: number): void {
    if (count >= this.#count) return;
    const tipHash = this.#hashAt(count - 1) as Uint8Array;
    ftruncateSync(this.#fd, count * HEADER_BYTES);
    this.#count = count;
    this.#tipHash = tipHash;
  }

  close(): void {
    closeSync(this.#fd);
  }

  #hashAt(height: number): Uint8Array | undefined {
    if (!Number.isInteger(height) || height < 0 || height >= this.#count) return undefined;
    if (height === this.#count - 1) return this.#tipHash;
    return this.#read((height + 1) * HEADER_BYTES + PREVIOUS_AT, 32);
  }

  #read(position: number, length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    readSync(this.#fd, bytes, 0, length, position);
    return bytes;
  }

  async #load(genesis: Uint8Array, readOnly: boolean): Promise<void> {
    const stored = Math.floor(fstatSync(this.#fd).size / HEADER_BYTES);
    const first = stored > 0 ? this.#read(0, HEADER_BYTES) : undefined;
    const kept = first !== undefined && equalBytes(first, genesis) ? this.#soundCount(stored) : 0;
    if (!readOnly) ftruncateSync(this.#fd, kept * HEADER_BYTES);
    this.#count = kept;
    if (kept === 0) {
      if (!readOnly) this.append(genesis, [sha256d(genesis)]);
      return;
    }
    this.#index = new HashIndex(kept);
    this.#tipHash = sha256d(this.#read((kept - 1) * HEADER_BYTES, HEADER_BYTES));
    const buffer = Buffer.allocUnsafe(CHUNK * HEADER_BYTES);
    for (let from = 1; from < kept; from += CHUNK) {
      const length = Math.min(CHUNK, kept - from);
      readSync(this.#fd, buffer, 0, length * HEADER_BYTES, from * HEADER_BYTES);
      for (let at = 0; at < length; at++)
        this.#index.add(buffer.readUInt32LE(at * HEADER_BYTES + PREVIOUS_AT), from + at - 1);
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#index.add(keyOf(this.#tipHash), kept - 1);
  }

  /** How many of the stored headers can be kept: up to the first one near the end that does not build on the one before it. */
  #soundCount(stored: number): number {
    const from = Math.max(0, stored - CHECKED_AT_END);
    let previous = sha256d(this.#read(from * HEADER_BYTES, HEADER_BYTES));
    for (let height = from + 1; height < stored; height++) {
      const header = this.#read(height * HEADER_BYTES, HEADER_BYTES);
      const hash = sha256d(header);
      const isNext = equalBytes(header.subarray(PREVIOUS_AT, PREVIOUS_AT + 32), previous);
      if (!isNext || !meetsTarget(hashToDisplay(hash), parseHeader(header).bits)) return height;
      previous = hash;
    }
    return stored;
  }
}

function keyOf(hash: Uint8Array): number {
  return (
    ((hash[0] as number) | ((hash[1] as number) << 8) | ((hash[2] as number) << 16) | ((hash[3] as number) << 24)) >>> 0
  );
}
