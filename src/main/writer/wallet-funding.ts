import type { Transaction } from 'kysely';
import {
  addSatoshis,
  feeFor,
  P2PKH_INPUT_BYTES,
  P2PKH_OUTPUT_BYTES,
  type Satoshis,
  satoshis,
  serializeTx,
  toHex,
  txidOf,
  type Utxo,
} from '../../chain/index.ts';
import { PlanchetError, type Settings, toFailure } from '../../contract/index.ts';
import type { BatchMerchant, FeeQuote, FundingWallet, Logger, NodeRpc, SettingsView } from '../ports.ts';
import {
  buildDataTransaction,
  dataFee,
  documentScript,
  isSignedFormOf,
  SigningKey,
  unsignedTx,
} from './data-transaction.ts';
import type { CoinRow, DocumentRow, TransactionRow } from './document.ts';
import { backOff, type Funding, type FundingRound, type SendOutcome } from './funding.ts';
import { chunks, type NewTransaction, type WriteQueue } from './queue.ts';
import type { WriterTables } from './tables.ts';
import { writeCodes } from './write-errors.ts';

/** Transactions built in one round: more would keep others waiting for the database. */
const ROUND = 64;
const ROUND_BYTES = 8_000_000;
/** Data bytes of a transaction that writes several documents. */
const GROUP_BYTES = 100_000;
/** Coins standing on more unconfirmed transactions than this wait for a block. */
const MAX_DEPTH = 200;
/** The first split; later ones double until the setting's number is reached. */
const FIRST_COINS = 16;
const SPLIT_OWNER = 'writer:split';

export interface WalletFundingOptions {
  queue: WriteQueue;
  wallet: FundingWallet;
  /** Private key (32 bytes) of the writer's own coins. @throws PlanchetError `wallet-missing` | `vault-locked` */
  poolKey: () => Uint8Array;
  merchant: BatchMerchant;
  node: NodeRpc;
  settings: SettingsView;
  logger: Logger;
  /** Called when coins arrived or a split was journalled, so that the pipeline looks for work. */
  wake: () => void;
}

/**
 * Pays from coins of its own, which it splits off the wallet ahead of need: documents then need no coin selection, do not wait for each
 * other's change, and leave the wallet's coins to other jobs. The key of these coins comes from the wallet's seed.
 */
export class WalletFunding implements Funding {
  readonly source = 'wallet';
  readonly #options: WalletFundingOptions;
  #key: SigningKey | undefined;
  #splitting: Promise<void> | undefined;
  #splitTrouble: PlanchetError | undefined;
  #splitFailures = 0;
  /** After a refusal the next split waits: the miner would refuse it as well. */
  #splitAfter = 0;
  #wanted = FIRST_COINS;
  #checked = false;

  constructor(options: WalletFundingOptions) {
    this.#options = options;
  }

