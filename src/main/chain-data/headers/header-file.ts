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
/** The difficulty of the next header needs so many: 144, and the two below each end of them. */
export const SHORTEST_RUN = 148;
const PREVIOUS_AT = 4;
const BITS_AT = 72;
/** A header, and its hash in the one above. */
const WITH_HASH_BYTES = HEADER_BYTES + PREVIOUS_AT + 32;

/**
 * The headers of one chain on disk, 80 bytes each, at the place of their height: the first block, and a run up to the tip. What lies between is a
 * hole, which takes no room. Of a block only four bytes of its hash and its height stay in memory: the hash itself stands in the header above it.
 */
export class HeaderFile {
  readonly #fd: number;
  readonly #path: string;
  #index = new HashIndex(0);
  #count = 0;
  #lowest = 0;
  #tipHash: Uint8Array = new Uint8Array(32);
  /** The header of that hash, once it was asked for. */
  #tip: { readonly of: Uint8Array; readonly entry: ChainHeader } | undefined;

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

  /** Height above the tip. */
  get count(): number {
    return this.#count;
  }

  /** Height from which on every header is here. */
  get lowest(): number {
    return this.#lowest;
  }

  /** Bytes that the headers take on the disk. */
  get bytes(): number {
    return (this.#count - this.#lowest + Math.min(1, this.#lowest)) * HEADER_BYTES;
  }

  /** The 80 bytes of a header; undefined where there is none. */
  at(height: number): Uint8Array | undefined {
    return this.#holds(height) ? this.#read(height * HEADER_BYTES, HEADER_BYTES) : undefined;
  }

  /** The headers from one height to another, which must be here. */
  range(first: number, last: number): Uint8Array {
    return this.#read(first * HEADER_BYTES, (last - first + 1) * HEADER_BYTES);
  }

  /** The highest header; undefined where there is none. Nearly every question needs it. */
  get tip(): ChainHeader | undefined {
    if (this.#tip?.of === this.#tipHash) return this.#tip.entry;
    const entry = this.entry(this.#count - 1);
    this.#tip = entry && { of: this.#tipHash, entry };
    return entry;
  }

  /** A header with its hash; undefined where there is none. */
  entry(height: number): ChainHeader | undefined {
    if (!this.#holds(height)) return undefined;
    const bytes = this.#read(height * HEADER_BYTES, WITH_HASH_BYTES);
    const header = bytes.slice(0, HEADER_BYTES);
    const isBelowAnother = height + 1 < this.#count && height + 1 >= this.#lowest;
    const hash = isBelowAnother ? bytes.subarray(HEADER_BYTES + PREVIOUS_AT) : this.#hashAt(height);
    return { hash: hashToDisplay(hash as Uint8Array), height, header };
  }

  /** @param hash display hex */
  find(hash: string): ChainHeader | undefined {
    if (!isHashHex(hash)) return undefined;
    for (const height of this.#index.heights(keyOf(displayToHash(hash)))) {
      const found = this.entry(height);
      if (found?.hash === hash) return found;
    }
    return undefined;
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
    this.#write(headers, this.#count);
    for (const hash of hashes) this.#index.add(keyOf(hash), this.#count++);
    this.#tipHash = hashes.at(-1) as Uint8Array;
  }

  /**
   * Adds headers below the lowest one, or the first run to a file that has the first block alone.
   * @param first height of the first of them
   * @param headers verified, 80 bytes each
   * @throws PlanchetError `store-failed`, `disk-full`
   */
  prepend(first: number, headers: Uint8Array): void {
    const hashes: Uint8Array[] = [];
    for (let at = 0; at < headers.length; at += HEADER_BYTES)
      hashes.push(sha256d(headers.subarray(at, at + HEADER_BYTES)));
    this.#write(headers, first);
    for (const [at, hash] of hashes.entries()) this.#index.add(keyOf(hash), first + at);
    this.#lowest = first <= 1 ? 0 : first;
    if (this.#count > first) return;
    this.#count = first + hashes.length;
    this.#tipHash = hashes.at(-1) as Uint8Array;
  }

  /** Removes all headers from a height on. @param count above the lowest one */
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
    if (!this.#holds(height)) return undefined;
    if (height === this.#count - 1) return this.#tipHash;
    if (height + 1 < this.#lowest) return sha256d(this.#read(height * HEADER_BYTES, HEADER_BYTES));
    return this.#read((height + 1) * HEADER_BYTES + PREVIOUS_AT, 32);
  }

  #holds(height: number): boolean {
    return Number.isInteger(height) && (height === 0 || height >= this.#lowest) && height < this.#count;
  }

  /** On a disk that becomes full, one call of the system writes a part and the next one fails. */
  #write(headers: Uint8Array, height: number): void {
    const from = height * HEADER_BYTES;
    try {
      for (let at = 0; at < headers.length; ) at += writeSync(this.#fd, headers, at, headers.length - at, from + at);
    } catch (error) {
      throw storeFailure(error, this.#path);
    }
  }

  #read(position: number, length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    readSync(this.#fd, bytes, 0, length, position);
    return bytes;
  }

  async #load(genesis: Uint8Array, readOnly: boolean): Promise<void> {
    const stored = Math.floor(fstatSync(this.#fd).size / HEADER_BYTES);
    const first = stored > 0 ? this.#read(0, HEADER_BYTES) : undefined;
    const [lowest, kept] = first !== undefined && equalBytes(first, genesis) ? this.#soundRun(stored) : [0, 0];
    if (!readOnly) ftruncateSync(this.#fd, kept * HEADER_BYTES);
    this.#count = kept;
    if (kept === 0) {
      if (!readOnly) this.append(genesis, [sha256d(genesis)]);
      return;
    }
    this.#lowest = lowest;
    this.#index = new HashIndex(kept - lowest + 1);
    this.#index.add(keyOf(sha256d(genesis)), 0);
    this.#tipHash = sha256d(this.#read((kept - 1) * HEADER_BYTES, HEADER_BYTES));
    const buffer = Buffer.allocUnsafe(CHUNK * HEADER_BYTES);
    for (let from = lowest + 1; from < kept; from += CHUNK) {
      const length = Math.min(CHUNK, kept - from);
      readSync(this.#fd, buffer, 0, length * HEADER_BYTES, from * HEADER_BYTES);
      for (let at = 0; at < length; at++)
        this.#index.add(buffer.readUInt32LE(at * HEADER_BYTES + PREVIOUS_AT), from + at - 1);
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#index.add(keyOf(this.#tipHash), kept - 1);
  }

  /** Which of the stored headers can be kept: the lowest of the run, and the height above its last one. A power cut leaves ends incomplete. */
  #soundRun(stored: number): [lowest: number, count: number] {
    const edge = this.#aboveHole(stored);
    let count = Math.max(edge, stored - CHECKED_AT_END) + 1;
    while (count < stored && this.#buildsOn(count)) count++;
    let lowest = edge;
    for (let height = edge + 1; edge > 0 && height < Math.min(count, edge + CHECKED_AT_END); height++)
      if (!this.#buildsOn(height)) lowest = height;
    return lowest === 0 || count - lowest >= SHORTEST_RUN ? [lowest, count] : [0, 1];
  }

  /** The lowest height of the run up to the end; 0 where there is no hole. */
  #aboveHole(stored: number): number {
    if (stored < 2 || this.#isFull(1)) return 0;
    let [hole, full] = [1, stored - 1];
    while (full - hole > 1) {
      const middle = Math.floor((hole + full) / 2);
      if (this.#isFull(middle)) full = middle;
      else hole = middle;
    }
    return full;
  }

  /** Whether there is a header: none has a target of 0. */
  #isFull(height: number): boolean {
    return this.#read(height * HEADER_BYTES + BITS_AT, 4).some((byte) => byte !== 0);
  }

  /** Whether a header shows its work and names the one below it. */
  #buildsOn(height: number): boolean {
    const below = sha256d(this.#read((height - 1) * HEADER_BYTES, HEADER_BYTES));
    const header = this.#read(height * HEADER_BYTES, HEADER_BYTES);
    return (
      equalBytes(header.subarray(PREVIOUS_AT, PREVIOUS_AT + 32), below) &&
      meetsTarget(hashToDisplay(sha256d(header)), parseHeader(header).bits)
    );
  }
}

function keyOf(hash: Uint8Array): number {
  return (
    ((hash[0] as number) | ((hash[1] as number) << 8) | ((hash[2] as number) << 16) | ((hash[3] as number) << 24)) >>> 0
  );
}
