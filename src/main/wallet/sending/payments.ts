import type { Logger } from 'pino';
import {
  asFundingUtxo,
  type FundingUtxo,
  formatOutpoint,
  fromHex,
  parseOutpoint,
  parseTx,
  type Rate,
  satoshis,
  serializeTx,
  toHex,
  txidOf,
  type Utxo,
  verifyScripts,
} from '../../../chain/index.ts';
import {
  type Network,
  PlanchetError,
  type QuoteSource,
  type WalletSend,
  type WalletSendRequest,
} from '../../../contract/index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Merchant } from '../../ports/merchant/merchant.ts';
import type { TransactionTracker } from '../../ports/merchant/transactions.ts';
import type { NodeRpc } from '../../ports/node.ts';
import type { SettingsView } from '../../ports/settings.ts';
import type { Store } from '../../ports/store.ts';
import type { JobRow } from '../../transaction-jobs/job-row.ts';
import { TransactionJobs } from '../../transaction-jobs/transaction-jobs.ts';
import { wholeUtxo } from '../coins/long-scripts.ts';
import { candidatesOf, tooLittle } from '../coins/spendable.ts';
import { checkAddress } from '../keys/address-check.ts';
import type { WalletTables } from '../tables.ts';
import type { Wallet } from '../wallet.ts';
import {
  buildPayment,
  checkTokenRequest,
  namedTotal,
  paymentFee,
  takesAll,
  tokensOf,
  tokenTotal,
} from './send-draft.ts';
import { requestOf, reviewOf, sendOf } from './send-journal.ts';
import { digestOf, reviewPayment } from './send-review.ts';
import { isMovable, MAX_INPUTS } from './spending-limits.ts';

const COMPRESSED_BYTES = 33;

export interface PaymentsOptions {
  network: Network;
  store: Store<WalletTables>;
  /** Has the caps on fees. */
  settings: Pick<SettingsView, 'current'>;
  wallet: Wallet;
  merchant: Merchant;
  node: NodeRpc;
  tracker: TransactionTracker;
  clock: Clock;
  logger: Logger;
  /** @throws PlanchetError where nothing may be spent, or not yet */
  allowed: () => Promise<void>;
  /** Called after everything that another party or the disk has taken note of, so that a test can end the process there. */
  crashPoint?: (where: string) => void;
}

/**
 * Payments: each is built, reviewed, approved, signed, submitted and followed to its block, and every step is journalled before the next
 * one, so a process that ends at any point takes the payment up where it was.
 */
export class Payments {
  readonly #options: PaymentsOptions;
  readonly #jobs: TransactionJobs<JobRow>;

