import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import { type FundingUtxo, formatOutpoint, type Rate } from '../../../chain/index.ts';
import {
  askedRequest,
  PlanchetError,
  sentTokens,
  type TokenMove,
  tokenJobStates,
  type WalletConsolidate,
  type WalletSend,
  type WalletSendRequest,
} from '../../../contract/index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { TransactionTracker } from '../../ports/merchant/transactions.ts';
import type { Store } from '../../ports/store.ts';
import { isHalted, isRefused } from '../../transaction-jobs/job-row.ts';
import { TransactionJobs } from '../../transaction-jobs/transaction-jobs.ts';
import { openOf } from '../coins/signed-spends.ts';
import { candidatesOf } from '../coins/spendable.ts';
import { checkAddress } from '../keys/address-check.ts';
import { PaymailTells } from '../paymail/paymail-tells.ts';
import { isPaymail, type Paymails } from '../paymail/paymails.ts';
import type { WalletTables } from '../tables.ts';
import { PaymentCoins, type PaymentCoinsOptions } from './payment-coins.ts';
import { PaymentTransactions, type PaymentTransactionsOptions } from './payment-transactions.ts';
import { isSame } from './replacing.ts';
import { checkTokenRequest, tokensOf } from './send-draft.ts';
import { requestOf, reviewOf } from './send-journal.ts';
import { type Beyond, batchesOf, hasParts, mergeSends, type SendRow } from './series.ts';
import { SeriesSigning } from './series-signing.ts';
import type { PaymentLimits } from './spending-limits.ts';
import { tokenBatches } from './token-batches.ts';

type OfTransactions = Omit<PaymentTransactionsOptions, 'jobs' | 'coins' | 'tells' | 'isOwnMove'>;

export interface PaymentsOptions extends OfTransactions, Omit<PaymentCoinsOptions, 'ownerOf'> {
  store: Store<WalletTables>;
  tracker: TransactionTracker;
  clock: Clock;
  logger: Logger;
  /** @throws PlanchetError where nothing may be spent, or not yet */
  allowed: () => Promise<void>;
  /** Who pays paymail addresses. */
  paymails: Pick<Paymails, 'resolve' | 'tell'>;
  /** The payments of every account, these among them. */
  all: () => readonly Payments[];
  /** Called after everything that another party or the disk has taken note of, so that a test can end the process there. */
  crashPoint?: (where: string) => void;
}

/** Pause before the next try where the store could not be read. */
const STORE_AGAIN_MS = 60_000;

/**
 * Payments: each is built, reviewed, approved, signed, submitted and followed to its block, and every step is journalled before the next
 * one, so a process that ends at any point takes the payment up where it was.
 */
export class Payments {
  readonly #options: PaymentsOptions;
  readonly #jobs: TransactionJobs<SendRow>;
  readonly #coins: PaymentCoins;
  readonly #tells: PaymailTells;
  readonly #transactions: PaymentTransactions;
  /** Payments of several transactions that are being signed. */
  readonly #signing = new SeriesSigning();

