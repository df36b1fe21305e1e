import { createHash, type Hash } from 'node:crypto';
import {
  ByteReader,
  ChainError,
  concatBytes,
  formatOutpoint,
  GrowingTree,
  HEADER_BYTES,
  hashToDisplay,
  headerHash,
  isCoinbase,
  leadingP2pkh,
  type MerklePath,
  type Outpoint,
  ownerKeyHash,
  parseHeader,
  plainBytes,
  readSatoshis,
  sha256,
  sha256d,
  toHex,
} from '../../../chain/index.ts';
import type { BlockFindings, Sought, TouchingTransaction } from '../../ports/chain-data.ts';

/** A longer locking script that touches is told of, not kept; so are long ones after as many bytes of one block. */
const LONGEST_SCRIPT = 32_000_000;
/** Shorter ones are always kept: nobody can fill the room of other payments. */
const LONG_SCRIPT = 10_000;
/** No block has so many bytes: who sends more sends without end. */
const LONGEST_BLOCK = 2 ** 36;
const LONGEST_VARINT = 9;
const OUTPOINT_BYTES = 36;
const VALUE_BYTES = 8;
const P2PKH_BYTES = 25;

type Steps<T = void> = Generator<void, T, void>;
type Found = { -readonly [K in 'inputs' | 'outputs']: TouchingTransaction[K][number][] };

/**
 * Reads a block that arrives in pieces of any length, and keeps only what touches. It is complete, and holds the transactions that its header commits
 * to: all of them and no other. The work of the header is not looked at.
 *
 * @example
 * for await (const piece of pieces) scanner.push(piece);
 * const { transactions } = scanner.end();
 */
export class BlockScanner {
  readonly #hash: string;
  readonly #sought: Sought;
  readonly #longest: { readonly script: number; readonly block: number };
  readonly #steps: Steps<BlockFindings>;
  /** What is left of the last piece. */
  #bytes: Uint8Array = new Uint8Array();
  #reader = new ByteReader(this.#bytes);
  #ended = false;
  /** Bytes before those in the reader. */
  #before = 0;
  /** Where in the reader the transaction begins that is being read; undefined outside of one. */
  #from: number | undefined;
  /** Of its bytes before those in the reader, where there are any. */
  #digest: Hash | undefined;
  #keptBytes = 0;
  /** Outputs that were found, which a later transaction may spend. */
  readonly #made = new Set<string>();

  /** @param hash of the block, display order */
  constructor(hash: string, sought: Sought, longest = { script: LONGEST_SCRIPT, block: LONGEST_BLOCK }) {
    this.#hash = hash;
    this.#sought = sought;
    this.#longest = longest;
    this.#steps = this.#block();
  }

  /**
   * Reads a piece, which may be overwritten afterwards.
   * @throws ChainError `header-malformed` where it is another block, `block-malformed`, `merkle-invalid`
   */
  push(piece: Uint8Array): void {
    if (this.#before + piece.length > this.#longest.block) throw this.#reader.fail('The block does not end.');
    this.#read(this.#bytes.length === 0 ? plainBytes(piece) : concatBytes(this.#bytes, piece));
    this.#steps.next();
    // What is read is hashed and what is not is copied, before the memory is used again.
    const { position } = this.#reader;
    if (this.#from !== undefined) {
      this.#digest ??= createHash('sha256');
      this.#digest.update(this.#bytes.subarray(this.#from, position));
      this.#from = 0;
    }
    this.#before += position;
    this.#read(this.#bytes.slice(position));
  }

  /** All pieces were read. @throws as {@link push}, and where the block is not complete */
  end(): BlockFindings {
    this.#ended = true;
    const step = this.#steps.next();
    if (!step.done) throw new Error('a block was not read to its end');
    return step.value;
  }

  #read(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.#reader = new ByteReader(bytes, 'block-malformed', true);
  }

