import type { ChainData } from '../../../ports/chain-data.ts';
import type { KeySource } from '../../keys/key-source.ts';
import { dropTransaction, partsOf } from '../coin-effects.ts';
import { applyAndFollow } from '../followed-keys.ts';
import { MempoolArrivals } from './mempool-arrivals.ts';
import { type Unconfirmed, UnconfirmedChecks, type UnconfirmedChecksOptions } from './unconfirmed-checks.ts';
import { readUnconfirmed } from './unconfirmed-reader.ts';

/** Mempool transactions fetched in one pass; the rest is for the next. */
const MAX_FETCHED = 500;
/** A transaction the node has not known for so long is given up, and the coins it spent are free again. */
export const GIVE_UP_AFTER_MS = 600_000;
const TXID_LENGTH = 64;

export interface MempoolScanOptions extends UnconfirmedChecksOptions {
  chainData: ChainData;
  keys: KeySource;
}

/** Brings a coin store up to what waits in the mempool. Only what was not announced is read from the node. */
export class MempoolScan {
  readonly #options: MempoolScanOptions;
  readonly #checks: UnconfirmedChecks;
  readonly #arrivals: MempoolArrivals;
  /** Mempool transactions that were already checked, related to the wallet or not. */
  #seen = new Set<string>();
  /** Listed, and without bytes when they were asked for. */
  #absent: ReadonlySet<string> = new Set();
  /** By the id of a mempool transaction that is not read yet: the transactions that spend from it and were read before. */
  #early = new Map<string, Set<string>>();
  /** The tip when what is not proven was checked last. */
  #checkedAt: string | undefined;

  constructor(options: MempoolScanOptions) {
    this.#options = options;
    this.#checks = new UnconfirmedChecks(options);
    this.#arrivals = new MempoolArrivals(options.keys, options.coinStore);
  }

  /** Takes a transaction that the node announces. @returns whether a pass is due */
  announced(txid: string, raw: Uint8Array): boolean {
    return !this.#seen.has(txid) && this.#arrivals.add(txid, raw, this.#options.clock.now());
  }

  /** Looks at the whole mempool again: the wallet has other blocks now, or other keys. */
  beginAnew(): void {
    this.#seen = new Set();
    this.#early = new Map();
    // Arrivals that touch the wallet stay: where the mempool cannot be listed, nobody tells of them again.
    this.#arrivals.drop([...this.#arrivals.all].flatMap(([txid, { whole }]) => (whole === undefined ? [txid] : [])));
  }