  constructor(options: PaymentsOptions) {
    this.#options = options;
    const ofAccount = { ...options, scope: options.wallet.scope, changed: () => options.wallet.changed() };
    this.#tells = new PaymailTells(ofAccount);
    this.#jobs = new TransactionJobs<SendRow>({
      ...ofAccount,
      kind: 'send',
      table: 'wallet_sends',
      refusals: {
        missing: (id) => new PlanchetError('wallet.send-missing', { id }),
        wrongState: (state) => new PlanchetError('wallet.send-wrong-state', { state }),
        keyUsed: () => new PlanchetError('wallet.send-key-used'),
        otherApproved: () => new PlanchetError('wallet.send-other-approved'),
      },
      isSame,
      further: (signal) =>
        this.#tells.work((id) => this.#sentOf(id), signal).catch((error: unknown) => this.#notTold(error)),
    });
    this.#coins = new PaymentCoins({ ...options, ownerOf: (id) => this.#jobs.ownerOf(id) });
    this.#transactions = new PaymentTransactions({
      ...options,
      jobs: this.#jobs,
      coins: this.#coins,
      tells: this.#tells,
      isOwnMove: (request) => this.#isOwnMove(request),
    });
  }

  /** Resumes unfinished payments. Does not fail if the node is unreachable: it tries again. */
  async start(): Promise<void> {
    // The process may have ended while a payment of several transactions was built: nobody was shown the first of them.
    await this.#jobs.change(async () => {
      for (const row of await this.#jobs.journal.inState('draft', 'reviewed')) {
        const head = row.part_of === null ? undefined : await this.#jobs.journal.find(row.part_of);
        if (row.part_of !== null && (head === undefined || head.state === 'draft')) await this.#jobs.forget(row.id);
      }
    });
    // Or while one was cancelled.
    for (const row of await this.#jobs.journal.inState('reviewed')) {
      const parts = row.part_of === null ? await this.#partsOf(row) : [];
      if (parts.some(({ state }) => state === 'cancelled')) await this.cancel(row);
    }
    await this.#jobs.start();
  }

  async stop(): Promise<void> {
    await this.#signing.pauseAll();
    await this.#jobs.stop();
  }

  /**
   * Stops for good.
   * @param name of the account
   * @throws PlanchetError `conflict` while a payment is under way, waits for approval, or may be mined though it was refused: who forgets it
   *   pays twice; or while the host of a paymail is still to be told of one
   */
  async close(name: string): Promise<void> {
    await this.#jobs.change(async () => {
      const underWay = await this.#jobs.journal.inState('reviewed', ...tokenJobStates.having('followed'));
      if (underWay.some((row) => !isHalted(row))) throw new PlanchetError('wallet.account-in-use', { name });
      const paymail = await this.#tells.untold((id) => this.#sentOf(id));
      if (paymail !== undefined) throw new PlanchetError('wallet.account-untold', { name, paymail });
      const { wallet } = this.#options;
      // Without its key nothing can take the coins back.
      if (wallet.keys.state === 'missing') return;
      const kept = (await this.#jobs.refused()).find((row) => {
        const fate = wallet.coinStore === undefined ? 'open' : wallet.fateOf(row.txid ?? '');
        return (fate === 'open' || fate === 'waiting') && !this.#isOwnMove(requestOf(row));
      });
      if (kept) throw new PlanchetError('wallet.account-refused', { name, txid: kept.txid ?? '' });
    });
    await this.#jobs.stop();
  }

  async list(): Promise<WalletSend[]> {
    const rows = (await this.#jobs.list()).filter(({ part_of }) => part_of === null);
    return Promise.all(rows.map((row) => this.#shown(row)));
  }

  async get(id: string): Promise<WalletSend> {
    return this.#shown(await this.#jobs.get(id));
  }

  async #shown(row: SendRow): Promise<WalletSend> {
    const shown = this.#signing.shown(row.id, mergeSends([row, ...(await this.#partsOf(row))]));
    if (shown.request.paymails === undefined) return shown;
    const untold = await this.#tells.of(row.id);
    return untold.length === 0 ? shown : { ...shown, untold };
  }

  /** The signed transaction of a payment that the network has. */
  async #sentOf(id: string): Promise<string | undefined> {
    const row = await this.#jobs.journal.find(id);
    return row !== undefined && ['submitted', 'mined'].includes(row.state) ? (row.raw_tx ?? undefined) : undefined;
  }

  #notTold(error: unknown): number {
    this.#options.logger.error({ err: error }, 'the hosts of paymail addresses could not be told');
    return STORE_AGAIN_MS;
  }

  /** The further transactions of a payment, in their order. */
  async #partsOf(row: SendRow): Promise<SendRow[]> {
    if (!hasParts(row)) return [];
    const rows = this.#options.store.db.selectFrom('wallet_sends').selectAll().where('part_of', '=', row.id);
    return rows.orderBy('created_at').orderBy('idempotency_key').execute();
  }

  /**
   * Builds and reviews a payment, which then waits for approval; its coins are held until then. The same key gives the same payment.
   * @throws PlanchetError `invalid-input`, `address-*`, `funds-insufficient`, `conflict`, `not-found`, `upstream-*`
   */
  async prepare(input: { request: WalletSendRequest; idempotencyKey: string }, more?: Beyond): Promise<WalletSend> {
    const hasPaymail =
      tokensOf(input.request).length === 0 && input.request.to.some(({ address }) => isPaymail(address));
    if (!hasPaymail) {
      const known = await this.#jobs.journal.byKey(input.idempotencyKey);
      for (const one of [input.request, ...(more?.rest ?? [])]) if (!known) await this.#requireNotRefusedElsewhere(one);
      return this.#jobs.change(() => this.#prepare(input, more));
    }
    const known = await this.#askedBefore(input);
    if (known) return known;
    await this.#requireNotRefusedElsewhere(input.request);
    // hosts are asked before others wait for this one, and name another reference each time
    const request = await this.#options.paymails.resolve(input.request);
    return this.#jobs.change(
      async () => (await this.#askedBefore(input)) ?? this.#prepare({ ...input, request }, more),
    );
  }

  /** The payment to paymail addresses that has this key. @throws PlanchetError `conflict` where it is another one */
  async #askedBefore(input: { request: WalletSendRequest; idempotencyKey: string }): Promise<WalletSend | undefined> {
    const known = await this.#jobs.journal.byKey(input.idempotencyKey);
    if (known === undefined) return undefined;
    if (isDeepStrictEqual(askedRequest(requestOf(known)), input.request)) return this.#shown(known);
    throw new PlanchetError('wallet.send-key-used');
  }

  /**
   * Builds and reviews the sending of many tokens, each to an address of its own, as one payment. The same key gives the same payment.
   * @throws PlanchetError `invalid-input`, `address-*`, `funds-insufficient`, `conflict`, `not-found`, `upstream-*`
   */
  async prepareTokens(input: { moves: readonly TokenMove[]; idempotencyKey: string }): Promise<WalletSend> {
    const { moves, idempotencyKey } = input;
    const { wallet, network, limits } = this.#options;
    const known = await this.#jobs.journal.byKey(idempotencyKey);
    if (known) {
      const shown = await this.#shown(known);
      const asked = sentTokens(shown).map(({ outpoint, address }) => ({ outpoint, address }));
      if (isDeepStrictEqual(asked, [...moves])) return shown;
      throw new PlanchetError('wallet.send-key-used');
    }
    for (const { address } of moves) checkAddress(address, network);
    const { coinStore } = wallet.open();
    const worth = moves.map((move) => {
      const coin = coinStore.coins.get(move.outpoint);
      if (coin === undefined) throw new PlanchetError('wallet.send-no-token', { outpoint: move.outpoint });
      return { ...move, satoshis: coin.satoshis };
    });
    const replaced = await this.replacedBy(worth, moves);
    const [request, ...rest] = tokenBatches(worth, candidatesOf(coinStore, '', 'all', replaced).length, limits);
    return this.prepare({ request, idempotencyKey }, { rest, dust: [], later: [] });
  }

  /** Ids of the open signed transactions that a payment to these receivers, or of these tokens, takes the place of. */
  async replacedBy(
    to: WalletSendRequest['to'],
    moves: readonly Pick<TokenMove, 'outpoint'>[] = [],
  ): Promise<ReadonlySet<string>> {
    const tokens = moves.map(({ outpoint }) => outpoint);
    return openOf(this.#options.wallet.open().coinStore, await this.#jobs.replacedBy({ to, tokens }));
  }

  /**
   * Refuses what a refused payment of another account asked for: it has other coins, so nothing keeps both from being mined.
   * @throws PlanchetError `conflict`
   */
  async #requireNotRefusedElsewhere(request: WalletSendRequest): Promise<void> {
    if (this.#isOwnMove(request)) return;
    for (const other of this.#options.all()) if (other !== this) await other.#requireNotRefused(request);
  }

  async #requireNotRefused(request: WalletSendRequest): Promise<void> {
    const [like] = await this.#jobs.refusedLike(request);
    if (like === undefined) return;
    const { wallet } = this.#options;
    // Its fate is not known while its account is locked.
    const isOpen = wallet.coinStore === undefined || (await this.#jobs.replacedBy(request)).length > 0;
    if (isOpen) throw new PlanchetError('wallet.refused-elsewhere', { txid: like });
  }

  /** Whether a payment pays accounts that this program can spend from alone: nobody is paid twice by it. */
  #isOwnMove({ to }: WalletSendRequest): boolean {
    const wallets = this.#options.all().map((payments) => payments.#options.wallet);
    const own = wallets.filter(({ keys }) => keys.canSign);
    return to.every(({ address }) => own.some((wallet) => wallet.validateAddress(address).own));
  }

  /**
   * Prepares a payment of free coins to the main address.
   * @param input.below coins of the main address that are larger stay where they are
   * @throws PlanchetError `funds-insufficient` where moving them costs more than they are worth
   */
  consolidate(input: WalletConsolidate): Promise<WalletSend> {
    return this.#jobs.change(async () => {
      const known = await this.#jobs.journal.byKey(input.idempotencyKey);
      if (known) return this.#shown(known);
      const { coinStore } = this.#options.wallet.open();
      const { rate, longer, limits } = await this.price(input.feeRate);
      const to = [{ address: this.#options.wallet.address(), satoshis: 'all' as const }];
      const replaced = await this.replacedBy(to);
      const moved = candidatesOf(coinStore, '', 'all', replaced)
        .map(({ coin }) => coin)
        .filter((coin) => isMoved(coin, coinStore.coins.get(formatOutpoint(coin))?.keyIndex ?? 0, input.below));
      const { batches, dust, later } = batchesOf(moved, rate, longer, { limits });
      const [request, ...rest] = batches.map((coins) => ({
        to,
        coins: coins.map(formatOutpoint),
        ...(input.feeRate === undefined ? {} : { feeRate: input.feeRate }),
      }));
      if (request === undefined) throw new PlanchetError('wallet.send-nothing');
      return this.#prepare({ request, idempotencyKey: input.idempotencyKey }, { rest, dust, later });
    });
  }

  /**
   * Signs and submits the transaction that was reviewed. Asked again for the same one, it changes nothing.
   * @throws PlanchetError `review-failed` for another digest or a failed check, `conflict` for a cancelled payment, `vault-locked`
   */
  async approve({ id, digest }: { id: string; digest: string }): Promise<WalletSend> {
    const sign = async (reviewed: SendRow, replaces: readonly string[]): Promise<void> => {
      await this.#options.allowed();
      // Further transactions of the same payment that were refused a moment ago are no other payment.
      const siblings = new Set(parts.map((part) => this.#jobs.ownerOf(part.id)));
      const others = replaces.filter((owner) => !siblings.has(owner));
      await this.#transactions.sign(reviewed, others);
    };
    const head = await this.#jobs.get(id);
    const parts = await this.#partsOf(head);
    for (const row of [head, ...parts]) {
      if (row.state === 'reviewed') await this.#requireNotRefusedElsewhere(requestOf(row));
    }
    if ((await this.#shown(head)).review.digest !== digest) throw new PlanchetError('wallet.send-other-approved');
    // The first one last: until it is signed too, the payment waits for approval, and asked again it goes on.
    await this.#signing.run(id, [...parts, head], (row) =>
      this.#jobs.approve({ id: row.id, digest: reviewOf(row).digest }, sign),
    );
    return this.get(id);
  }

  /** Stops after the transaction that is under way. Those that are left wait for approval again, also after a restart. */
  async pause({ id }: { id: string }): Promise<WalletSend> {
    await this.#signing.pause(id);
    return this.get(id);
  }

  /** Whether a payment is one of this account. */
  async has(id: string): Promise<boolean> {
    return (await this.#jobs.journal.find(id)) !== undefined;
  }

  /** Releases the coins of all that is not signed. @throws PlanchetError `conflict` where it was signed already */
  async cancel({ id }: { id: string }): Promise<WalletSend> {
    await this.#signing.pause(id);
    const parts = await this.#partsOf(await this.#jobs.get(id));
    for (const part of parts) if (part.state === 'reviewed') await this.#jobs.cancel({ id: part.id });
    return this.#shown(await this.#jobs.cancel({ id }));
  }

  /** Submits a refused payment once more, exactly as it was signed. @throws PlanchetError `conflict` where it was not refused */
  async retry({ id }: { id: string }): Promise<WalletSend> {
    const head = await this.#jobs.get(id);
    const refused = [head, ...(await this.#partsOf(head))].filter(isRefused);
    for (const row of refused.length === 0 ? [head] : refused) await this.#jobs.retry({ id: row.id });
    return this.get(id);
  }

  async prepared(idempotencyKey: string): Promise<WalletSend | undefined> {
    const row = await this.#jobs.journal.byKey(idempotencyKey);
    return row && this.#shown(row);
  }

  /** The fee rate, and the size of an input beyond the usual. @param feeRate satoshis per 1,000 bytes; without it, the miner's quote. @throws PlanchetError `upstream-*` */
  async price(feeRate?: number): Promise<{ rate: Rate; longer: number; limits: PaymentLimits | undefined }> {
    const { rate } = await this.#transactions.rateOf({ feeRate });
    return { rate, longer: this.#coins.longer(), limits: this.#options.limits };
  }

  async #prepare(input: { request: WalletSendRequest; idempotencyKey: string }, more?: Beyond): Promise<WalletSend> {
    const { request } = input;
    const { network, allowed } = this.#options;
    const row = await this.#jobs.prepare({
      ...input,
      extra: { part_of: null },
      check: async () => {
        const { keys } = this.#options.wallet;
        if (!keys.canSign) throw new PlanchetError('wallet.watch-only', { address: keys.key.address });
        for (const { address } of request.to) checkAddress(address, network);
        checkTokenRequest(request);
        await allowed();
      },
      build: (id, replaces) => this.#transactions.build(id, request, replaces, more),
    });
    return this.#shown(row);
  }
}

/** Coins of further addresses are always moved, those of the main one where they are small enough. */
function isMoved({ satoshis: value }: FundingUtxo, keyIndex: number, below: number | undefined): boolean {
  return keyIndex !== 0 || below === undefined || value <= below;
}
