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
  OP,
  type Outpoint,
  ownerKeyHash,
  parseHeader,
  plainBytes,
  readSatoshis,
  satoshis,
  sha256,
  sha256d,
  toHex,
} from '../../../chain/index.ts';
import type { BlockFindings, Sought, TouchingTransaction } from '../../ports/chain-data.ts';

/** A longer locking script that touches is told of, not kept; so are long ones after as many bytes of one block. */
const LONGEST_SCRIPT = 32_000_000;
/** Shorter ones are always kept: nobody can fill the room of other payments. */
const LONG_SCRIPT = 10_000;
/** A longer transaction is given without its bytes; so are others after as many times them of one block. */
const LONGEST_RAW = 1_000_000;
const MOST_RAW_BYTES = 8 * LONGEST_RAW;
/** No block has so many bytes: who sends more sends without end. */
const LONGEST_BLOCK = 2 ** 36;
const LONGEST_VARINT = 9;
const OUTPOINT_BYTES = 36;
const WORD_BYTES = 4;
const VALUE_BYTES = 8;
const P2PKH_BYTES = 25;

/** What is read next, and of how many bytes it can be at most: at the end of a block there may be fewer. */
const LONGEST = {
  header: HEADER_BYTES,
  count: LONGEST_VARINT,
  transaction: WORD_BYTES + LONGEST_VARINT,
  input: OUTPOINT_BYTES + LONGEST_VARINT,
  sequence: WORD_BYTES,
  outputs: LONGEST_VARINT,
  output: VALUE_BYTES + LONGEST_VARINT,
  lock: P2PKH_BYTES,
  heldLock: 0,
  longLock: P2PKH_BYTES,
  lockTime: WORD_BYTES,
  nothing: 1,
} as const;
type Stage = keyof typeof LONGEST;

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
  readonly #tree = new GrowingTree();
  readonly #transactions: TouchingTransaction[] = [];
  /** Outputs that were found, which a later transaction may spend. */
  readonly #made = new Set<string>();
  #header: Uint8Array = new Uint8Array();
  #count = 0;
  /** Of the long locks that are kept. */
  #longBytes = 0;

  #room = new Uint8Array();
  /** What is left of the last piece. */
  #bytes: Uint8Array = new Uint8Array();
  #reader = new ByteReader(this.#bytes);
  #ended = false;
  /** Bytes before those in the reader. */
  #before = 0;
  #stage: Stage = 'header';
  /** Bytes to be passed over before the stage. */
  #left = 0;
  /** Where they are held; undefined where they are not. */
  #held: Uint8Array | undefined;

  // The transaction that is being read.
  #index = 0;
  /** Where it begins in the reader; undefined outside of one. */
  #from: number | undefined;
  /** Of its bytes before those in the reader, where there are any. */
  #digest: Hash | undefined;
  /** These bytes, in memory that is used again, where proofs are wanted, and how many there are: the memory holds none of too many. */
  #begun = new Uint8Array();
  #begunBytes = 0;
  /** Of the bytes of transactions that are given. */
  #rawBytes = 0;
  #inputs: Outpoint[] = [];
  #inputCount = 0;
  #inputsLeft = 0;
  #isNewMoney = false;
  #outputs: TouchingTransaction['outputs'][number][] = [];
  #outputCount = 0;
  #vout = 0;
  #satoshis = satoshis(0);
  #paid = 0;
  #lockBytes = 0;
  /** Whether a lock that is too long to be held begins as one of ours. */
  #beginsAsOurs = false;

  /** @param hash of the block, display order */
  constructor(hash: string, sought: Sought, longest = { script: LONGEST_SCRIPT, block: LONGEST_BLOCK }) {
    this.#hash = hash;
    this.#sought = sought;
    this.#longest = longest;
  }

  /**
   * Reads a piece, which may be overwritten afterwards.
   * @throws ChainError `header-malformed` where it is another block, `block-malformed`, `merkle-invalid`
   */
  push(piece: Uint8Array): void {
    if (this.#before + this.#bytes.length + piece.length > this.#longest.block)
      throw this.#reader.fail('The block does not end.');
    this.#set(this.#bytes.length === 0 ? plainBytes(piece) : this.#joined(this.#bytes, piece));
    this.#read();
    // What is read is hashed and what is not is copied, before the memory is used again.
    const { position } = this.#reader;
    if (this.#from !== undefined) {
      this.#digest ??= createHash('sha256');
      const read = this.#bytes.subarray(this.#from, position);
      this.#digest.update(read);
      if (this.#sought.withProof) this.#hold(read);
      this.#from = 0;
    }
    this.#before += position;
    this.#set(this.#bytes.slice(position));
  }

  /** All pieces were read. @throws as {@link push}, and where the block is not complete */
  end(): BlockFindings {
    this.#ended = true;
    this.#read();
    const root = this.#tree.root();
    if (this.#tree.repeats) throw new ChainError('merkle-invalid', 'The block repeats transactions.');
    if (root === undefined || hashToDisplay(root) !== parseHeader(this.#header).merkleRoot)
      throw new ChainError('merkle-invalid', 'The transactions do not lead to the Merkle root of the header.');
    return { transactions: this.#transactions, header: this.#header, bytes: this.#before + this.#reader.position };
  }

  /** Joins in memory that is used again: new memory for each piece would grow until it is collected. */
  #joined(left: Uint8Array, piece: Uint8Array): Uint8Array {
    const length = left.length + piece.length;
    if (this.#room.length < length) this.#room = new Uint8Array(2 * length);
    this.#room.set(left);
    this.#room.set(piece, left.length);
    return this.#room.subarray(0, length);
  }

  /** Holds a part of the transaction that is being read, as long as it may be given. */
  #hold(read: Uint8Array): void {
    const length = this.#begunBytes + read.length;
    if (length <= LONGEST_RAW) {
      if (this.#begun.length < length) {
        const longer = new Uint8Array(Math.min(2 * length, LONGEST_RAW));
        longer.set(this.#begun.subarray(0, this.#begunBytes));
        this.#begun = longer;
      }
      this.#begun.set(read, this.#begunBytes);
    }
    this.#begunBytes = length;
  }

  /** The bytes of the transaction that was read. @param last of them, as far as they are in the reader */
  #raw(last: Uint8Array): Uint8Array | undefined {
    const length = this.#begunBytes + last.length;
    if (length > LONGEST_RAW || this.#rawBytes + length > MOST_RAW_BYTES) return undefined;
    this.#rawBytes += length;
    return concatBytes(this.#begun.subarray(0, this.#begunBytes), last);
  }

  #set(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.#reader = new ByteReader(bytes, 'block-malformed', true);
  }

  /** Reads as far as the bytes go. At the end, the reader refuses what is not there. */
  #read(): void {
    for (;;) {
      if (this.#left > 0) this.#passOver();
      if (this.#left > 0) return;
      const longest = this.#stage === 'lock' ? Math.min(P2PKH_BYTES, this.#lockBytes) : LONGEST[this.#stage];
      if (this.#reader.remaining < longest && !this.#ended) return;
      if (this.#stage === 'nothing') break;
      this.#stage = this.#next(this.#stage);
    }
    this.#reader.end();
  }

  /** Of bytes that may be many, as far as they arrived. */
  #passOver(): void {
    const bytes = Math.min(this.#left, this.#ended ? this.#left : this.#reader.remaining);
    if (this.#held === undefined) this.#reader.skip(bytes);
    else this.#held.set(this.#reader.bytes(bytes), this.#held.length - this.#left);
    this.#left -= bytes;
  }

  /** Reads what a stage is about. @returns the next one */
  #next(stage: Exclude<Stage, 'nothing'>): Stage {
    const reader = this.#reader;
    switch (stage) {
      case 'header':
        return this.#readHeader();
      case 'count':
        this.#count = reader.varint();
        return this.#count > 0 ? 'transaction' : 'nothing';
      case 'transaction':
        return this.#beginTransaction();
      case 'input':
        this.#readInput();
        return 'sequence';
      case 'sequence':
        reader.skip(WORD_BYTES);
        this.#inputsLeft -= 1;
        return this.#inputsLeft > 0 ? 'input' : this.#beginOutputs();
      case 'outputs':
        this.#outputCount = reader.varint();
        this.#vout = 0;
        return this.#outputCount > 0 ? 'output' : 'lockTime';
      case 'output':
        this.#satoshis = readSatoshis(reader);
        this.#paid += this.#satoshis;
        this.#lockBytes = reader.varint();
        return 'lock';
      case 'lock':
        return this.#readLock();
      case 'heldLock':
        this.#judge(this.#held as Uint8Array);
        this.#held = undefined;
        return this.#endOutput();
      case 'longLock': {
        const endsAsOurs = this.#isSought(leadingP2pkh(reader.bytes(P2PKH_BYTES)));
        if (this.#beginsAsOurs || endsAsOurs) this.#addOutput(undefined);
        return this.#endOutput();
      }
      case 'lockTime':
        reader.skip(WORD_BYTES);
        this.#endTransaction();
        this.#index += 1;
        return this.#index < this.#count ? 'transaction' : 'nothing';
    }
  }

  #readHeader(): Stage {
    this.#header = this.#bytes.slice(0, HEADER_BYTES);
    if (this.#header.length < HEADER_BYTES || headerHash(this.#header) !== this.#hash)
      throw new ChainError('header-malformed', 'It is another block.');
    this.#reader.skip(HEADER_BYTES);
    return 'count';
  }

  #beginTransaction(): Stage {
    this.#from = this.#reader.position;
    this.#reader.skip(WORD_BYTES);
    this.#inputCount = this.#reader.varint();
    this.#inputsLeft = this.#inputCount;
    this.#inputs = [];
    this.#outputs = [];
    this.#isNewMoney = false;
    this.#paid = 0;
    this.#begunBytes = 0;
    return this.#inputCount > 0 ? 'input' : this.#beginOutputs();
  }

  #readInput(): void {
    const { outpoints } = this.#sought;
    const input = { txid: this.#reader.hash(), vout: this.#reader.u32le() };
    this.#isNewMoney = this.#inputCount === 1 && isCoinbase({ inputs: [input] });
    if (outpoints !== undefined || this.#made.size > 0) {
      const key = formatOutpoint(input);
      if (outpoints?.has(key) === true || this.#made.has(key)) this.#inputs.push(input);
    }
    this.#left = this.#reader.varint();
  }

  #beginOutputs(): Stage {
    // Two hashes of a level of the tree can be passed off as a transaction of 64 bytes. The first one of its level never can be new money.
    if (this.#isNewMoney !== (this.#index === 0))
      throw new ChainError('merkle-invalid', 'New money is not in the first transaction alone.');
    return 'outputs';
  }

  #readLock(): Stage {
    const reader = this.#reader;
    if (this.#sought.keys !== undefined && (reader.remaining >= this.#lockBytes || this.#ended)) {
      this.#judge(reader.bytes(this.#lockBytes));
      return this.#endOutput();
    }
    const head = this.#bytes.slice(reader.position, reader.position + P2PKH_BYTES);
    this.#left = this.#lockBytes;
    this.#beginsAsOurs = this.#isSought(leadingP2pkh(head));
    if (this.#sought.keys === undefined || !(this.#beginsAsOurs || beginsEnvelope(head))) return this.#endOutput();
    if (this.#lockBytes > this.#longest.script) {
      this.#left -= P2PKH_BYTES;
      return 'longLock';
    }
    this.#held = new Uint8Array(this.#lockBytes);
    return 'heldLock';
  }

  /** @param script may be a view of memory that is used again */
  #judge(script: Uint8Array): void {
    const owner = leadingP2pkh(script) ?? (beginsEnvelope(script) ? ownerKeyHash(script) : undefined);
    if (!this.#isSought(owner)) return;
    const isLong = script.length >= Math.min(LONG_SCRIPT, this.#longest.script);
    if (isLong) this.#longBytes += script.length;
    this.#addOutput(isLong && this.#longBytes > this.#longest.script ? undefined : script.slice());
  }

  #isSought(keyHash: Uint8Array | undefined): boolean {
    return keyHash !== undefined && this.#sought.keys?.has(toHex(keyHash)) === true;
  }

  #addOutput(script: Uint8Array | undefined): void {
    this.#outputs.push({ vout: this.#vout, satoshis: this.#satoshis, script });
  }

  #endOutput(): Stage {
    this.#vout += 1;
    return this.#vout < this.#outputCount ? 'output' : 'lockTime';
  }

  #endTransaction(): void {
    const bytes = this.#bytes.subarray(this.#from, this.#reader.position);
    const leaf = this.#digest === undefined ? sha256d(bytes) : sha256(this.#digest.update(bytes).digest());
    this.#from = undefined;
    this.#digest = undefined;
    const touches = this.#inputs.length > 0 || this.#outputs.length > 0;
    const txid = touches || this.#sought.txids !== undefined ? hashToDisplay(leaf) : '';
    const isNamed = this.#sought.txids?.has(txid) === true;
    const isShown = touches && this.#sought.withProof === true;
    const path = this.#tree.add(leaf, isNamed || isShown ? txid : undefined);
    if (!touches && !isNamed) return;
    for (const { vout } of this.#outputs) this.#made.add(formatOutpoint({ txid, vout }));
    this.#transactions.push({
      txid,
      index: this.#index,
      inputs: this.#inputs,
      inputCount: this.#inputCount,
      outputs: this.#outputs,
      paid: this.#paid,
      raw: isShown ? this.#raw(bytes) : undefined,
      path,
    });
  }
}

/** Whether a lock begins with an envelope. One of ours does, or is P2PKH from its beginning. */
function beginsEnvelope(script: Uint8Array): boolean {
  return script[0] === OP.FALSE && script[1] === OP.IF;
}