  /** Waits for bytes. At the end there may be fewer, which the reader tells where they are read. */
  *#need(bytes: number): Steps {
    while (this.#reader.remaining < bytes && !this.#ended) yield;
  }

  *#block(): Steps<BlockFindings> {
    yield* this.#need(HEADER_BYTES);
    const header = this.#bytes.slice(0, HEADER_BYTES);
    if (header.length < HEADER_BYTES || headerHash(header) !== this.#hash)
      throw new ChainError('header-malformed', 'It is another block.');
    this.#reader.skip(HEADER_BYTES);
    yield* this.#need(LONGEST_VARINT);
    const tree = new GrowingTree();
    const transactions: TouchingTransaction[] = [];
    const count = this.#reader.varint();
    for (let index = 0; index < count; index++) {
      const found = yield* this.#transaction(index, tree);
      if (found !== undefined) transactions.push(found);
    }
    yield* this.#need(1);
    this.#reader.end();
    const root = tree.root();
    if (tree.repeats) throw new ChainError('merkle-invalid', 'The block repeats transactions.');
    if (root === undefined || hashToDisplay(root) !== parseHeader(header).merkleRoot)
      throw new ChainError('merkle-invalid', 'The transactions do not lead to the Merkle root of the header.');
    return { transactions, header, bytes: this.#before + this.#reader.position };
  }

  *#transaction(index: number, tree: GrowingTree): Steps<TouchingTransaction | undefined> {
    const found: Found = { inputs: [], outputs: [] };
    this.#from = this.#reader.position;
    yield* this.#need(4 + LONGEST_VARINT);
    this.#reader.skip(4);
    const inputCount = this.#reader.varint();
    const isNewMoney = yield* this.#inputs(inputCount, found);
    // Two hashes of a level of the tree can be passed off as a transaction of 64 bytes. The first one of its level never can be new money.
    if (isNewMoney !== (index === 0))
      throw new ChainError('merkle-invalid', 'New money is not in the first transaction alone.');
    const paid = yield* this.#outputs(found);
    if (this.#reader.remaining < 4) yield* this.#need(4);
    this.#reader.skip(4);
    const leaf = this.#takeLeaf();
    return this.#findingOf(leaf, tree, found, { index, inputCount, paid });
  }

  /** @returns whether the transaction makes new money */
  *#inputs(count: number, found: Found): Steps<boolean> {
    let isNewMoney = false;
    for (let left = count; left > 0; left--) {
      if (this.#reader.remaining < OUTPOINT_BYTES + LONGEST_VARINT) yield* this.#need(OUTPOINT_BYTES + LONGEST_VARINT);
      const input = { txid: this.#reader.hash(), vout: this.#reader.u32le() };
      if (this.#isSpent(input)) found.inputs.push(input);
      isNewMoney = count === 1 && isCoinbase({ inputs: [input] });
      const length = this.#reader.varint();
      if (this.#reader.remaining < length) yield* this.#skip(length);
      else this.#reader.skip(length);
      if (this.#reader.remaining < 4) yield* this.#need(4);
      this.#reader.skip(4);
    }
    return isNewMoney;
  }

  /** @returns the satoshis of all outputs */
  *#outputs(found: Found): Steps<number> {
    if (this.#reader.remaining < LONGEST_VARINT) yield* this.#need(LONGEST_VARINT);
    const count = this.#reader.varint();
    let paid = 0;
    for (let vout = 0; vout < count; vout++) {
      if (this.#reader.remaining < VALUE_BYTES + LONGEST_VARINT) yield* this.#need(VALUE_BYTES + LONGEST_VARINT);
      const satoshis = readSatoshis(this.#reader);
      const length = this.#reader.varint();
      const script = this.#reader.remaining < length ? yield* this.#longScript(length) : this.#reader.bytes(length);
      paid += satoshis;
      if (script === undefined || this.#sought.keys === undefined) continue;
      if (script === 'too-long') found.outputs.push({ vout, satoshis, script: undefined });
      else if (this.#isSought(ownerKeyHash(script))) found.outputs.push({ vout, satoshis, script: this.#kept(script) });
    }
    return paid;
  }

  #isSpent(outpoint: Outpoint): boolean {
    const { outpoints } = this.#sought;
    if (outpoints === undefined && this.#made.size === 0) return false;
    const key = formatOutpoint(outpoint);
    return outpoints?.has(key) === true || this.#made.has(key);
  }

  #isSought(keyHash: Uint8Array | undefined): boolean {
    return keyHash !== undefined && this.#sought.keys?.has(toHex(keyHash)) === true;
  }

  /** A copy: the script may be a view of memory that is used again. */
  #kept(script: Uint8Array): Uint8Array | undefined {
    if (script.length >= Math.min(LONG_SCRIPT, this.#longest.script)) {
      this.#keptBytes += script.length;
      if (this.#keptBytes > this.#longest.script) return undefined;
    }
    return script.slice();
  }

  /** @returns a script that did not arrive as a whole; undefined where it pays none of the keys; `too-long` where it seems to pay one */
  *#longScript(length: number): Steps<Uint8Array | 'too-long' | undefined> {
    yield* this.#need(Math.min(length, P2PKH_BYTES));
    const position = this.#reader.position;
    const head = this.#bytes.slice(position, position + Math.min(length, P2PKH_BYTES));
    // Only P2PKH, or an envelope before it, names a key.
    const mayPay = this.#isSought(leadingP2pkh(head)) || (this.#sought.keys && head[0] === 0x00 && head[1] === 0x63);
    if (!mayPay || length > this.#longest.script) {
      yield* this.#skip(length - (mayPay ? P2PKH_BYTES : 0));
      if (!mayPay) return undefined;
      yield* this.#need(P2PKH_BYTES);
      const ends = [head, this.#reader.bytes(P2PKH_BYTES)];
      return ends.some((end) => this.#isSought(leadingP2pkh(end))) ? 'too-long' : undefined;
    }
    const script = new Uint8Array(length);
    for (let at = 0; at < length; ) {
      if (this.#reader.remaining === 0) yield* this.#need(1);
      const part = this.#reader.bytes(Math.min(Math.max(this.#reader.remaining, 1), length - at));
      script.set(part, at);
      at += part.length;
    }
    return script;
  }

  *#skip(length: number): Steps {
    for (let left = length; left > 0; ) {
      if (this.#reader.remaining === 0) yield* this.#need(1);
      const part = Math.min(Math.max(this.#reader.remaining, 1), left);
      this.#reader.skip(part);
      left -= part;
    }
  }

  /** The hash of the transaction that was read, in the order of bytes. */
  #takeLeaf(): Uint8Array {
    const bytes = this.#bytes.subarray(this.#from, this.#reader.position);
    const leaf = this.#digest === undefined ? sha256d(bytes) : sha256(this.#digest.update(bytes).digest());
    this.#from = undefined;
    this.#digest = undefined;
    return leaf;
  }

  #findingOf(
    leaf: Uint8Array,
    tree: GrowingTree,
    { inputs, outputs }: Found,
    about: Pick<TouchingTransaction, 'index' | 'inputCount' | 'paid'>,
  ): TouchingTransaction | undefined {
    const touches = inputs.length > 0 || outputs.length > 0;
    const txid = touches || this.#sought.txids !== undefined ? hashToDisplay(leaf) : '';
    const isNamed = this.#sought.txids?.has(txid) === true;
    let path: MerklePath | undefined;
    if (isNamed) path = tree.add(leaf, txid);
    else tree.add(leaf);
    if (!touches && !isNamed) return undefined;
    for (const { vout } of outputs) this.#made.add(`${txid}_${vout}`);
    return { ...about, txid, inputs, outputs, path };
  }
}
