import { randomUUID } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
import { formatOutpoint, parseOutpoint } from '../../../../chain/index.ts';
import { PlanchetError } from '../../../../contract/index.ts';
import { Sequencer } from '../../../async/sequencer.ts';
import { chunks } from '../../../chunks.ts';
import type { NonFundingOutput } from '../../../ports/wallet.ts';
import { storeFailure } from '../../../store/store.ts';
import { networkOf, type WalletTables } from '../../tables.ts';
import { heldBySigned } from '../signed-spends.ts';
import {
  type Coin,
  CoinEdit,
  type Dispute,
  type Pending,
  type ScannedBlock,
  type SignedSpend,
  type TransactionRecord,
  type WalletState,
} from './coin-edit.ts';
import { coinRow, readCoins, readPending, stateOf, stateRow } from './coin-rows.ts';
import { readDisputes, storeDisputes } from './dispute-rows.ts';
import { readSigned, storeSigned } from './signed-rows.ts';
import { readTransactions, storeTransactions } from './transaction-rows.ts';
import { forgetUsesOf, readUsedKeys, storeUsedKeys } from './used-keys.ts';

const WALLET_TABLES = [
  'wallet_coins',
  'wallet_blocks',
  'wallet_reservations',
  'wallet_pending',
  'wallet_disputes',
  'wallet_transactions',
] as const;

/** Holds coins that a person set aside. */
export const FROZEN = 'frozen';

/** SQLite takes 32,766 values in a statement, PostgreSQL 65,535. */
const ROWS_A_STATEMENT = 500;

/**
 * What the wallet owns, in memory and in the store. It changes only through {@link change}: the store takes all of an edit or nothing,
 * and memory follows only after the store.
 */
export class CoinStore {
  readonly #db: Kysely<WalletTables>;
  readonly #scope: string;
  #state: WalletState;
  readonly #coins = new Map<string, Coin>();
  /** Keys are outpoints, `<txid>_<vout>`. */
  readonly coins: ReadonlyMap<string, Coin> = this.#coins;
  readonly #owners = new Map<string, string>();
  /** Who holds a coin, by outpoint. */
  readonly owners: ReadonlyMap<string, string> = this.#owners;
  readonly #frozen = new Set<string>();
  /** Outputs that a person set aside, by outpoint; some may be of other accounts, or of no coin that is known now. */
  readonly frozen: ReadonlySet<string> = this.#frozen;
  readonly #pending = new Map<string, Pending>();
  readonly pending: ReadonlyMap<string, Pending> = this.#pending;
  readonly #disputes = new Map<string, Dispute>();
  /** Coins that somebody says are spent, by outpoint. */
  readonly disputes: ReadonlyMap<string, Dispute> = this.#disputes;
  readonly #transactions = new Map<string, TransactionRecord>();
  /** What every transaction of the wallet did, by txid. */
  readonly transactions: ReadonlyMap<string, TransactionRecord> = this.#transactions;
  readonly #used = new Map<number, number | null>();
  /** Keys that were ever paid, by index: the height of the first block that does, null while none does. */
  readonly used: ReadonlyMap<number, number | null> = this.#used;
  readonly #signed = new Map<string, SignedSpend>();
  /** Signed transactions that left this process, by txid. */
  readonly signed: ReadonlyMap<string, SignedSpend> = this.#signed;
  #blocks: ScannedBlock[] = [];
  readonly #changing = new Sequencer();
  #closed = false;
  #revision = 0;
  #nonFunding: readonly NonFundingOutput[] | undefined;
  #heldBySigned: ReadonlyMap<string, readonly string[]> | undefined;

  private constructor(db: Kysely<WalletTables>, scope: string, state: WalletState) {
    this.#db = db;
    this.#scope = scope;
    this.#state = state;
  }

  /** Reads the rows of a network. Rows of another wallet (another `owner`) are removed: `fresh` is the state to begin with. */
  static async load(db: Kysely<WalletTables>, scope: string, fresh: WalletState): Promise<CoinStore> {
    const row = await db.selectFrom('wallet_state').selectAll().where('network', '=', scope).executeTakeFirst();
    if (row?.owner !== fresh.owner) {
      const coinStore = new CoinStore(db, scope, fresh);
      await coinStore.#readFrozen();
      for (const [index, height] of await readUsedKeys(db, scope, fresh.owner)) coinStore.#used.set(index, height);
      await coinStore.change((edit) => edit.clear());
      return coinStore;
    }
    return CoinStore.#stored(db, scope, row);
  }

  /** Reads what is stored, whoever has the keys; undefined where nothing is. */
  static async stored(db: Kysely<WalletTables>, scope: string): Promise<CoinStore | undefined> {
    const row = await db.selectFrom('wallet_state').selectAll().where('network', '=', scope).executeTakeFirst();
    return row && CoinStore.#stored(db, scope, row);
  }

