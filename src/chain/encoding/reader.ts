import { ChainError, type ChainErrorCode } from '../errors.ts';
import { type Sentence, sentence } from '../sentence.ts';
import { hashAt, plainBytes } from './bytes.ts';

/**
 * Reads little-endian wire data from a byte array. An overrun, or a number that cannot be represented exactly, throws a ChainError with
 * the given code. No memory is allocated for a length that exceeds the data.
 *
 * @example
 * const reader = new ByteReader(bytes, 'tx-malformed');
 * const version = reader.i32le();
 * reader.end();
 */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #code: ChainErrorCode;
  readonly #shared: boolean;
  readonly #most: number;
  #counted = 0;
  #at = 0;

  /**
   * @param shared if true, returned arrays are views of `bytes` instead of copies. Only for callers that never modify `bytes`.
   * @param most elements that {@link ByteReader.count} lets pass in all: each becomes an object many times its bytes
   */
  constructor(
    bytes: Uint8Array,
    code: ChainErrorCode = 'bytes-malformed',
    shared = false,
    most = Number.POSITIVE_INFINITY,
  ) {
    this.#shared = shared;
    this.#most = most;
    this.#bytes = plainBytes(bytes);
    this.#code = code;
  }

  /** Offset of the next byte. */
  get position(): number {
    return this.#at;
  }

  /** Bytes not read yet. */
  get remaining(): number {
    return this.#bytes.length - this.#at;
  }

  /** Creates this reader's error, for callers that reject a value they read. */
  fail(message: string | Sentence, data: Record<string, unknown> = {}): ChainError {
    return new ChainError(this.#code, message, { offset: this.#at, ...data });
  }

  #take(count: number): number {
    const at = this.#at;
    if (count > this.#bytes.length - at) {
      throw this.fail(
        sentence('Data ends early: {count} bytes wanted at offset {at}, {left} left.', {
          count,
          at,
          left: this.remaining,
        }),
        {
          wanted: count,
        },
      );
    }
    this.#at = at + count;
    return at;
  }

  // read byte by byte: creating a DataView takes longer than reading a small transaction
  u8(): number {
    return this.#bytes[this.#take(1)] as number;
  }

  u16le(): number {
    const at = this.#take(2);
    const bytes = this.#bytes;
    return (bytes[at] as number) | ((bytes[at + 1] as number) << 8);
  }

  u32le(): number {
    return this.i32le() >>> 0;
  }

  i32le(): number {
    return this.#word(this.#take(4));
  }

  #word(at: number): number {
    const bytes = this.#bytes;
    const low = (bytes[at] as number) | ((bytes[at + 1] as number) << 8);
    return low | ((bytes[at + 2] as number) << 16) | ((bytes[at + 3] as number) << 24);
  }

  /** Eight bytes as a safe integer. A larger value is an error: it is never rounded. */
  u64le(): number {
    const at = this.#take(8);
    const high = this.#word(at + 4) >>> 0;
    if (high > 0x1fffff) throw this.fail('A 64-bit number is beyond 2^53.', { high });
    return high * 0x1_0000_0000 + (this.#word(at) >>> 0);
  }

  /**
   * A variable-length integer in its shortest form. Longer forms are refused, as in the node, so that no two byte strings parse as the
   * same transaction.
   */
  varint(): number {
    const first = this.u8();
    if (first < 0xfd) return first;
    const value = first === 0xfd ? this.u16le() : first === 0xfe ? this.u32le() : this.u64le();
    const least = first === 0xfd ? 0xfd : first === 0xfe ? 0x1_0000 : 0x1_0000_0000;
    if (value < least) throw this.fail('A length is written in a longer form than it needs.', { value });
    return value;
  }

  /**
   * Number of elements of at least `bytesEach` bytes. Refused before anything is read if the remaining data is too short, or if there are
   * more than are read.
   */
  count(bytesEach: number): number {
    const count = this.varint();
    if (count * bytesEach > this.remaining)
      throw this.fail(sentence('A count of {count} is more than the data can hold.', { count }), { count });
    this.#counted += count;
    if (this.#counted > this.#most) throw this.fail('It has more parts than are read.', { count, most: this.#most });
    return count;
  }

  /** A copy of the next `length` bytes, or a view if the reader is shared. */
  bytes(length: number): Uint8Array {
    const at = this.#take(length);
    return this.#shared ? this.#bytes.subarray(at, at + length) : this.#bytes.slice(at, at + length);
  }

  /** Skips the next `length` bytes. */
  skip(length: number): void {
    this.#take(length);
  }

  /** A length prefix followed by that many bytes. */
  varBytes(): Uint8Array {
    return this.bytes(this.varint());
  }

  /** Reads 32 bytes in internal order and returns display-order hex. */
  hash(): string {
    return hashAt(this.#bytes, this.#take(32));
  }

  /** @throws ChainError if bytes are left over. */
  end(): void {
    if (this.remaining > 0)
      throw this.fail(sentence('{left} bytes are left over.', { left: this.remaining }), { left: this.remaining });
  }
}