  async advance(): Promise<FundingRound> {
    const { queue, merchant, settings } = this.#options;
    const key = this.#poolKey();
    if ((await queue.nextDueAt('documents')) === undefined) return { touched: [], more: false };
    if (!this.#checked) await this.#dropLostCoins(key);
    const quote = await merchant.feeQuote();
    const round = await queue.db.transaction().execute((db) => this.#round(db, key, quote, settings.current()));
    if (round.shortage !== undefined || round.free * 2 < this.#wanted) {
      if (round.shortage !== undefined && round.built > 0) {
        this.#wanted = Math.min(this.#wanted * 2, settings.current().writerPoolCoins);
      }
      this.#split(key, quote, round.shortage ?? 0);
    }
    const trouble = round.trouble ?? (round.shortage === undefined ? undefined : await this.#shortageTrouble());
    return {
      touched: round.touched,
      more: round.built > 0 && round.shortage === undefined && trouble === undefined,
      held: round.shortage !== undefined,
      ...(trouble === undefined ? {} : { trouble }),
    };
  }

  async send(rows: readonly TransactionRow[]): Promise<SendOutcome[]> {
    return sendToMiner(this.#options.merchant, rows);
  }

  async taken(rows: readonly TransactionRow[]): Promise<void> {
    const splits = rows.filter(({ kind }) => kind === 'split');
    for (const row of splits) await this.#options.wallet.observe(row.raw_tx);
    if (splits.length === 0) return;
    this.#splitTrouble = undefined;
    this.#splitFailures = 0;
    this.#splitAfter = 0;
  }

  async refused(row: TransactionRow): Promise<void> {
    // Whatever the miner did not know may be one of the coins.
    this.#checked = false;
    if (row.kind === 'split') {
      const { wallet, queue } = this.#options;
      await wallet.release(SPLIT_OWNER);
      this.#splitTrouble = new PlanchetError('rejected', row.last_error ?? 'The miner refused to split coins.');
      this.#splitAfter = queue.clock.now() + backOff(this.#splitFailures, 'rejected');
      this.#splitFailures += 1;
    }
  }

  #poolKey(): SigningKey {
    const { wallet, poolKey } = this.#options;
    if (wallet.status().state !== 'ready') wallet.address();
    this.#key ??= new SigningKey(poolKey());
    return this.#key;
  }

  async #round(
    db: Transaction<WriterTables>,
    key: SigningKey,
    quote: FeeQuote,
    settings: Settings,
  ): Promise<{ touched: string[]; built: number; free: number; shortage?: number; trouble?: PlanchetError }> {
    const { queue } = this.#options;
    const perTransaction = settings.writerDocumentsPerTransaction;
    const documents = await queue.lockAccepted(db, ROUND * perTransaction, ROUND_BYTES);
    const coins = await this.#lockCoins(db, key, ROUND * 2);
    const bodies = await queue.bodies(
      db,
      documents.map(({ id }) => id),
    );
    const purse = new Purse(coins, key, quote);
    const touched: string[] = [];
    const added: NewTransaction[] = [];
    const spentCoins: { coin: CoinRow; by: string }[] = [];
    let left = settings.writerDailySpend - (await queue.spentToday(db));
    let shortage: number | undefined;
    let trouble: PlanchetError | undefined;
    for (const group of grouped(documents, bodies, perTransaction)) {
      const { scripts } = group;
      const need = dataFee(scripts, quote, 1);
      if (need > settings.maxFeeSatoshis) {
        const reason = `the fee would be ${need} satoshis, over the cap of ${settings.maxFeeSatoshis} (maxFeeSatoshis)`;
        for (const row of group.documents) {
          await queue.documentDied(db, row, reason, writeCodes.funding);
          touched.push(row.id);
        }
        continue;
      }
      if (need > left) {
        trouble = capReached(settings.writerDailySpend);
        break;
      }
      const paying = purse.take(need);
      if (paying === undefined) {
        shortage = need;
        break;
      }
      const utxos = paying.map((coin) => purse.utxo(coin));
      const { tx, fee } = buildDataTransaction(scripts, utxos, key.lockingScript, quote);
      const signed = serializeTx(key.sign(tx, utxos));
      const row = this.#newRow('documents', key, signed, fee, group.documents.length);
      left -= fee;
      added.push({ row, documents: group.documents, firstVout: 0 });
      for (const coin of paying) spentCoins.push({ coin, by: row.id });
      for (const document of group.documents) touched.push(document.id);
    }
    await queue.insertTransactions(db, added);
    await holdCoins(db, spentCoins);
    return {
      touched,
      built: added.length,
      free: coins.length < ROUND * 2 ? purse.left : this.#wanted,
      ...(shortage === undefined ? {} : { shortage }),
      ...(trouble === undefined ? {} : { trouble }),
    };
  }

  async #lockCoins(db: Transaction<WriterTables>, key: SigningKey, limit: number): Promise<CoinRow[]> {
    const { queue } = this.#options;
    return db
      .selectFrom('writer_coins')
      .selectAll()
      .where('network', '=', queue.network)
      .where('owner', '=', toHex(key.pubKeyHash))
      .where('held_by', 'is', null)
      .where('depth', '<=', MAX_DEPTH)
      .orderBy('depth')
      .orderBy('satoshis', 'desc')
      .limit(limit)
      .$if(queue.dialect === 'postgres', (query) => query.forUpdate().skipLocked())
      .execute();
  }

  #newRow(
    kind: TransactionRow['kind'],
    key: SigningKey,
    signed: Uint8Array,
    fee: number,
    documents: number,
  ): TransactionRow {
    const { queue } = this.#options;
    const now = queue.clock.now();
    return {
      id: queue.newId(),
      network: queue.network,
      kind,
      source: 'wallet',
      key_id: null,
      owner: toHex(key.pubKeyHash),
      state: 'signed',
      raw_tx: signed,
      fee_tx: null,
      txid: txidOf(signed),
      fee,
      documents,
      attempts: 0,
      next_attempt_at: now,
      claim: null,
      last_error: null,
      funded_at: now,
      signed_at: now,
      submitted_at: null,
      seen_at: null,
      mined_at: null,
      proven_at: null,
      block_hash: null,
      block_height: null,
      proof: null,
      created_at: now,
      updated_at: now,
    };
  }