  /**
   * @param mempool the ids of what waits; undefined where it is too large to be listed, so that only what is announced is seen
   * @param listedAt when they were asked for, in milliseconds since 1970
   * @throws PlanchetError `upstream-*`
   */
  async scan(mempool: readonly string[] | undefined, listedAt: number, signal: AbortSignal): Promise<void> {
    if (mempool !== undefined) return this.#scanListed(mempool, listedAt, signal);
    const came = [...this.#arrivals.all];
    const touching = came.flatMap(([txid, { whole }]) => (whole ? [[txid, whole] as const] : []));
    await this.#takeUnconfirmed(new Map(touching), new Set(touching.map(([txid]) => txid)), signal);
    this.#arrivals.drop(came.map(([txid]) => txid));
  }

  async #scanListed(mempool: readonly string[], listedAt: number, signal: AbortSignal): Promise<void> {
    const { coinStore } = this.#options;
    const chainData = this.#options.chainData.until(signal);
    const listed = new Set(mempool);
    this.#checkAgain();
    const came = [...this.#arrivals.all].filter(([txid, { at }]) => listed.has(txid) || at < listedAt);
    const read = new Map<string, Unconfirmed>();
    /** Arrivals that do not touch the wallet, with the outpoints they spend. */
    const passed = new Map<string, readonly string[]>();
    for (const [txid, { whole, outpoints }] of came) {
      if (!listed.has(txid)) continue;
      if (whole) read.set(txid, whole);
      // a block that was searched since may have made a coin of what it spends
      else if (!outpoints.some((outpoint) => coinStore.coins.has(outpoint))) passed.set(txid, outpoints);
    }
    const waits = mempool.filter((txid) => !this.#seen.has(txid) && !read.has(txid) && !passed.has(txid));
    // Ids that nobody had the last time come last, so that invented ids delay no others.
    const unseen = [
      ...waits.filter((txid) => !this.#absent.has(txid)),
      ...waits.filter((txid) => this.#absent.has(txid)),
    ].slice(0, MAX_FETCHED);
    const fetched = await readUnconfirmed(chainData, unseen);
    for (const [txid, one] of fetched.read) read.set(txid, one);
    // Once the transaction before is read, or in a block, it is seen what they spend of it.
    const parents = [...this.#early.keys()].filter((txid) => read.has(txid) || !listed.has(txid));
    const early = new Set(parents.flatMap((txid) => [...(this.#early.get(txid) ?? [])]));
    for (const [txid, outpoints] of passed) if (outpoints.some((one) => read.has(parentOf(one)))) early.add(txid);
    const again = [...early].filter((txid) => listed.has(txid) && !read.has(txid));
    const second = await readUnconfirmed(chainData, again);
    for (const [txid, one] of second.read) {
      read.set(txid, one);
      passed.delete(txid);
    }
    const left = await this.#takeUnconfirmed(read, listed, signal);
    await this.#noteMissing(listed, listedAt);
    // Only now: what could not be stored is read again.
    for (const txid of [...parents, ...passed.keys()]) this.#early.delete(txid);
    const isUnread = (txid: string): boolean =>
      listed.has(txid) && !this.#seen.has(txid) && !read.has(txid) && !passed.has(txid);
    const noteEarly = (txid: string, parent: string): void => {
      if (isUnread(parent)) this.#early.set(parent, (this.#early.get(parent) ?? new Set()).add(txid));
    };
    for (const [txid, { tx }] of read) for (const input of tx.inputs) noteEarly(txid, input.txid);
    for (const [txid, outpoints] of passed) for (const outpoint of outpoints) noteEarly(txid, parentOf(outpoint));
    const seen = mempool.filter((txid) => this.#seen.has(txid));
    this.#seen = new Set([...seen, ...unseen, ...read.keys(), ...passed.keys()]);
    // A service may list a transaction before it hands out its bytes.
    this.#absent = new Set(fetched.absent);
    for (const txid of [...left, ...fetched.unread, ...second.unread, ...this.#absent]) this.#seen.delete(txid);
    this.#arrivals.drop(came.map(([txid]) => txid));
  }

  /** With each block, what was not proven is read once more: the block may hold what it builds on. */
  #checkAgain(): void {
    const { coinStore } = this.#options;
    const tip = coinStore.tip?.hash;
    if (tip === this.#checkedAt) return;
    for (const [txid, { unproven }] of coinStore.pending) if (unproven) this.#seen.delete(txid);
    this.#checkedAt = tip;
  }

  /** Checks what concerns the wallet and takes what holds. @returns the ids of those that were left for the next pass */
  async #takeUnconfirmed(
    read: ReadonlyMap<string, Unconfirmed>,
    listed: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<string[]> {
    const { keys, coinStore, clock } = this.#options;
    const rest = new Map(read);
    const left: string[] = [];
    let followed: number;
    do {
      followed = keys.all.length;
      const some = this.#checks.concerning(rest, keys.all);
      const verdicts = await this.#checks.judge(some, read, listed, signal);
      const among = (verdict: string): Unconfirmed[] =>
        [...some.values()].filter(({ txid }) => verdicts.get(txid) === verdict);
      const unproven = among('unproven');
      const taken = [...among('valid'), ...unproven].map(({ tx, txid }) => partsOf(tx, txid));
      const at = { height: null, now: clock.now(), unproven: new Set(unproven.map(({ txid }) => txid)) };
      await coinStore.change((edit) => {
        applyAndFollow(edit, taken, keys, at);
        // one that an earlier version believed
        for (const { txid } of among('invalid')) if (edit.pendingOf(txid)?.unproven) dropTransaction(edit, txid);
      });
      for (const txid of some.keys()) {
        rest.delete(txid);
        if (!verdicts.has(txid)) left.push(txid);
      }
      // Keys that are followed since may be paid by what concerned nobody before.
    } while (keys.all.length > followed);
    return left;
  }

  async #noteMissing(listed: ReadonlySet<string>, listedAt: number): Promise<void> {
    const { coinStore, clock } = this.#options;
    const now = clock.now();
    await coinStore.change((edit) => {
      for (const [txid, pending] of coinStore.pending) {
        // Seen since the listing, by another way: the listing says nothing about it.
        if (pending.since >= listedAt && pending.since <= now) continue;
        if (listed.has(txid)) {
          if (pending.missingSince !== null) edit.setPending(txid, { ...pending, missingSince: null });
        } else if (pending.missingSince === null || pending.missingSince > now) {
          // also where the clock was put back
          edit.setPending(txid, { ...pending, missingSince: now });
        } else if (now - pending.missingSince >= GIVE_UP_AFTER_MS) {
          edit.tell({ kind: 'dropped', at: now, txids: [txid], height: null });
          dropTransaction(edit, txid, 'dropped');
        }
      }
    });
  }
}

function parentOf(outpoint: string): string {
  return outpoint.slice(0, TXID_LENGTH);
}
