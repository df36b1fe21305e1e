import { ChainError } from '../errors.ts';
import { displayToHash } from './bytes.ts';

/** Capacity of a writer whose size is not known. */
const SMALL_BYTES = 256;
/** Copying fewer bytes takes less time than another part. */
export const LONG_PART = 4_096;

/**
 * Writes little-endian wire data. If the exact size is given, nothing is copied; otherwise the buffer grows as needed.
 *
 * @example
 * const writer = new ByteWriter();
 * writer.u32le(1);
 * writer.varBytes(script);
 * const bytes = writer.done();
 */
export class ByteWriter {
  #bytes: Uint8Array;
  #at = 0;

  constructor(capacity = SMALL_BYTES) {
    this.#bytes = new Uint8Array(capacity);
  }

  #take(count: number): number {
    const at = this.#at;
    const end = at + count;
    if (end > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(end, this.#bytes.length * 2));
      grown.set(this.#bytes.subarray(0, at));
      this.#bytes = grown;
    }
    this.#at = end;
    return at;
  }

  // written byte by byte: creating a DataView takes longer than most writes
  u8(n: number): void {
    // reserved first, because growing replaces the array
    const at = this.#take(1);
    this.#bytes[at] = n;
  }

  u16le(n: number): void {
    const at = this.#take(2);
    this.#bytes[at] = n;
    this.#bytes[at + 1] = n >>> 8;
  }

  u32le(n: number): void {
    this.#word(this.#take(4), n);
  }

  i32le(n: number): void {
    this.#word(this.#take(4), n);
  }

  #word(at: number, n: number): void {
    const bytes = this.#bytes;
    bytes[at] = n;
    bytes[at + 1] = n >>> 8;
    bytes[at + 2] = n >>> 16;
    bytes[at + 3] = n >>> 24;
  }

  /** @throws ChainError `bytes-malformed` unless it is a safe non-negative integer. */
  u64le(n: number): void {
    if (!Number.isSafeInteger(n) || n < 0)
      throw new ChainError('bytes-malformed', '{value} cannot be written in 64 bits.', { value: n });
    const at = this.#take(8);
    this.#word(at, n % 0x1_0000_0000);
    this.#word(at + 4, Math.floor(n / 0x1_0000_0000));
  }

  /** A variable-length integer in its shortest form. */
  varint(n: number): void {
    if (n < 0xfd) this.u8(n);
    else if (n <= 0xffff) {
      this.u8(0xfd);
      this.u16le(n);
    } else if (n <= 0xffffffff) {
      this.u8(0xfe);
      this.u32le(n);
    } else {
      this.u8(0xff);
      this.u64le(n);
    }
  }

  bytes(bytes: Uint8Array): void {
    const at = this.#take(bytes.length);
    this.#bytes.set(bytes, at);
  }

  /** A length prefix, then the bytes. */
  varBytes(bytes: Uint8Array): void {
    this.varint(bytes.length);
    this.bytes(bytes);
  }

  /** Writes display-order hex of 32 bytes in internal order. @throws ChainError `hex-invalid` */
  hash(display: string): void {
    this.bytes(displayToHash(display));
  }

  /** Returns the written bytes. Do not use the writer afterwards: the result may share its memory. */
  done(): Uint8Array {
    return this.#at === this.#bytes.length ? this.#bytes : this.#bytes.slice(0, this.#at);
  }

  /** Returns the written bytes and goes on with an empty buffer. */
  protected cut(): Uint8Array {
    const written = this.#bytes.subarray(0, this.#at);
    this.#bytes = new Uint8Array(SMALL_BYTES);
    this.#at = 0;
    return written;
  }
}

/** Writes the same data in parts: long byte arrays are referenced instead of copied. For data that is only hashed. */
export class PartsWriter extends ByteWriter {
  readonly #parts: Uint8Array[] = [];

  override bytes(bytes: Uint8Array): void {
    if (bytes.length < LONG_PART) super.bytes(bytes);
    else this.#parts.push(this.cut(), bytes);
  }

  /** Returns all parts in order. Do not use the writer afterwards. */
  parts(): Uint8Array[] {
    return [...this.#parts, this.cut()];
  }
}
