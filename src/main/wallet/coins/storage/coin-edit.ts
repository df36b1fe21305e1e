import { formatOutpoint, type Utxo } from '../../../../chain/index.ts';

/** An output the wallet's keys can spend, or could before it was spent. */
export interface Coin extends Utxo {
  readonly kind: 'funding' | 'token' | 'other';
  /** SHA-256 (hex) of the whole script where `lockingScript` is its lock alone; otherwise null. */
  readonly scriptHash: string | null;
  readonly keyIndex: number;
  readonly coinbase: boolean;
  /** null while no block holds the transaction. */
  readonly height: number | null;
  readonly spentBy: string | null;
  readonly spentHeight: number | null;
}

/** A transaction of the wallet that no block holds yet; `missingSince` is when the node was first seen without it. */
export interface Pending {
  readonly since: number;
  readonly missingSince: number | null;
  /** Whether others can still change its id: what spends its outputs would be void then. */
  readonly malleable: boolean;
  /** Whether others made it and not all that it builds on is known: the node may have invented it. */
  readonly unproven: boolean;
}

export interface ScannedBlock {
  readonly height: number;
  readonly hash: string;
}

export interface WalletState {
  /** Public key hash (hex) of the key the coins belong to. */
  readonly owner: string;
  readonly keyIndex: number;
  /** Public key hashes (hex) that the scanned blocks were searched for, space between them. */
  readonly keys: string;
  /** Height the scan begins at; null until the node was asked for it. */
  readonly birthHeight: number | null;
  /** The blocks up to this height hold nothing for keys that come later; null where they may, from the first one on. */
  readonly searchedTo: number | null;
}

/** What one transaction did to the wallet, kept for the history. */
export interface TransactionRecord {
  /** Time of its block, or when it was first seen (ms). */
  readonly at: number;
  readonly height: number | null;
  /** Satoshis of plain coins it made and spent. */
  readonly received: number;
  readonly spent: number;
  /** Tokens it made, less those it spent. */
  readonly tokens: number;
  /** Known where all inputs are the wallet's. */
  readonly fee: number | null;
  /** Who held what it spent; null where nobody did. */
  readonly owner: string | null;
  /** Why it will be in no block; null where it may be in one or is. */
  readonly lost: 'double-spent' | 'dropped' | null;
  /** How many of the wallet's keys it was searched for; 0 where it has to be taken once more. */
  readonly searchedFor: number;
}

/** Somebody says that a coin is spent, and nobody has what spends it. Until that is resolved the coin is not spent. */
export interface Dispute {
  /** Names of those who say so. */
  readonly sources: readonly string[];
  /** How many were asked and answered. */
  readonly of: number;
}

/** Something a person should know: it is stored with the edit that it comes from, so that it is told once. */
export interface CoinNotice {
  readonly kind: 'reorganised' | 'double-spent' | 'dropped' | 'too-long';
  readonly at: number;
  readonly txids: readonly string[];
  /** `reorganised`: the last block that stayed; `too-long`: the block that holds it. */
  readonly height: number | null;
}

/**
 * A signed transaction that left this process. Whoever was given its bytes can have it mined while the coins it spends are unspent, also
 * whoever refused it.
 */
export interface SignedSpend {
  /** The name of the reservation whose coins were spent. */
  readonly owner: string;
  /** Outpoints of the wallet's coins among its inputs. */
  readonly inputs: readonly string[];
}

/** The part of a coin store that an edit reads. */
export interface StoredCoins {
  readonly state: WalletState;
  readonly coins: ReadonlyMap<string, Coin>;
  readonly owners: ReadonlyMap<string, string>;
  readonly frozen: ReadonlySet<string>;
  readonly pending: ReadonlyMap<string, Pending>;
  readonly disputes: ReadonlyMap<string, Dispute>;
  readonly transactions: ReadonlyMap<string, TransactionRecord>;
  readonly used: ReadonlyMap<number, number | null>;
  readonly signed: ReadonlyMap<string, SignedSpend>;
  readonly blocks: readonly ScannedBlock[];
}

/** How many scanned blocks are remembered: the deepest change of the chain that is followed without scanning everything again. */
export const REMEMBERED_BLOCKS = 1_000;

/** Changes to a coin store that take effect together. Reads through it see the changes made so far. */
export class CoinEdit {
  readonly coins = new Map<string, Coin | null>();
  readonly owners = new Map<string, string | null>();
  readonly frozen = new Map<string, boolean>();
  readonly pending = new Map<string, Pending | null>();
  readonly transactions = new Map<string, TransactionRecord | null>();
  /** Keys that are paid, by index: the height of the first block that does, null while none does. */
  readonly used = new Map<number, number | null>();
  /** Signed transactions, by id. They outlive everything but their coins. */
  readonly signed = new Map<string, SignedSpend | null>();
  readonly disputes = new Map<string, Dispute | null>();
  readonly notices: CoinNotice[] = [];
  blocks: readonly ScannedBlock[] | undefined;
  state: WalletState | undefined;
  cleared = false;
  readonly #coinStore: StoredCoins;

  constructor(coinStore: StoredCoins) {
    this.#coinStore = coinStore;
  }

  get isEmpty(): boolean {
    const held = this.owners.size + this.frozen.size + this.signed.size + this.disputes.size;
    const changes = this.coins.size + held + this.pending.size + this.transactions.size + this.used.size;
    return changes + this.notices.length === 0 && !this.blocks && !this.state && !this.cleared;
  }

