import {
  ByteWriter,
  EASIEST_REGTEST_BITS,
  headerHash,
  MerkleTree,
  meetsTarget,
  serializeHeader,
  txidOf,
} from '../../../chain/index.ts';
import type { ChainHeader } from '../../ports/headers.ts';

/** What blocks are apart on the average, in milliseconds. */
export const BLOCK_MS = 600_000;
/** Digits of an id that tell it from all others here, and that a number holds. */
const DIGITS = 12;
/** More than a block has. */
const PLACES = 10_000;

interface PlayedBlock extends ChainHeader {
  readonly txids: readonly string[];
  readonly tree: MerkleTree;
}

export interface PlayedPlace {
  readonly height: number;
  readonly index: number;
  /** Undefined while no block holds it. */
  readonly block: PlayedBlock | undefined;
}

/**
 * A chain of easy blocks with many made-up transactions. Transaction n of a block spends the first output of transaction n of the block below, and
 * nothing spends second outputs. What the next block will hold arrives one by one until then. Bytes are made when they are asked for.
 */
export class PlayedChain {
  readonly #now: () => number;
  readonly #blocks: PlayedBlock[] = [];
  readonly #places = new Map<number, number>();
  #waiting: readonly string[] = [];
  #minedAt = 0;

  /** @param genesis 80 bytes */
  constructor(genesis: Uint8Array, now: () => number) {
    this.#now = now;
    const tree = new MerkleTree(['0'.repeat(64)]);
    this.#blocks.push({ hash: headerHash(genesis), height: 0, header: genesis, txids: [], tree });
    this.fill(1);
  }

  get tip(): PlayedBlock {
    return this.#blocks.at(-1) as PlayedBlock;
  }

  at(height: number): PlayedBlock | undefined {
    return this.#blocks[height];
  }

  find(hash: string): PlayedBlock | undefined {
    return this.#blocks.find((block) => block.hash === hash);
  }

  /** Says how many transactions the next block will hold. */
  fill(count: number): void {
    const height = this.#blocks.length;
    this.#waiting = Array.from({ length: count }, (_, index) => {
      const txid = txidOf(this.raw({ height, index }));
      this.#places.set(keyOf(txid), height * PLACES + index);
      return txid;
    });
  }

  /** A block with all that waits. @param next transactions of the one after it */
  mine(next: number, time = this.#now()): void {
    const { hash: previousHash, height } = this.tip;
    const txids = this.#waiting;
    const tree = new MerkleTree(txids);
    const fields = { version: 0x20000000, previousHash, merkleRoot: tree.root, time: Math.floor(time / 1_000) };
    for (let nonce = 0; ; nonce++) {
      const header = serializeHeader({ ...fields, bits: EASIEST_REGTEST_BITS, nonce });
      const hash = headerHash(header);
      if (!meetsTarget(hash, EASIEST_REGTEST_BITS)) continue;
      this.#blocks.push({ hash, height: height + 1, header, txids, tree });
      break;
    }
    this.#minedAt = time;
    this.fill(next);
  }

  /** The newest transaction that no block holds; undefined where none has come yet. */
  newest(): string | undefined {
    return this.#waiting[this.#arrived() - 1];
  }

  place(txid: string): PlayedPlace | undefined {
    const place = this.#places.get(keyOf(txid));
    if (place === undefined) return undefined;
    const [height, index] = [Math.floor(place / PLACES), place % PLACES];
    const block = this.at(height);
    if (block === undefined && index >= this.#arrived()) return undefined;
    return { height, index, block };
  }

  /** What spends an output of a transaction. */
  spender({ height, index }: Pick<PlayedPlace, 'height' | 'index'>, vout: number): string | undefined {
    if (vout !== 0 || index === 0) return undefined;
    const above = this.at(height + 1)?.txids ?? (height === this.tip.height ? this.#waiting : []);
    const txid = above[index];
    return txid === undefined || this.place(txid) === undefined ? undefined : txid;
  }

  raw({ height, index }: Pick<PlayedPlace, 'height' | 'index'>): Uint8Array {
    const writer = new ByteWriter();
    const number = height * PLACES + index;
    const isFirst = index === 0;
    const spent = isFirst ? '00'.repeat(32) : (this.at(height - 1)?.txids[index] ?? '01'.repeat(32));
    writer.u32le(1);
    writer.varint(1);
    writer.hash(spent);
    writer.u32le(isFirst ? 0xffffffff : 0);
    writer.varint(5);
    writer.varint(4);
    writer.u32le(number);
    writer.u32le(0xffffffff);
    writer.varint(2);
    for (const satoshis of [50_000, 1_000 + index]) {
      writer.u64le(satoshis);
      writer.varint(25);
      writer.bytes(Uint8Array.of(0x76, 0xa9, 20));
      writer.u32le(number);
      writer.bytes(new Uint8Array(16));
      writer.bytes(Uint8Array.of(0x88, 0xac));
    }
    writer.u32le(0);
    return writer.done();
  }

  /** How many of those that wait have come. The first one is made with the block. */
  #arrived(): number {
    const part = (this.#now() - this.#minedAt) / BLOCK_MS;
    return Math.max(0, Math.min(this.#waiting.length, Math.floor(part * this.#waiting.length)));
  }
}

function keyOf(txid: string): number {
  return Number.parseInt(txid.slice(0, DIGITS), 16);
}