  /** Releases in the store what an owner holds, where no coin store is open. @throws PlanchetError `disk-full` | `store-failed` */
  static async release(db: Kysely<WalletTables>, scope: string, owner: string): Promise<void> {
    const rows = db.deleteFrom('wallet_reservations').where('network', '=', scope).where('owner', '=', owner);
    await rows.execute().catch((error: unknown) => {
      throw storeFailure(error);
    });
  }

  static async #stored(
    db: Kysely<WalletTables>,
    scope: string,
    row: Selectable<WalletTables['wallet_state']>,
  ): Promise<CoinStore> {
    const coinStore = new CoinStore(db, scope, stateOf(row));
    await coinStore.#read();
    return coinStore;
  }

  /** Rises with every change. */
  get revision(): number {
    return this.#revision;
  }

  get state(): WalletState {
    return this.#state;
  }

  /** See {@link TokenWallet.nonFundingOutputs}. */
  get nonFunding(): readonly NonFundingOutput[] {
    this.#nonFunding ??= [...this.#coins].flatMap(([outpoint, coin]) => {
      const { txid, vout, satoshis, lockingScript, height } = coin;
      if (coin.kind === 'funding' || coin.spentBy !== null) return [];
      return [{ utxo: { txid, vout, satoshis, lockingScript }, height, owner: this.holderOf(outpoint) }];
    });
    return this.#nonFunding;
  }

  /** Who holds a coin: what it is reserved for, or {@link FROZEN}. */
  holderOf(outpoint: string): string | undefined {
    return this.#owners.get(outpoint) ?? (this.#frozen.has(outpoint) ? FROZEN : undefined);
  }

  /** Coins that signed transactions hold, by outpoint: the ids of the transactions. */
  get heldBySigned(): ReadonlyMap<string, readonly string[]> {
    this.#heldBySigned ??= heldBySigned(this);
    return this.#heldBySigned;
  }

  /** The newest scanned blocks, lowest first, without gaps. */
  get blocks(): readonly ScannedBlock[] {
    return this.#blocks;
  }

  get tip(): ScannedBlock | undefined {
    return this.#blocks.at(-1);
  }

  /**
   * Makes changes that take effect together, one after the other: a job sees what all earlier ones left. Nothing is changed where the job
   * throws or the store fails.
   * @throws what the job throws; PlanchetError `disk-full` | `store-failed`, `not-running` after {@link close}
   */
  change<T>(job: (edit: CoinEdit) => T): Promise<T> {
    return this.#changing.run(async () => {
      if (this.#closed) throw new PlanchetError('wallet.not-ready');
      const edit = new CoinEdit(this);
      const outcome = job(edit);
      if (!edit.isEmpty) {
        await this.#store(edit);
        this.#show(edit);
      }
      return outcome;
    });
  }

  /** Ends it: nothing begins to change any more. Resolves when the change that is being stored is in the store. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#changing.idle();
  }

  async #store(edit: CoinEdit): Promise<void> {
    let reason: unknown;
    try {
      await this.#db.transaction().execute(async (db) => {
        await this.#write(db, edit).catch((error: unknown) => {
          reason = error;
          throw error;
        });
      });
    } catch (error) {
      // On a full disk SQLite ends the transaction by itself; the attempt to roll it back then fails and hides why.
      throw storeFailure(reason ?? error);
    }
  }

  async #write(db: Kysely<WalletTables>, edit: CoinEdit): Promise<void> {
    const scope = this.#scope;
    if (edit.cleared) {
      for (const table of WALLET_TABLES) await db.deleteFrom(table).where('network', '=', scope).execute();
      await forgetUsesOf(db, scope);
    }
    for (const [key, coin] of edit.coins) {
      await deleteOutput(db, 'wallet_coins', { network: scope, ...parseOutpoint(key) });
      if (coin) await db.insertInto('wallet_coins').values(coinRow(scope, coin)).execute();
    }
    for (const [key, owner] of edit.owners) {
      const coin = { network: scope, ...parseOutpoint(key) };
      await deleteOutput(db, 'wallet_reservations', coin);
      const row = owner ? { ...coin, owner } : undefined;
      if (row) await db.insertInto('wallet_reservations').values(row).execute();
    }
    for (const [key, frozen] of edit.frozen) {
      const row = { network: networkOf(scope), ...parseOutpoint(key) };
      const rows = db.insertInto('wallet_freezes').values(row);
      if (frozen) await rows.onConflict((conflict) => conflict.doNothing()).execute();
      else await deleteOutput(db, 'wallet_freezes', row);
    }
    for (const [txid, pending] of edit.pending) {
      await db.deleteFrom('wallet_pending').where('network', '=', scope).where('txid', '=', txid).execute();
      if (!pending) continue;
      const row = {
        network: scope,
        txid,
        since: pending.since,
        missing_since: pending.missingSince,
        malleable: Number(pending.malleable),
        unproven: Number(pending.unproven),
      };
      await db.insertInto('wallet_pending').values(row).execute();
    }
    await storeSigned(db, scope, edit.signed);
    await storeDisputes(db, scope, edit.disputes);
    await storeTransactions(db, scope, edit.transactions);
    await storeUsedKeys(db, scope, edit.currentState.owner, edit.used);
    await this.#storeBlocks(db, edit);
    for (const { txids, ...notice } of edit.notices) {
      const row = { network: scope, id: randomUUID(), txids: JSON.stringify(txids), ...notice };
      await db.insertInto('wallet_notices').values(row).execute();
    }
    if (edit.state) {
      await db.deleteFrom('wallet_state').where('network', '=', scope).execute();
      await db.insertInto('wallet_state').values(stateRow(scope, edit.state)).execute();
    }
  }

  async #storeBlocks(db: Kysely<WalletTables>, edit: CoinEdit): Promise<void> {
    const scope = this.#scope;
    const kept = edit.blocks;
    if (kept === undefined) return;
    const before = new Set(edit.cleared ? [] : this.#blocks);
    const after = new Set(kept);
    const first = kept[0]?.height ?? 0;
    await db.deleteFrom('wallet_blocks').where('network', '=', scope).where('height', '<', first).execute();
    const gone = [...before].find((block) => block.height >= first && !after.has(block));
    if (gone) {
      await db.deleteFrom('wallet_blocks').where('network', '=', scope).where('height', '>=', gone.height).execute();
    }
    const added = kept.filter((block) => !before.has(block));
    for (const some of chunks(added, ROWS_A_STATEMENT)) {
      const rows = some.map(({ height, hash }) => ({ network: scope, height, hash }));
      await db.insertInto('wallet_blocks').values(rows).execute();
    }
  }

  #show(edit: CoinEdit): void {
    if (edit.cleared) {
      for (const map of [this.#coins, this.#owners, this.#pending, this.#transactions, this.#disputes]) map.clear();
      this.#blocks = [];
    }
    overlay(this.#coins, edit.coins);
    overlay(this.#owners, edit.owners);
    for (const [key, frozen] of edit.frozen) this.#frozen[frozen ? 'add' : 'delete'](key);
    overlay(this.#pending, edit.pending);
    overlay(this.#transactions, edit.transactions);
    for (const [index, height] of edit.used) this.#used.set(index, height);
    overlay(this.#signed, edit.signed);
    overlay(this.#disputes, edit.disputes);
    if (edit.blocks) this.#blocks = [...edit.blocks];
    if (edit.state) this.#state = edit.state;
    this.#revision += 1;
    this.#nonFunding = undefined;
    this.#heldBySigned = undefined;
  }

  async #readFrozen(): Promise<void> {
    const rows = this.#db.selectFrom('wallet_freezes').selectAll().where('network', '=', networkOf(this.#scope));
    for (const { txid, vout } of await rows.execute()) this.#frozen.add(formatOutpoint({ txid, vout: Number(vout) }));
  }

  async #read(): Promise<void> {
    const scope = this.#scope;
    const db = this.#db;
    overlay(this.#coins, await readCoins(db, scope));
    for (const row of await db.selectFrom('wallet_reservations').selectAll().where('network', '=', scope).execute()) {
      this.#owners.set(formatOutpoint({ txid: row.txid, vout: Number(row.vout) }), row.owner);
    }
    await this.#readFrozen();
    overlay(this.#pending, await readPending(db, scope));
    overlay(this.#transactions, await readTransactions(db, scope));
    for (const [index, height] of await readUsedKeys(db, scope, this.#state.owner)) this.#used.set(index, height);
    overlay(this.#signed, await readSigned(db, scope));
    overlay(this.#disputes, await readDisputes(db, scope));
    const blocks = db.selectFrom('wallet_blocks').selectAll().where('network', '=', scope).orderBy('height');
    this.#blocks = (await blocks.execute()).map(({ height, hash }) => ({ height: Number(height), hash }));
  }
}

function overlay<T>(target: Map<string, T>, changes: ReadonlyMap<string, T | null>): void {
  for (const [key, value] of changes) {
    if (value === null) target.delete(key);
    else target.set(key, value);
  }
}

async function deleteOutput(
  db: Kysely<WalletTables>,
  table: 'wallet_coins' | 'wallet_reservations' | 'wallet_freezes',
  { network, txid, vout }: { network: string; txid: string; vout: number },
): Promise<void> {
  await db.deleteFrom(table).where('network', '=', network).where('txid', '=', txid).where('vout', '=', vout).execute();
}
