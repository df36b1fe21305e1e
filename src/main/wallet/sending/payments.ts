import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import {
  asFundingUtxo,
  type FundingUtxo,
  formatOutpoint,
  fromHex,
  leadingP2pkh,
  parseOutpoint,
  parseP2pkh,
  parseTx,
  type Rate,
  readInscription,
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
  tokenJobStates,
  type WalletSend,
  type WalletSendRequest,
} from '../../../contract/index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Merchant } from '../../ports/merchant.ts';
import type { NodeRpc, TipSource } from '../../ports/node.ts';
import type { SettingsView } from '../../ports/settings.ts';
import type { Store } from '../../ports/store.ts';
import { candidatesOf, tooLittle } from '../coins/spendable.ts';
import { checkAddress } from '../keys/address-check.ts';
import type { WalletSendRow, WalletTables } from '../tables.ts';
import type { Wallet } from '../wallet.ts';
import { SendDelivery } from './send-delivery.ts';
import { buildPayment, checkTokenRequest, namedTotal, paymentFee, takesAll } from './send-draft.ts';
import { isRefused, ownerOf, requestOf, reviewOf, SendJournal, sendOf } from './send-journal.ts';
import { digestOf, reviewPayment } from './send-review.ts';

/** How long until transactions on their way are looked at again. */
const AGAIN_MS: Record<Network, number> = { sandbox: 1_000, test: 15_000, main: 15_000 };
/** Inputs of one payment at most: more would be slow to review and to check. */
const MAX_INPUTS = 500;

/** Where a test may end the process: after everything that another party or the disk has taken note of. */
type SendCrashPoint = 'send-reviewed' | 'send-signed' | 'send-sent' | 'send-submitted';

export interface PaymentsOptions {
  network: Network;
  store: Store<WalletTables>;
  /** Has the caps on fees. */
  settings: Pick<SettingsView, 'current'>;
  wallet: Wallet;
  merchant: Merchant;
  node: NodeRpc;
  tip: TipSource;
  clock: Clock;
  logger: Logger;
  /** @throws PlanchetError where nothing may be spent yet */
  allowed: () => Promise<void>;
  crashPoint?: (where: SendCrashPoint) => void;
}

/**
 * Payments: each is built, reviewed, approved, signed, submitted and followed to its block, and every step is journalled before the next
 * one, so a process that ends at any point takes the payment up where it was.
 */
export class Payments {
  readonly #options: PaymentsOptions;
  readonly #journal: SendJournal;
  readonly #delivery: SendDelivery;
  /** Changes of payments happen one after the other. */
  #changing: Promise<unknown> = Promise.resolve();
  #running: { stopTips: () => void; cancel: () => void; again: boolean; pass: Promise<void> } | undefined;

