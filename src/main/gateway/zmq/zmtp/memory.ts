/** Bytes that are read at once and in one place. */
const MEMORY_BYTES = 256 * 1024;
/** Memories kept for the next use; more are left to the collector. */
const MOST_KEPT = 64;

/**
 * Memory that is read into and written on from, so that messages pass through uncopied. It is used anew when nobody holds it: the reader
 * that fills it, messages that are not whole yet, and subscribers it is still being written to.
 */
export class Memory {
  readonly bytes: Buffer;
  #holders = 0;
  readonly #pool: MemoryPool | undefined;

  constructor(bytes: Buffer, pool?: MemoryPool) {
    this.bytes = bytes;
    this.#pool = pool;
  }

  /** Whether only the reader that fills it holds it. */
  get free(): boolean {
    return this.#holders === 1;
  }

  hold(): this {
    this.#holders += 1;
    return this;
  }

  release(): void {
    this.#holders -= 1;
    if (this.#holders === 0) this.#pool?.giveBack(this);
  }
}

/** Memories of one size. */
export class MemoryPool {
  readonly size: number;
  readonly #kept: Memory[] = [];

  constructor(size = MEMORY_BYTES) {
    this.size = size;
  }

  /** @returns a memory with one holder, whose contents are left over from before */
  take(): Memory {
    return (this.#kept.pop() ?? new Memory(Buffer.allocUnsafeSlow(this.size), this)).hold();
  }

  giveBack(memory: Memory): void {
    if (this.#kept.length < MOST_KEPT) this.#kept.push(memory);
  }
}

/** Part of a memory: from `start` up to, not including, `end`. */
export interface Piece {
  readonly memory: Memory;
  readonly start: number;
  readonly end: number;
}

/** Bytes of our own making as a piece. */
export function pieceOf(bytes: Buffer): Piece {
  return { memory: new Memory(bytes), start: 0, end: bytes.length };
}