  coin(key: string): Coin | undefined {
    const changed = this.coins.get(key);
    return (changed === undefined && !this.cleared ? this.#coinStore.coins.get(key) : changed) ?? undefined;
  }

  pendingOf(txid: string): Pending | undefined {
    const changed = this.pending.get(txid);
    return (changed === undefined && !this.cleared ? this.#coinStore.pending.get(txid) : changed) ?? undefined;
  }

  ownerOf(key: string): string | undefined {
    const changed = this.owners.get(key);
    return (changed === undefined && !this.cleared ? this.#coinStore.owners.get(key) : changed) ?? undefined;
  }

  transaction(txid: string): TransactionRecord | undefined {
    const changed = this.transactions.get(txid);
    return (changed === undefined && !this.cleared ? this.#coinStore.transactions.get(txid) : changed) ?? undefined;
  }

  /** Marks the records that meet the condition, so that their transactions are taken once more. */
  takeAgain(condition: (record: TransactionRecord, txid: string) => boolean): void {
    const txids = new Set([...(this.cleared ? [] : this.#coinStore.transactions.keys()), ...this.transactions.keys()]);
    for (const txid of txids) {
      const record = this.transaction(txid);
      if (record && record.searchedFor > 0 && condition(record, txid)) this.record(txid, { ...record, searchedFor: 0 });
    }
  }

  /** Notes what a transaction did, or with null that it never happened. */
  record(txid: string, record: TransactionRecord | null): void {
    if (record || this.transaction(txid)) this.transactions.set(txid, record);
  }

  /** All coins that meet the condition, as this edit leaves them. */
  findCoins(condition: (coin: Coin) => boolean): Coin[] {
    const keys = new Set([...(this.cleared ? [] : this.#coinStore.coins.keys()), ...this.coins.keys()]);
    return [...keys].map((key) => this.coin(key)).filter((coin) => coin !== undefined && condition(coin)) as Coin[];
  }

  put(coin: Coin): void {
    this.coins.set(formatOutpoint(coin), coin);
  }

  /** Removes a coin. Its reservation stays, since the coin may come back while the owner counts on it. */
  remove(coin: Coin): void {
    this.coins.set(formatOutpoint(coin), null);
  }

  /** Notes that somebody says a coin is spent, or with null that nobody does. */
  dispute(key: string, dispute: Dispute | null): void {
    if (JSON.stringify(dispute) !== JSON.stringify(this.#coinStore.disputes.get(key) ?? null))
      this.disputes.set(key, dispute);
  }

  hold(key: string, owner: string): void {
    this.owners.set(key, owner);
  }

  release(key: string): void {
    if (this.owners.has(key) || this.#coinStore.owners.has(key)) this.owners.set(key, null);
  }

  isFrozen(key: string): boolean {
    return this.frozen.get(key) ?? this.#coinStore.frozen.has(key);
  }

  /** Sets an output aside, or lifts that. It need not be a coin of the coin store. */
  setFrozen(key: string, frozen: boolean): void {
    if (this.isFrozen(key) !== frozen) this.frozen.set(key, frozen);
  }

  /** Notes a signed transaction that leaves this process. */
  sign(txid: string, spend: SignedSpend): void {
    if (!this.#coinStore.signed.has(txid)) this.signed.set(txid, spend);
  }

  /** Forgets the signed transactions that spend this coin, which is spent too deep to come back. */
  forgetSigned(key: string): void {
    for (const [txid, { inputs }] of this.#coinStore.signed) if (inputs.includes(key)) this.signed.set(txid, null);
  }

  tell(notice: CoinNotice): void {
    this.notices.push(notice);
  }

  setPending(txid: string, pending: Pending | null): void {
    if (pending || this.pendingOf(txid)) this.pending.set(txid, pending);
  }

  /** Notes that a key is paid. @param height of the block, or null */
  use(keyIndex: number, height: number | null): void {
    const known = this.usedAt(keyIndex);
    if (known === undefined || (known === null && height !== null)) this.used.set(keyIndex, height);
  }

  /** Undefined where the key was never paid. */
  usedAt(keyIndex: number): number | null | undefined {
    const changed = this.used.get(keyIndex);
    return changed === undefined ? this.#coinStore.used.get(keyIndex) : changed;
  }

  /** Keys that blocks above this height paid first are paid by none now. */
  forgetUsesAbove(height: number): void {
    for (const index of new Set([...this.#coinStore.used.keys(), ...this.used.keys()])) {
      if ((this.usedAt(index) ?? height) > height) this.used.set(index, null);
    }
  }

  addBlock(block: ScannedBlock): void {
    this.blocks = [...(this.blocks ?? this.#currentBlocks()), block].slice(-REMEMBERED_BLOCKS);
  }

  dropBlocksAbove(height: number): void {
    this.blocks = (this.blocks ?? this.#currentBlocks()).filter((block) => block.height <= height);
  }

  /** The state as this edit leaves it. */
  get currentState(): WalletState {
    return this.state ?? this.#coinStore.state;
  }

  setState(change: Partial<WalletState>): void {
    this.state = { ...this.currentState, ...change };
  }

  /** Forgets everything but what is frozen and which keys were paid, and begins at the first block. */
  clear(): void {
    for (const map of [this.coins, this.owners, this.pending, this.transactions, this.disputes]) map.clear();
    this.cleared = true;
    this.blocks = [];
    this.forgetUsesAbove(-1);
    this.setState({ searchedTo: null });
  }

  #currentBlocks(): readonly ScannedBlock[] {
    return this.cleared ? [] : this.#coinStore.blocks;
  }
}