  constructor(options: PaymentsOptions) {
    this.#options = options;
    this.#journal = new SendJournal(options.store, options.network);
    this.#delivery = new SendDelivery({
      ...options,
      journal: this.#journal,
      write: (id, values) => this.#write(id, values),
    });
  }

  /** Takes up what was not finished. Never fails where a node is away: it tries again. */
  async start(): Promise<void> {
    if (this.#running) return;
    await this.#change(async () => {
      for (const row of await this.#journal.inState('draft')) await this.#forget(row.id);
    });
    const stopTips = this.#options.tip.onTip(() => this.#push());
    this.#running = { stopTips, cancel: () => undefined, again: false, pass: Promise.resolve() };
    this.#push();
  }

  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    running?.stopTips();
    running?.cancel();
    await running?.pass;
    await this.#changing;
  }

  async list(): Promise<WalletSend[]> {
    return (await this.#journal.newest()).map(sendOf);
  }

  async get(id: string): Promise<WalletSend> {
    return sendOf(await this.#journal.get(id));
  }

  /**
   * Builds and reviews a payment, which then waits for approval; its coins are held until then. The same key gives the same payment.
   * @throws PlanchetError `invalid-input`, `address-*`, `funds-insufficient`, `conflict`, `not-found`, `upstream-*`
   */
  prepare(input: { request: WalletSendRequest; idempotencyKey: string }): Promise<WalletSend> {
    return this.#change(() => this.#prepare(input));
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
    return this.#change(async () => {
      const known = await this.#journal.byKey(input.idempotencyKey);
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
  approve({ id, digest }: { id: string; digest: string }): Promise<WalletSend> {
    return this.#change(async () => {
      const row = await this.#journal.get(id);
      if (row.state === 'cancelled') throw wrongState('was cancelled');
      if (reviewOf(row).digest !== digest) throw new PlanchetError('wallet.send-other-approved');
      if (row.state !== 'reviewed') return sendOf(row);
      await this.#options.allowed();
      await this.#sign(row);
      await this.#delivery.submit(await this.#journal.get(id));
      this.#push();
      return this.get(id);
    });
  }

  /** Lets go of the coins. @throws PlanchetError `conflict` where it was signed already */
  cancel({ id }: { id: string }): Promise<WalletSend> {
    return this.#change(async () => {
      const row = await this.#journal.get(id);
      if (row.state !== 'reviewed' && row.state !== 'cancelled') throw wrongState('is signed already');
      await this.#options.wallet.release(ownerOf(id));
      await this.#write(id, { state: 'cancelled' });
      return this.get(id);
    });
  }

  /** Submits a refused payment once more, exactly as it was signed. @throws PlanchetError `conflict` where it was not refused */
  retry({ id }: { id: string }): Promise<WalletSend> {
    return this.#change(async () => {
      const row = await this.#journal.get(id);
      if (!isRefused(row)) throw wrongState('was not refused');
      await this.#write(id, { halted: 0, failure: null });
      await this.#delivery.submit(await this.#journal.get(id));
      this.#push();
      return this.get(id);
    });
  }

  async #prepare({
    request,
    idempotencyKey,
  }: {
    request: WalletSendRequest;
    idempotencyKey: string;
  }): Promise<WalletSend> {
    const known = await this.#journal.byKey(idempotencyKey);
    if (known) {
      if (known.request === JSON.stringify(request)) return sendOf(known);
      throw new PlanchetError('wallet.send-key-used');
    }
    const { network, clock } = this.#options;
    for (const { address } of request.to) checkAddress(address, network);
    takesAll(request);
    checkTokenRequest(request);
    await this.#options.allowed();
    const id = randomUUID();
    const now = clock.now();
    // first of all, so that coins held for it are found and let go after a crash
    await this.#journal.insert({
      id,
      network,
      idempotency_key: idempotencyKey,
      request: JSON.stringify(request),
      state: 'draft',
      halted: 0,
      failure: null,
      review: null,
      unsigned: null,
      raw_tx: null,
      txid: null,
      block_hash: null,
      block_height: null,
      created_at: now,
      updated_at: now,
    });
    try {
      await this.#build(id, request);
    } catch (error) {
      await this.#forget(id);
      throw error;
    }
    return this.get(id);
  }

  async #build(id: string, request: WalletSendRequest): Promise<void> {
    const { wallet, crashPoint } = this.#options;
    const { rate, source } = await this.#rateOf(request);
    const coins = await this.#reserve(id, request, rate);
    const token = request.token === undefined ? [] : [await this.#holdToken(id, request.token)];
    const unsigned = buildPayment(request, [...token, ...coins], wallet.lockingScript(), rate);
    const review = this.#review(id, request, unsigned, { rate, source });
    await this.#write(id, { state: 'reviewed', review: JSON.stringify(review), unsigned: toHex(unsigned) });
    crashPoint?.('send-reviewed');
  }

  async #rateOf({ feeRate }: WalletSendRequest): Promise<{ rate: Rate; source: QuoteSource | undefined }> {
    if (feeRate !== undefined) return { rate: { satoshis: feeRate, bytes: 1_000 }, source: undefined };
    const { standard, source } = await this.#options.merchant.feeQuote();
    return { rate: standard, source };
  }

  /** Holds the coins that were chosen, or all, or as many as the payment needs. */
  async #reserve(id: string, request: WalletSendRequest, rate: Rate): Promise<FundingUtxo[]> {
    const { wallet, network } = this.#options;
    const { book } = wallet.open();
    const owner = ownerOf(id);
    const all = takesAll(request);
    if (request.coins === undefined && !all) {
      const total = request.token === undefined ? namedTotal(request) : 0;
      return wallet.reserve(owner, satoshis(total), paymentFee(request, rate), 'all');
    }
    const free = new Map(candidatesOf(book, owner, 'all').map(({ coin }) => [formatOutpoint(coin), coin]));
    const wanted = request.coins ?? [...free.keys()].slice(0, MAX_INPUTS);
    for (const outpoint of wanted) {
      const coin = book.coins.get(outpoint);
      if (coin && coin.spentBy === null && !book.owners.has(outpoint) && !free.has(outpoint)) {
        throw new PlanchetError('wallet.send-not-money', { outpoint });
      }
    }
    await wallet.hold(owner, wanted.map(parseOutpoint));
    const coins = wanted.flatMap((outpoint) => free.get(outpoint) ?? []);
    const needed = namedTotal(request) + paymentFee(request, rate)(Math.max(1, coins.length));
    const given = coins.reduce((sum, coin) => sum + coin.satoshis, 0);
    if (coins.length === 0 || given < namedTotal(request)) {
      const candidates = coins.map((coin) => ({ coin, confirmed: true }));
      throw tooLittle(candidates, needed, wallet.address(), network);
    }
    return coins;
  }

  /** Holds the token that is moved. @throws PlanchetError `invalid-input` where it is none, `conflict` where it is in use */
  async #holdToken(id: string, outpoint: string): Promise<Utxo> {
    const { wallet } = this.#options;
    const found = wallet.nonFundingOutputs().find(({ utxo }) => formatOutpoint(utxo) === outpoint);
    if (found === undefined || !isMovable(found.utxo)) throw new PlanchetError('wallet.send-no-token', { outpoint });
    await wallet.hold(ownerOf(id), [found.utxo]);
    return found.utxo;
  }

  /** The token that is held for a payment. */
  #heldToken(id: string, { token }: WalletSendRequest): Utxo | undefined {
    return this.#options.wallet
      .nonFundingOutputs()
      .find(({ utxo, owner }) => formatOutpoint(utxo) === token && owner === ownerOf(id))?.utxo;
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
      held: wallet.reserved(ownerOf(id)),
      token: this.#heldToken(id, request),
    });
  }

  /** Everything is looked at once more before the keys are used, and the signed transaction is run through the interpreter after. */
  async #sign(row: WalletSendRow): Promise<void> {
    const { wallet, crashPoint } = this.#options;
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
    const held = new Map(wallet.reserved(ownerOf(row.id)).map((coin) => [formatOutpoint(coin), coin]));
    const coins = parseTx(unsigned).inputs.flatMap((input) => {
      const coin = held.get(formatOutpoint(input));
      return (coin && asFundingUtxo(coin)) ?? [];
    });
    const token = this.#heldToken(row.id, requestOf(row));
    const spent: Utxo[] = token === undefined ? coins : [token, ...coins];
    const raw = token === undefined ? await wallet.sign(unsigned, coins) : wallet.signTokenMove(unsigned, token, coins);
    const tx = parseTx(raw);
    const bare = serializeTx({ ...tx, inputs: tx.inputs.map((input) => ({ ...input, script: new Uint8Array() })) });
    if (digestOf(bare) !== approved.digest || !verifyScripts(tx, spent).ok) {
      throw new PlanchetError('wallet.send-review-failed', { reasons: 'the signed transaction is not valid.' });
    }
    await this.#write(row.id, { state: 'signed', raw_tx: toHex(raw), txid: txidOf(tx) });
    crashPoint?.('send-signed');
  }

  /** Brings every payment on its way forward; asked while it does so, it does it once more afterwards. */
  #push(): void {
    const running = this.#running;
    if (!running || running.again) return;
    running.again = true;
    running.cancel();
    running.pass = running.pass.then(() => this.#pass());
  }

  async #pass(): Promise<void> {
    const running = this.#running;
    if (!running) return;
    running.again = false;
    const waiting = await this.#change(async () => {
      await this.#delivery.watchMined();
      const rows = await this.#journal.inState(...tokenJobStates.having('followed'));
      const active = rows.filter(({ halted }) => Number(halted) === 0);
      for (const row of active) {
        if (row.state === 'signed') await this.#delivery.submit(row);
        else await this.#delivery.follow(row);
      }
      return active.length > 0;
    }).catch((error: unknown) => {
      this.#options.logger.debug({ err: error }, 'payments could not be followed');
      return true;
    });
    if (waiting && this.#running === running) {
      running.cancel = this.#options.clock.after(AGAIN_MS[this.#options.network], () => this.#push());
    }
  }

  async #forget(id: string): Promise<void> {
    await this.#options.wallet.release(ownerOf(id));
    await this.#journal.remove(id);
  }

  async #write(id: string, values: Partial<WalletSendRow>): Promise<void> {
    await this.#journal.update(id, { ...values, updated_at: this.#options.clock.now() });
    this.#options.wallet.changed();
  }

  #change<T>(job: () => Promise<T>): Promise<T> {
    const result = this.#changing.then(job);
    this.#changing = result.catch(() => undefined);
    return result;
  }
}

/** Coins of further addresses are always moved, those of the main one where they are small enough. */
function isMoved({ satoshis: value }: FundingUtxo, keyIndex: number, below: number | undefined): boolean {
  return keyIndex !== 0 || below === undefined || value <= below;
}

/** A redeemable token has a lock of its own, which a plain move would lose: only inscriptions and plain locks are moved. */
function isMovable({ satoshis: value, lockingScript }: Utxo): boolean {
  const plain = parseP2pkh(lockingScript) !== undefined;
  const inscribed = leadingP2pkh(lockingScript) !== undefined && readInscription(lockingScript) !== undefined;
  return value === 1 && (plain || inscribed);
}

function wrongState(state: string): PlanchetError {
  return new PlanchetError('wallet.send-wrong-state', { state });
}
