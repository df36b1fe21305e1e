/** Bytes. The most that one read returns. */
const MEMORY_BYTES = 256 * 1024;
/** Idle buffers kept for reuse; more are left to the garbage collector. */
const MAX_POOLED = 64;

/**
 * A reference-counted buffer. Messages are read into it and written from it, so they are never copied. It returns to its pool when it has
 * no holders: the reader that fills it, incomplete messages, and subscribers it is still being written to.
 */
export class Memory {
  readonly bytes: Buffer;
  #holders = 0;
  readonly #pool: MemoryPool | undefined;

  constructor(bytes: Buffer, pool?: MemoryPool) {
    this.bytes = bytes;
    this.#pool = pool;
  }

  /** True if only the reader that fills it holds it. */
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

/** A pool of buffers of one size. */
export class MemoryPool {
  readonly size: number;
  readonly #idle: Memory[] = [];

  constructor(size = MEMORY_BYTES) {
    this.size = size;
  }

  /** @returns a buffer with one holder; its contents are undefined */
  take(): Memory {
    return (this.#idle.pop() ?? new Memory(Buffer.allocUnsafeSlow(this.size), this)).hold();
  }

  giveBack(memory: Memory): void {
    if (this.#idle.length < MAX_POOLED) this.#idle.push(memory);
  }
}

/** Part of a memory: from `start` up to, not including, `end`. */
export interface Piece {
  readonly memory: Memory;
  readonly start: number;
  readonly end: number;
}

/** Wraps a buffer that belongs to no pool. */
export function pieceOf(bytes: Buffer): Piece {
  return { memory: new Memory(bytes), start: 0, end: bytes.length };
}