  constructor(options: PaymentsOptions) {
    this.#options = options;
    this.#jobs = new TransactionJobs<JobRow>({
      ...options,
      kind: 'send',
      scope: options.wallet.scope,
      table: 'wallet_sends',
      refusals: {
        missing: (id) => new PlanchetError('wallet.send-missing', { id }),
        wrongState: (state) => new PlanchetError('wallet.send-wrong-state', { state }),
        keyUsed: () => new PlanchetError('wallet.send-key-used'),
        otherApproved: () => new PlanchetError('wallet.send-other-approved'),
      },
      changed: () => options.wallet.changed(),
    });
  }

  /** Resumes unfinished payments. Does not fail if the node is unreachable: it tries again. */
  start(): Promise<void> {
    return this.#jobs.start();
  }

  stop(): Promise<void> {
    return this.#jobs.stop();
  }

  /** Stops for good. @throws what `refuse` makes, while a payment is under way or waits for approval */
  async close(refuse: () => Error): Promise<void> {
    await this.#jobs.change(async () => {
      const open = (await this.list()).some(({ active, awaitingApproval }) => active || awaitingApproval);
      if (open) throw refuse();
    });
    await this.#jobs.stop();
  }

  async list(): Promise<WalletSend[]> {
    return (await this.#jobs.list()).map(sendOf);
  }

  async get(id: string): Promise<WalletSend> {
    return sendOf(await this.#jobs.get(id));
  }

  /**
   * Builds and reviews a payment, which then waits for approval; its coins are held until then. The same key gives the same payment.
   * @throws PlanchetError `invalid-input`, `address-*`, `funds-insufficient`, `conflict`, `not-found`, `upstream-*`
   */
  prepare(input: { request: WalletSendRequest; idempotencyKey: string }): Promise<WalletSend> {
    return this.#jobs.change(() => this.#prepare(input));
  }

  /**
   * Prepares a payment of free coins to the main address.
   * @param below coins of the main address that are larger stay where they are
   * @throws PlanchetError `funds-insufficient` where moving them costs more than they are worth
   */
  consolidate(input: {
    below?: number | undefined;
    feeRate?: number | undefined;
    idempotencyKey: string;
  }): Promise<WalletSend> {
    return this.#jobs.change(async () => {
      const known = await this.#jobs.journal.byKey(input.idempotencyKey);
      if (known) return sendOf(known);
      const { book } = this.#options.wallet.open();
      const coins = candidatesOf(book, 'send:', 'all')
        .map(({ coin }) => coin)
        .filter((coin) => isMoved(coin, book.coins.get(formatOutpoint(coin))?.keyIndex ?? 0, input.below))
        .sort((a, b) => a.satoshis - b.satoshis)
        .slice(0, MAX_INPUTS)
        .map(formatOutpoint);
      if (coins.length === 0) throw new PlanchetError('wallet.send-nothing');
      const to = [{ address: this.#options.wallet.address(), satoshis: 'all' as const }];
      const request = { to, coins, ...(input.feeRate === undefined ? {} : { feeRate: input.feeRate }) };
      return this.#prepare({ request, idempotencyKey: input.idempotencyKey });
    });
  }

  /**
   * Signs and submits the transaction that was reviewed. Asked again for the same one, it changes nothing.
   * @throws PlanchetError `review-failed` for another digest or a failed check, `conflict` for a cancelled payment, `vault-locked`
   */
  async approve(approval: { id: string; digest: string }): Promise<WalletSend> {
    const row = await this.#jobs.approve(approval, async (reviewed) => {
      await this.#options.allowed();
      await this.#sign(reviewed);
    });
    return sendOf(row);
  }

  /** Whether a payment is one of this account. */
  async has(id: string): Promise<boolean> {
    return (await this.#jobs.journal.find(id)) !== undefined;
  }

  /** Releases the coins. @throws PlanchetError `conflict` where it was signed already */
  async cancel(payment: { id: string }): Promise<WalletSend> {
    return sendOf(await this.#jobs.cancel(payment));
  }

  /** Submits a refused payment once more, exactly as it was signed. @throws PlanchetError `conflict` where it was not refused */
  async retry(payment: { id: string }): Promise<WalletSend> {
    return sendOf(await this.#jobs.retry(payment));
  }

  /** The payment that was prepared with this key. */
  async prepared(idempotencyKey: string): Promise<WalletSend | undefined> {
    const row = await this.#jobs.journal.byKey(idempotencyKey);
    return row && sendOf(row);
  }

  /** What an input costs now. @param feeRate satoshis per 1,000 bytes; without it, the miner's quote. @throws PlanchetError `upstream-*` */
  async price(feeRate?: number): Promise<{ rate: Rate; longer: number }> {
    const { rate } = await this.#rateOf({ feeRate });
    return { rate, longer: this.#longer() };
  }

  async #prepare(input: { request: WalletSendRequest; idempotencyKey: string }): Promise<WalletSend> {
    const { request } = input;
    const { network, allowed } = this.#options;
    const row = await this.#jobs.prepare({
      ...input,
      extra: {},
      check: async () => {
        const { keys } = this.#options.wallet;
        if (!keys.canSign) throw new PlanchetError('wallet.watch-only', { address: keys.key.address });
        for (const { address } of request.to) checkAddress(address, network);
        takesAll(request);
        checkTokenRequest(request);
        await allowed();
      },
      build: (id) => this.#build(id, request),
    });
    return sendOf(row);
  }

  async #build(id: string, request: WalletSendRequest): Promise<void> {
    const { wallet } = this.#options;
    const { rate, source } = await this.#rateOf(request);
    const coins = await this.#reserve(id, request, rate);
    const tokens: Utxo[] = [];
    for (const [index, outpoint] of tokensOf(request).entries())
      tokens.push(await this.#holdToken(id, outpoint, request.to[index]?.satoshis));
    const unsigned = buildPayment(request, [...tokens, ...coins], wallet.lockingScript(), rate, this.#longer());
    const review = this.#review(id, request, unsigned, { rate, source });
    await this.#jobs.write(id, { state: 'reviewed', review: JSON.stringify(review), unsigned: toHex(unsigned) });
    this.#jobs.crashPoint('reviewed');
  }

  async #rateOf({
    feeRate,
  }: {
    readonly feeRate?: number | undefined;
  }): Promise<{ rate: Rate; source: QuoteSource | undefined }> {
    if (feeRate !== undefined) return { rate: { satoshis: feeRate, bytes: 1_000 }, source: undefined };
    const { standard, source } = await this.#options.merchant.feeQuote();
    return { rate: standard, source };
  }

  /** Holds the coins that were chosen, or all, or as many as the payment needs. */
  async #reserve(id: string, request: WalletSendRequest, rate: Rate): Promise<FundingUtxo[]> {
    const { wallet, network } = this.#options;
    const { book } = wallet.open();
    const owner = this.#jobs.ownerOf(id);
    const all = takesAll(request);
    if (request.coins === undefined && !all) {
      const total = namedTotal(request) - tokenTotal(request);
      return wallet.reserve(owner, satoshis(total), paymentFee(request, rate, this.#longer()), 'all');
    }
    const free = new Map(candidatesOf(book, owner, 'all').map(({ coin }) => [formatOutpoint(coin), coin]));
    const wanted = request.coins ?? [...free.keys()].slice(0, MAX_INPUTS);
    for (const outpoint of wanted) {
      const coin = book.coins.get(outpoint);
      if (coin && coin.spentBy === null && book.holderOf(outpoint) === undefined && !free.has(outpoint)) {
        throw new PlanchetError('wallet.send-not-money', { outpoint });
      }
    }
    await wallet.hold(owner, wanted.map(parseOutpoint));
    const coins = wanted.flatMap((outpoint) => free.get(outpoint) ?? []);
    const named = namedTotal(request) - tokenTotal(request);
    const needed = named + paymentFee(request, rate, this.#longer())(Math.max(1, coins.length));
    const given = coins.reduce((sum, coin) => sum + coin.satoshis, 0);
    if (coins.length === 0 || given < named) {
      const candidates = coins.map((coin) => ({ coin, confirmed: true }));
      throw tooLittle(candidates, needed, wallet.address(), network);
    }
    return coins;
  }

  /** Holds the token that is moved. @throws PlanchetError `invalid-input` where it is none, `conflict` where it is in use */
  async #holdToken(id: string, outpoint: string, value: number | 'all' | undefined): Promise<Utxo> {
    const { wallet } = this.#options;
    const found = wallet.nonFundingOutputs().find(({ utxo }) => formatOutpoint(utxo) === outpoint);
    if (found === undefined || !isMovable(found.utxo)) throw new PlanchetError('wallet.send-no-token', { outpoint });
    if (found.utxo.satoshis !== value) throw new PlanchetError('wallet.send-one-satoshi');
    await wallet.hold(this.#jobs.ownerOf(id), [found.utxo]);
    return found.utxo;
  }

  /** The tokens that are held for a payment, in the order of the request. */
  #heldTokens(id: string, request: WalletSendRequest): Utxo[] {
    const owner = this.#jobs.ownerOf(id);
    const held = this.#options.wallet.nonFundingOutputs().filter((output) => output.owner === owner);
    return tokensOf(request).flatMap((token) => held.find(({ utxo }) => formatOutpoint(utxo) === token)?.utxo ?? []);
  }

  /** The tokens that are held for a payment, each with all of its script, which its signature covers. */
  #wholeTokens(row: JobRow): Promise<Utxo[]> {
    const { wallet, node } = this.#options;
    const { book } = wallet.open();
    const coins = this.#heldTokens(row.id, requestOf(row)).flatMap(
      (utxo) => book.coins.get(formatOutpoint(utxo)) ?? [],
    );
    return Promise.all(coins.map((coin) => wholeUtxo(node, coin)));
  }

  /** The unlocking of an old imported key has a public key of 65 bytes, in place of 33. */
  #longer(): number {
    return this.#options.wallet.publicKey().length / 2 - COMPRESSED_BYTES;
  }

  #review(
    id: string,
    request: WalletSendRequest,
    unsigned: Uint8Array,
    { rate, source }: { rate: Rate; source: QuoteSource | undefined },
  ) {
    const { wallet, network, settings } = this.#options;
    return reviewPayment(request, unsigned, {
      network,
      rate,
      source,
      caps: settings.current(),
      changeScript: wallet.lockingScript(),
      held: wallet.reserved(this.#jobs.ownerOf(id)),
      tokens: this.#heldTokens(id, request),
      longer: this.#longer(),
    });
  }

  /** Everything is looked at once more before the keys are used, and the signed transaction is run through the interpreter after. */
  async #sign(row: JobRow): Promise<void> {
    const { wallet } = this.#options;
    const approved = reviewOf(row);
    const unsigned = fromHex(row.unsigned ?? '');
    // the price may have changed since; what was approved is what was reviewed at its own price
    const rate = { satoshis: approved.fee, bytes: approved.size };
    const review = this.#review(row.id, requestOf(row), unsigned, { rate, source: undefined });
    const failed = [...approved.checks, ...review.checks.filter(({ id }) => id !== 'fee-limit')].filter(
      ({ passed }) => !passed,
    );
    if (failed.length > 0 || digestOf(unsigned) !== approved.digest) {
      const reasons = failed.map(({ text }) => text).join(' ') || 'the stored transaction was changed.';
      throw new PlanchetError('wallet.send-review-failed', { reasons });
    }
    const held = new Map(wallet.reserved(this.#jobs.ownerOf(row.id)).map((coin) => [formatOutpoint(coin), coin]));
    const coins = parseTx(unsigned).inputs.flatMap((input) => {
      const coin = held.get(formatOutpoint(input));
      return (coin && asFundingUtxo(coin)) ?? [];
    });
    const tokens = await this.#wholeTokens(row);
    const spent: Utxo[] = [...tokens, ...coins];
    const raw =
      tokens.length === 0 ? await wallet.sign(unsigned, coins) : await wallet.signTokenMove(unsigned, tokens, coins);
    const tx = parseTx(raw);
    const bare = serializeTx({ ...tx, inputs: tx.inputs.map((input) => ({ ...input, script: new Uint8Array() })) });
    if (digestOf(bare) !== approved.digest || !verifyScripts(tx, spent).ok) {
      throw new PlanchetError('wallet.send-review-failed', { reasons: 'the signed transaction is not valid.' });
    }
    await this.#jobs.write(row.id, { state: 'signed', raw_tx: toHex(raw), txid: txidOf(tx) });
    this.#jobs.crashPoint('signed');
  }
}

/** Coins of further addresses are always moved, those of the main one where they are small enough. */
function isMoved({ satoshis: value }: FundingUtxo, keyIndex: number, below: number | undefined): boolean {
  return keyIndex !== 0 || below === undefined || value <= below;
}