  /** Why documents wait for coins; undefined while a split is on its way. */
  async #shortageTrouble(): Promise<PlanchetError | undefined> {
    await this.#splitting;
    return this.#splitTrouble;
  }

  /** Splits coins off the wallet; one split at a time. Failures are kept for whoever finds no coin. */
  #split(key: SigningKey, quote: FeeQuote, least: number): void {
    if (this.#options.queue.clock.now() < this.#splitAfter) return;
    this.#splitting ??= this.#trySplit(key, quote, least)
      .then(
        (made) => {
          if (made) this.#options.wake();
        },
        (error: unknown) => {
          const { code, message, hint, detail } = toFailure(error);
          this.#splitTrouble = new PlanchetError(code, message, { ...(hint ? { hint } : {}), detail });
        },
      )
      .finally(() => {
        this.#splitting = undefined;
      });
  }

  /** @returns false where one is on its way already */
  async #trySplit(key: SigningKey, quote: FeeQuote, least: number): Promise<boolean> {
    const { queue, wallet, settings } = this.#options;
    const open = await queue.db
      .selectFrom('writer_transactions')
      .select('id')
      .where('network', '=', queue.network)
      .where('kind', '=', 'split')
      .where('owner', '=', toHex(key.pubKeyHash))
      .where('state', '=', 'signed')
      .limit(1)
      .executeTakeFirst();
    if (open !== undefined) return false;
    // Left over where the process ended between the reservation and the journal.
    await wallet.release(SPLIT_OWNER);
    const { writerPoolCoinSatoshis, writerPoolCoins, maxFeeSatoshis } = settings.current();
    // A coin pays its document and leaves change worth having, so that it can pay for more.
    const value = Math.max(
      writerPoolCoinSatoshis,
      least + 2 * feeFor(P2PKH_INPUT_BYTES + P2PKH_OUTPUT_BYTES, quote.standard),
    );
    const count = affordable(wallet.balance().spendable, value, Math.min(this.#wanted, writerPoolCoins), quote);
    const each = count === 0 ? Math.max(least, 1) : value;
    const outputs = Array.from({ length: Math.max(1, count) }, () => ({
      satoshis: satoshis(each),
      script: key.lockingScript,
    }));
    const total = satoshis(each * outputs.length);
    const feeOf = (inputs: number): Satoshis => splitFee(outputs.length, inputs, quote);
    const coins = await wallet.reserve(SPLIT_OWNER, total, feeOf);
    const fee = feeOf(coins.length);
    if (fee > maxFeeSatoshis) {
      await wallet.release(SPLIT_OWNER);
      throw new PlanchetError('fee-too-high', `Splitting coins would cost ${fee} satoshis, over maxFeeSatoshis.`);
    }
    const change = satoshis(addSatoshis(...coins.map((coin) => coin.satoshis)) - total - fee);
    const keeps = change > feeFor(P2PKH_INPUT_BYTES, quote.standard) && change > 1;
    const unsigned = serializeTx(
      unsignedTx(coins, keeps ? [...outputs, { satoshis: change, script: wallet.lockingScript() }] : outputs),
    );
    const signed = await wallet.sign(unsigned, coins);
    if (!isSignedFormOf(signed, unsigned)) {
      throw new PlanchetError('review-failed', 'The signed transaction is not the one that was to be signed.');
    }
    const row = this.#newRow('split', key, signed, keeps ? fee : fee + change, 0);
    await queue.db.transaction().execute((db) => queue.insertTransactions(db, [{ row, documents: [], firstVout: 0 }]));
    return true;
  }

  /** Coins the node does not know are of no use: a sandbox that was reset, or a chain that changed. */
  async #dropLostCoins(key: SigningKey): Promise<void> {
    const { queue, node, logger } = this.#options;
    const coins = await queue.db
      .selectFrom('writer_coins')
      .selectAll()
      .where('network', '=', queue.network)
      .where('owner', '=', toHex(key.pubKeyHash))
      .where('held_by', 'is', null)
      .execute();
    for (const some of chunks(coins, 16)) {
      const found = await Promise.all(some.map(({ txid, vout }) => node.call('gettxout', [txid, vout, true])));
      for (const [index, { txid, vout }] of some.entries()) {
        if (found[index] !== null) continue;
        logger.warn({ txid, vout }, 'a coin of the writer is not on the chain and is forgotten');
        await queue.db
          .deleteFrom('writer_coins')
          .where('network', '=', queue.network)
          .where('txid', '=', txid)
          .where('vout', '=', vout)
          .where('held_by', 'is', null)
          .execute();
      }
    }
    this.#checked = true;
  }
}

