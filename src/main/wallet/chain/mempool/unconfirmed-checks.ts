import {
  ChainError,
  formatOutpoint,
  isCoinbase,
  type Outpoint,
  ownerKeyHash,
  parseTx,
  type ScriptVerdict,
  type Tx,
  toHex,
  type Utxo,
} from '../../../../chain/index.ts';
import { PlanchetError } from '../../../../contract/index.ts';
import type { ChainData } from '../../../ports/chain-data.ts';
import type { Clock } from '../../../ports/clock.ts';
import { plainUtxo } from '../../coins/spendable.ts';
import type { CoinStore } from '../../coins/storage/coin-store.ts';
import type { WalletKey } from '../../keys/wallet-key.ts';

/**
 * Runs scripts in a thread. @param spent the outputs whose inputs are checked, in the order of the inputs; undefined for the others
 */
export type ScriptCheck = (tx: Uint8Array, spent: readonly (Utxo | undefined)[]) => Promise<ScriptVerdict>;

/** A transaction of the mempool; its id is that of its bytes. */
export interface Unconfirmed {
  readonly txid: string;
  readonly tx: Tx;
  readonly raw: Uint8Array;
}

/**
 * `valid`: its scripts hold, it pays out no more than it takes, and all that it builds on is in a block. `unproven`: what it spends of ours
 * is signed by our keys, but not all that it builds on is known. `invalid`: no block can hold it.
 */
export type UnconfirmedVerdict = 'valid' | 'unproven' | 'invalid';

/** How long one pass goes on with checks; the rest is for the next pass. */
const CHECKS_MS = 5_000;
/** Bounds of the ancestors of a transaction that are checked; with more, it is not proven. */
const MAX_DEPTH = 25;
const MAX_PARENTS = 200;
const MAX_BYTES = 32_000_000;
/** So many slow transactions are remembered. */
const MAX_SLOW = 10_000;
/** A node of a Merkle tree is as long, so that a proof of it proves no transaction. */
const TREE_NODE_BYTES = 64;
const TOO_LONG = 'too-long-validation-time';

interface Source {
  readonly tx: Tx;
  /** `proven`: a block holds it, or its own check found it valid. */
  readonly standing: 'proven' | 'unproven' | 'invalid';
}

/** One check of a transaction and all that it builds on. */
interface Check {
  readonly listed: ReadonlySet<string>;
  readonly read: ReadonlyMap<string, Unconfirmed>;
  readonly signal: AbortSignal;
  /** Shared by the checks of a pass. */
  readonly sources: Map<string, Source>;
  /** How many more may be looked at, and the bytes of those that were. */
  left: number;
  bytes: number;
}

type Questions = Pick<ChainData, 'transaction' | 'inclusion' | 'isInMempool'>;

/** The source of ancestors and of their proofs. */
export interface UnconfirmedSource {
  /** Questions that end with a signal. */
  until(signal: AbortSignal): Questions;
}

export interface UnconfirmedChecksOptions {
  chainData: UnconfirmedSource;
  clock: Pick<Clock, 'now'>;
  coinStore: CoinStore;
  scripts: ScriptCheck;
}

/**
 * Checks the unconfirmed transactions that others made before the wallet believes them: a node can invent them. Which blocks are on the
 * chain is said by the verified headers.
 */
export class UnconfirmedChecks {
  readonly #options: UnconfirmedChecksOptions;
  /** Transactions of whose scripts all but those of our coins take too long. */
  readonly #slow = new Set<string>();

  constructor(options: UnconfirmedChecksOptions) {
    this.#options = options;
  }

  /** The transactions that pay the keys, that spend a coin of the coin store, or that spend an output of one that pays the keys. */
  concerning(read: ReadonlyMap<string, Unconfirmed>, keys: readonly WalletKey[]): Map<string, Unconfirmed> {
    const { coins } = this.#options.coinStore;
    const hashes = new Set(keys.map(({ pubKeyHash }) => pubKeyHash));
    const isOurs = (script: Uint8Array): boolean => {
      const hash = ownerKeyHash(script);
      return hash !== undefined && hashes.has(toHex(hash));
    };
    const found = new Map<string, Unconfirmed>();
    const paid = new Set<string>();
    for (const [txid, one] of read) {
      for (const [vout, { script }] of one.tx.outputs.entries()) {
        if (!isOurs(script)) continue;
        paid.add(formatOutpoint({ txid, vout }));
        found.set(txid, one);
      }
      if (one.tx.inputs.some((input) => coins.has(formatOutpoint(input)))) found.set(txid, one);
    }
    for (const [txid, one] of read) {
      if (one.tx.inputs.some((input) => paid.has(formatOutpoint(input)))) found.set(txid, one);
    }
    return found;
  }

