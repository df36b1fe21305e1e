import { createHash } from 'node:crypto';

/**
 * Parses raw blocks without any code of the program, so that a bug in that code is detected. Each block must follow the previous
 * one, and its header must contain the Merkle root of its transactions.
 */
export class BlockScan {
  #previous: Buffer | undefined;
  readonly #pushes = new Map<string, number>();
  /** Display hex. */
  readonly txids = new Set<string>();

  /** @param hex the block after the last one added */
  add(hex: string): void {
    const block = Buffer.from(hex, 'hex');
    const header = block.subarray(0, 80);
    if (this.#previous !== undefined && !header.subarray(4, 36).equals(this.#previous))
      throw new Error('A block does not follow the one before.');
    this.#previous = twice(header);
    const reader = new Reader(block, 80);
    const ids: Buffer[] = [];
    for (let left = reader.count(); left > 0; left--) {
      const from = reader.at;
      reader.at += 4;
      for (let inputs = reader.count(); inputs > 0; inputs--) {
        reader.at += 36;
        reader.bytes(reader.count());
        reader.at += 4;
      }
      for (let outputs = reader.count(); outputs > 0; outputs--) {
        reader.at += 8;
        this.#note(reader.bytes(reader.count()));
      }
      reader.at += 4;
      const id = twice(block.subarray(from, reader.at));
      ids.push(id);
      this.txids.add(Buffer.from(id).reverse().toString('hex'));
    }
    if (reader.at !== block.length) throw new Error('A block has bytes behind its transactions.');
    if (!merkleRoot(ids).equals(header.subarray(36, 68)))
      throw new Error('A block has other transactions than it says.');
  }

  /** How often the scripts contain data with this SHA-256, in hex. */
  times(sha256: string): number {
    return this.#pushes.get(sha256) ?? 0;
  }

  #note(script: Buffer): void {
    for (let at = 0; at < script.length; ) {
      const opcode = script[at++] as number;
      let length = opcode;
      if (opcode === 0 || opcode > 78) continue;
      if (opcode === 76) length = script.readUInt8(at++);
      if (opcode === 77) [length, at] = [script.readUInt16LE(at), at + 2];
      if (opcode === 78) [length, at] = [script.readUInt32LE(at), at + 4];
      const key = createHash('sha256')
        .update(script.subarray(at, at + length))
        .digest('hex');
      this.#pushes.set(key, (this.#pushes.get(key) ?? 0) + 1);
      at += length;
    }
  }
}

class Reader {
  readonly #from: Buffer;
  at: number;

  constructor(from: Buffer, at: number) {
    this.#from = from;
    this.at = at;
  }

  count(): number {
    const first = this.#from.readUInt8(this.at);
    const length = first < 253 ? 1 : first === 253 ? 3 : 5;
    if (first === 255) throw new Error('A count is too large.');
    const count = length === 1 ? first : this.#from.readUIntLE(this.at + 1, length - 1);
    this.at += length;
    return count;
  }

  bytes(length: number): Buffer {
    this.at += length;
    return this.#from.subarray(this.at - length, this.at);
  }
}

function merkleRoot(ids: readonly Buffer[]): Buffer {
  let row = [...ids];
  while (row.length > 1) {
    const next: Buffer[] = [];
    for (let at = 0; at < row.length; at += 2)
      next.push(twice(Buffer.concat([row[at] as Buffer, row[at + 1] ?? (row[at] as Buffer)])));
    row = next;
  }
  return row[0] as Buffer;
}

function twice(data: Uint8Array): Buffer {
  return createHash('sha256').update(createHash('sha256').update(data).digest()).digest();
}