/** Sends transactions to the merchant API in one request. */
async function sendToMiner(merchant: BatchMerchant, rows: readonly TransactionRow[]): Promise<SendOutcome[]> {
  const outcomes = await merchant.submitAll(rows.map(({ raw_tx }) => raw_tx)).catch((error: unknown) => {
    if (error instanceof PlanchetError) return rows.map(() => error);
    throw error;
  });
  const checked: SendOutcome[] = [];
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome === undefined) checked.push({ kind: 'taken' });
    else if (outcome.code !== 'rejected') checked.push({ kind: 'later', error: outcome });
    else checked.push(await holdAgainstStatus(merchant, (rows[index] as TransactionRow).txid, outcome));
  }
  return checked;
}

/** A refusal counts only where the miner does not know the transaction: it may have taken it and answered badly. */
export async function holdAgainstStatus(
  merchant: BatchMerchant,
  txid: string,
  refusal: PlanchetError,
): Promise<SendOutcome> {
  try {
    return (await merchant.status(txid)).known ? { kind: 'taken' } : { kind: 'refused', reason: refusal.message };
  } catch (error) {
    if (error instanceof PlanchetError) return { kind: 'later', error };
    throw error;
  }
}

/** Free coins as a round takes them: those nearest to the chain first. */
class Purse {
  #coins: CoinRow[];
  readonly #key: SigningKey;
  readonly #inputFee: number;

  constructor(coins: readonly CoinRow[], key: SigningKey, quote: FeeQuote) {
    this.#coins = [...coins];
    this.#key = key;
    this.#inputFee = feeFor(P2PKH_INPUT_BYTES, quote.standard);
  }

  get left(): number {
    return this.#coins.length;
  }

  /** One coin that pays `need`, and one too small to pay alone where there is one, so that small change is used up. */
  take(need: number): CoinRow[] | undefined {
    const at = this.#coins.findIndex((coin) => coin.satoshis >= need);
    if (at < 0) return undefined;
    const [main] = this.#coins.splice(at, 1) as [CoinRow];
    const small = this.#coins.findIndex((coin) => coin.satoshis < need && coin.satoshis > 2 * this.#inputFee);
    if (small < 0) return [main];
    return [main, ...this.#coins.splice(small, 1)];
  }

  utxo({ txid, vout, satoshis: value }: CoinRow): Utxo {
    return { txid, vout, satoshis: satoshis(value), lockingScript: this.#key.lockingScript };
  }
}

interface Group {
  readonly documents: DocumentRow[];
  readonly scripts: Uint8Array[];
}

/** Documents that share a transaction, in order. */
function* grouped(
  documents: readonly DocumentRow[],
  bodies: ReadonlyMap<string, Uint8Array>,
  perTransaction: number,
): Generator<Group> {
  let group: Group = { documents: [], scripts: [] };
  let bytes = 0;
  for (const document of documents) {
    const body = bodies.get(document.id);
    if (body === undefined) throw new Error(`document ${document.id} has no body`);
    if (group.documents.length > 0 && (group.documents.length >= perTransaction || bytes + body.length > GROUP_BYTES)) {
      yield group;
      group = { documents: [], scripts: [] };
      bytes = 0;
    }
    group.documents.push(document);
    group.scripts.push(scriptOf(document, body));
    bytes += body.length;
  }
  if (group.documents.length > 0) yield group;
}

/** The output script of a stored document. */
export function scriptOf({ tag, content_type }: DocumentRow, body: Uint8Array): Uint8Array {
  return documentScript({
    tag: tag === null ? undefined : Uint8Array.from(Buffer.from(tag, 'hex')),
    contentType: content_type,
    body,
  });
}

/** @returns why nothing more is written today */
export function capReached(cap: number): PlanchetError {
  return new PlanchetError('fee-too-high', `Today's fees have reached the cap of ${cap} satoshis (writerDailySpend).`, {
    hint: 'Writing goes on tomorrow (UTC), or at once with a higher cap: planchet settings set writerDailySpend …',
  });
}

async function holdCoins(
  db: Transaction<WriterTables>,
  spent: readonly { coin: CoinRow; by: string }[],
): Promise<void> {
  for (const { coin, by } of spent) {
    await db
      .updateTable('writer_coins')
      .set({ held_by: by })
      .where('network', '=', coin.network)
      .where('txid', '=', coin.txid)
      .where('vout', '=', coin.vout)
      .execute();
  }
}

function splitFee(outputs: number, inputs: number, quote: FeeQuote): Satoshis {
  const bytes = 16 + inputs * P2PKH_INPUT_BYTES + (outputs + 1) * P2PKH_OUTPUT_BYTES;
  return feeFor(bytes, quote.standard);
}

/** How many coins of a value the wallet can make, with a reserve for the fee. */
function affordable(spendable: number, value: number, wanted: number, quote: FeeQuote): number {
  const reserve = splitFee(wanted, 8, quote);
  return Math.max(0, Math.min(wanted, Math.floor((spendable - reserve) / value)));
}