  /**
   * @param some transactions that concern the wallet; @param read all of those that were read with them; @param listed the mempool
   * @returns the verdicts of those that were checked; the others are for the next pass
   * @throws PlanchetError `upstream-*`
   */
  async judge(
    some: ReadonlyMap<string, Unconfirmed>,
    read: ReadonlyMap<string, Unconfirmed>,
    listed: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<Map<string, UnconfirmedVerdict>> {
    const { clock, coinStore } = this.#options;
    const end = clock.now() + CHECKS_MS;
    const verdicts = new Map<string, UnconfirmedVerdict>();
    const sources: Check['sources'] = new Map();
    let bytes = 0;
    let isFirst = true;
    for (const [txid, one] of some) {
      signal.throwIfAborted();
      if (coinStore.pending.get(txid)?.unproven === false) verdicts.set(txid, 'valid');
      else if (this.#slow.has(txid)) verdicts.set(txid, 'unproven');
      else if (isFirst || clock.now() < end) {
        isFirst = false;
        if (bytes > MAX_BYTES) {
          sources.clear();
          bytes = 0;
        }
        const check: Check = { listed, read, signal, sources, left: MAX_PARENTS, bytes: 0 };
        const verdict = await this.#verdictOf(one, check, 0);
        bytes += check.bytes;
        if (verdict !== 'later') verdicts.set(txid, verdict);
      }
    }
    return verdicts;
  }

  async #verdictOf({ txid, tx, raw }: Unconfirmed, check: Check, depth: number): Promise<UnconfirmedVerdict | 'later'> {
    const outpoints = new Set(tx.inputs.map(formatOutpoint));
    if (outpoints.size === 0 || outpoints.size < tx.inputs.length || isCoinbase(tx)) return 'invalid';
    const ours = await this.#ownOutputs(tx, check, depth);
    if (ours === undefined) return 'invalid';
    // First what is ours: whatever else the transaction has, it spends a coin of ours only where our key signed it.
    const own = await this.#run(raw, ours);
    if (!own.ok) return own.reason === TOO_LONG ? 'later' : 'invalid';
    const others: (Utxo | undefined)[] = [];
    let isProven = true;
    for (const [index, input] of tx.inputs.entries()) {
      const known = ours[index];
      const source = known && this.#isProvenCoin(input) ? undefined : await this.#source(input.txid, check, depth);
      if (source?.standing === 'invalid') return 'invalid';
      if (source && source.tx.outputs[input.vout] === undefined) return 'invalid';
      if (!(known && this.#isProvenCoin(input)) && source?.standing !== 'proven') isProven = false;
      others.push(known || !source ? undefined : outputOf(source.tx, input));
    }
    const spent = ours.map((utxo, index) => utxo ?? others[index]);
    if (spent.every((utxo) => utxo !== undefined) && sum(spent) < sum(tx.outputs)) return 'invalid';
    const rest = await this.#run(raw, others);
    if (!rest.ok && rest.reason === TOO_LONG) {
      // Once is enough: whoever pays a satoshi could keep a thread busy with it for as long as it waits.
      if (this.#slow.size >= MAX_SLOW) this.#slow.clear();
      this.#slow.add(txid);
      return 'unproven';
    }
    if (!rest.ok) return 'invalid';
    return isProven && spent.every((utxo) => utxo !== undefined) ? 'valid' : 'unproven';
  }

  async #run(raw: Uint8Array, spent: readonly (Utxo | undefined)[]): Promise<ScriptVerdict> {
    return spent.some((utxo) => utxo !== undefined) ? this.#options.scripts(raw, spent) : { ok: true };
  }

  /** The coins of the coin store that a transaction spends, in the order of its inputs; undefined where the script of one is not to be had. */
  async #ownOutputs(tx: Tx, check: Check, depth: number): Promise<(Utxo | undefined)[] | undefined> {
    const found: (Utxo | undefined)[] = [];
    for (const input of tx.inputs) {
      const coin = this.#options.coinStore.coins.get(formatOutpoint(input));
      if (coin === undefined || coin.scriptHash === null) {
        found.push(coin && plainUtxo(coin));
        continue;
      }
      // Of a long inscription the coin store has the lock alone; the transaction that made it proves the rest by its id.
      const source = await this.#source(input.txid, check, depth);
      if (source === undefined) return undefined;
      found.push(outputOf(source.tx, input));
    }
    return found;
  }

  #isProvenCoin(outpoint: Outpoint): boolean {
    const { coins, pending } = this.#options.coinStore;
    const coin = coins.get(formatOutpoint(outpoint));
    return coin !== undefined && (coin.height !== null || pending.get(coin.txid)?.unproven === false);
  }

  /** The transaction that made an output; undefined where the node does not have it, or too much would have to be looked at. */
  async #source(txid: string, check: Check, depth: number): Promise<Source | undefined> {
    const known = check.sources.get(txid);
    if (known) return known;
    check.left -= 1;
    if (check.left < 0 || check.bytes > MAX_BYTES || depth > MAX_DEPTH) return undefined;
    const one = check.read.get(txid) ?? (await readUnconfirmed(this.#options.chainData.until(check.signal), txid));
    if (one === undefined || one.raw.length === TREE_NODE_BYTES) return undefined;
    check.bytes += one.raw.length;
    const source = await this.#sourceOf(one, check, depth);
    check.sources.set(txid, source);
    return source;
  }

  async #sourceOf(one: Unconfirmed, check: Check, depth: number): Promise<Source> {
    const { txid, tx } = one;
    const { coinStore } = this.#options;
    if (coinStore.pending.get(txid)?.unproven === false) return { tx, standing: 'proven' };
    const isListed = check.listed.has(txid);
    if (!isListed && (await this.#isInBlock(txid, check.signal))) return { tx, standing: 'proven' };
    const verdict = await this.#verdictOf(one, check, depth + 1);
    if (verdict === 'invalid') return { tx, standing: 'invalid' };
    // an index lists what concerns the wallet alone, not what that builds on
    const waits = isListed || (await this.#isInMempool(txid, check.signal));
    return { tx, standing: waits && verdict === 'valid' ? 'proven' : 'unproven' };
  }

  async #isInMempool(txid: string, signal: AbortSignal): Promise<boolean> {
    const found = await unlessRefused(() => this.#options.chainData.until(signal).isInMempool(txid));
    return found?.value === true;
  }

  /** Whether a Merkle proof shows that a block of the chain holds a transaction whose bytes are known. */
  async #isInBlock(txid: string, signal: AbortSignal): Promise<boolean> {
    const { chainData, coinStore } = this.#options;
    if (typeof coinStore.transactions.get(txid)?.height === 'number') return true;
    const found = await unlessRefused(() => chainData.until(signal).inclusion(txid));
    return found?.basis === 'proven';
  }
}

/** A transaction whose bytes have the id that was asked for; undefined where the node has no such one. @throws PlanchetError `upstream-*` */
async function readUnconfirmed(chainData: Questions, txid: string): Promise<Unconfirmed | undefined> {
  const found = await unlessRefused(() => chainData.transaction(txid));
  return found?.value && readable(txid, found.value);
}

/** A transaction of the mempool; undefined where it is none, or longer than what is checked. */
export function readable(txid: string, raw: Uint8Array): Unconfirmed | undefined {
  try {
    return raw.length > MAX_BYTES ? undefined : { txid, raw, tx: parseTx(raw, true) };
  } catch (error) {
    if (error instanceof ChainError) return undefined;
    throw error;
  }
}

/** Undefined where the node refuses to answer, or where its answer cannot be read or does not hold. */
async function unlessRefused<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    const isOfChain = error instanceof PlanchetError && error.id?.startsWith('chain.');
    if (isOfChain) return undefined;
    throw error;
  }
}

function outputOf(tx: Tx, { txid, vout }: Outpoint): Utxo | undefined {
  const output = tx.outputs[vout];
  return output && { txid, vout, satoshis: output.satoshis, lockingScript: output.script };
}

function sum(values: readonly ({ readonly satoshis: number } | undefined)[]): number {
  return values.reduce((total, value) => total + (value?.satoshis ?? 0), 0);
}
