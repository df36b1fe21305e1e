import {
  asFundingUtxo,
  formatOutpoint,
  fromHex,
  parseTx,
  type Rate,
  serializeTx,
  toHex,
  txidOf,
  type Utxo,
  verifyScripts,
} from '../../../chain/index.ts';
import {
  allOf,
  type Network,
  PlanchetError,
  phrase,
  type QuoteSource,
  type Review,
  type ReviewCheck,
  type WalletSendRequest,
  walletSendRequestSchema,
} from '../../../contract/index.ts';
import type { Merchant } from '../../ports/merchant/merchant.ts';
import type { SettingsView } from '../../ports/settings.ts';
import { minerLimitsCheck, minerTerms } from '../../transaction-jobs/miner-limits.ts';
import { replacementCheck, withChecks } from '../../transaction-jobs/replacement-check.ts';
import { digestOf } from '../../transaction-jobs/review-parts.ts';
import type { TransactionJobs } from '../../transaction-jobs/transaction-jobs.ts';
import { unansweredCheck } from '../../transaction-jobs/unanswered-check.ts';
import { coinsThatExclude, openOf } from '../coins/signed-spends.ts';
import { candidatesOf } from '../coins/spendable.ts';
import type { Contacts } from '../contacts/contacts.ts';
import type { PaymailTells } from '../paymail/paymail-tells.ts';
import type { Wallet } from '../wallet.ts';
import type { PaymentCoins } from './payment-coins.ts';
import { holdersOf, requireExcluding, tellReplaced } from './replacing.ts';
import { buildPayment, takesAll, tokensOf } from './send-draft.ts';
import { requestOf, reviewOf } from './send-journal.ts';
import { reviewPayment } from './send-review.ts';
import { type Beyond, dividedAll, type SendRow, tellBeyond } from './series.ts';
import type { PaymentLimits } from './spending-limits.ts';

export interface PaymentTransactionsOptions {
  network: Network;
  /** Has the caps on fees. */
  settings: Pick<SettingsView, 'current'>;
  wallet: Wallet;
  merchant: Merchant;
  jobs: TransactionJobs<SendRow>;
  coins: PaymentCoins;
  tells: Pick<PaymailTells, 'note'>;
  /** Knows which addresses only look like others. */
  contacts: Pick<Contacts, 'lookAlikeChecks' | 'keys'>;
  /** Whether a payment pays accounts of this program alone. */
  isOwnMove: (request: WalletSendRequest) => boolean;
  /** Where others than usual are wanted. */
  limits?: PaymentLimits | undefined;
}

/** A rate, and whose it is: undefined where the person named it. */
interface Priced {
  readonly rate: Rate;
  readonly source: QuoteSource | undefined;
}

type Replaced = { readonly replaces: readonly string[]; readonly beside: readonly string[] };

/** A further transaction replaces others by itself where it moves tokens, since it pays receivers of its own. */
function replacedByTokens(request: WalletSendRequest, replaces: readonly string[]): Replaced | undefined {
  return tokensOf(request).length === 0 ? undefined : { replaces, beside: [] };
}

/** The transactions of payments: built and reviewed, and signed once they are approved. */
export class PaymentTransactions {
  readonly #options: PaymentTransactionsOptions;

  constructor(options: PaymentTransactionsOptions) {
    this.#options = options;
  }

  /**
   * Builds a payment with its further transactions, these first: what a person is shown is whole.
   * @param id of the payment
   * @param refused owners of refused transactions that asked for the same
   * @param more what it has beyond its first transaction; left out, that is worked out here
   * @throws PlanchetError `invalid-input`, `funds-insufficient`, `conflict`, `upstream-*`
   */
  async build(id: string, request: WalletSendRequest, refused: readonly string[], more?: Beyond): Promise<void> {
    const { coinStore } = this.#options.wallet.open();
    const isOwnMove = this.#options.isOwnMove(request);
    // Coins of signed transactions that are paid to the wallet itself are taken back: these can never be mined then.
    const replaces = [...refused, ...(isOwnMove ? holdersOf(coinStore, request.coins ?? []) : [])];
    const priced = await this.rateOf(request);
    const open = openOf(coinStore, replaces);
    const candidates = candidatesOf(coinStore, this.#options.jobs.ownerOf(id), 'all', open);
    const free = candidates.map(({ coin }) => coin);
    if (request.coins && !isOwnMove) requireExcluding(coinStore, replaces, request.coins, candidates);
    const first = takesAll(request) && !isOwnMove ? coinsThatExclude(coinStore, [...open], candidates) : [];
    const { coins, ...further } = more
      ? { ...more, coins: request.coins }
      : dividedAll(request, free, priced.rate, this.#options.coins.longer(), { first, limits: this.#options.limits });
    const built: string[] = [];
    try {
      for (const [index, part] of further.rest.entries()) {
        const row = await this.#options.jobs.prepare({
          request: part,
          idempotencyKey: `${id}:${String(index).padStart(3, '0')}`,
          extra: { part_of: id },
          check: () => undefined,
          // A part with coins of its own replaces what the payment replaces; one that moves tokens alone replaces what moved these.
          build: (partId, own) => this.#buildOne(partId, part, priced, part.coins ? replaces : own),
        });
        built.push(row.id);
      }
      await this.#buildOne(id, { ...request, ...(coins && { coins }) }, priced, replaces, further);
    } catch (error) {
      for (const part of built) await this.#options.jobs.forget(part);
      throw error;
    }
  }

  async #buildOne(
    id: string,
    request: WalletSendRequest,
    priced: Priced,
    replaces: readonly string[],
    further?: Beyond,
  ): Promise<void> {
    const { wallet } = this.#options;
    const { rate } = priced;
    // The tokens first: what spends them too is made impossible by them, and needs no coin for that.
    const tokens = await this.#options.coins.holdTokens(id, request, replaces);
    const coins = await this.#options.coins.reserve(id, request, rate, replaces);
    const longer = this.#options.coins.longer();
    const unsigned = buildPayment(request, [...tokens, ...coins], wallet.lockingScript(), rate, longer);
    // The first of several transactions excludes what is replaced. The others pay nobody a named amount, unless they move tokens.
    const replaced = further
      ? { replaces, beside: further.rest.flatMap((part) => part.coins ?? []) }
      : replacedByTokens(request, replaces);
    const review = this.#review(id, request, unsigned, priced, replaced);
    const limits = await this.#limitsOf(request, unsigned, review.fee);
    const limited = withChecks(review, [...limits, ...(await this.#options.contacts.keys.checks(request.paymails))]);
    // The review of the first transaction has the checks that concern all of them.
    const told = further
      ? [...tellBeyond(further), ...(await this.#lookAlikes([request, ...further.rest])), ...unansweredCheck(wallet)]
      : [];
    const shown = { ...limited, checks: [...limited.checks, ...told] };
    // One that cannot be read again would let no payment be listed.
    walletSendRequestSchema.parse(request);
    await this.#options.jobs.write(id, { state: 'reviewed', review: JSON.stringify(shown), unsigned: toHex(unsigned) });
    this.#options.jobs.crashPoint('reviewed');
  }

  async #limitsOf({ feeRate }: WalletSendRequest, unsigned: Uint8Array, fee: number): Promise<ReviewCheck[]> {
    return minerLimitsCheck(parseTx(unsigned), fee, await minerTerms(this.#options.merchant), feeRate);
  }

  #lookAlikes(requests: readonly WalletSendRequest[]): Promise<ReviewCheck[]> {
    return this.#options.contacts.lookAlikeChecks(requests.flatMap(({ to }) => to.map(({ address }) => address)));
  }

  /** The rate that a person named, else the miner's. @throws PlanchetError `upstream-*` */
  async rateOf({ feeRate }: { readonly feeRate?: number | undefined }): Promise<Priced> {
    if (feeRate !== undefined) return { rate: { satoshis: feeRate, bytes: 1_000 }, source: undefined };
    const { standard, source } = await this.#options.merchant.feeQuote();
    return { rate: standard, source };
  }

  #review(
    id: string,
    request: WalletSendRequest,
    unsigned: Uint8Array,
    { rate, source }: Priced,
    replaced: Replaced | undefined,
  ): Review {
    const { wallet, network, settings } = this.#options;
    const review = reviewPayment(request, unsigned, {
      network,
      rate,
      source,
      caps: settings.current(),
      changeScript: wallet.lockingScript(),
      held: wallet.reserved(this.#options.jobs.ownerOf(id)),
      tokens: this.#options.coins.heldTokens(id, request),
      longer: this.#options.coins.longer(),
    });
    if (replaced === undefined) return review;
    const { inputs } = parseTx(unsigned);
    const { replaces, beside } = replaced;
    if (!this.#options.isOwnMove(request)) return withChecks(review, replacementCheck(wallet, replaces, inputs));
    // It may be mined beside what it does not replace: nobody is paid by it.
    const spent = [...inputs.map(formatOutpoint), ...beside];
    return withChecks(review, tellReplaced(wallet.open().coinStore, replaces, spent));
  }

  /**
   * Reviews the transaction again before the keys are used, and runs the signed transaction through the interpreter.
   * @param replaces owners of the open transactions that it takes the place of
   * @throws PlanchetError `review-failed`, `vault-locked`
   */
  async sign(row: SendRow, replaces: readonly string[]): Promise<void> {
    const { wallet } = this.#options;
    const approved = reviewOf(row);
    const unsigned = fromHex(row.unsigned ?? '');
    // the price may have changed since; what was approved is what was reviewed at its own price
    const rate = { satoshis: approved.fee, bytes: approved.size };
    const request = requestOf(row);
    const replaced = row.part_of === null ? { replaces, beside: [] } : replacedByTokens(request, replaces);
    const review = this.#review(row.id, request, unsigned, { rate, source: undefined }, replaced);
    // a miner may have lowered its limits, or left, since the review
    const limits = await this.#limitsOf(request, unsigned, approved.fee);
    const keys = await this.#options.contacts.keys.checks(request.paymails);
    const now = [...review.checks.filter(({ id }) => id !== 'fee-limit'), ...limits, ...keys];
    const failed = [...approved.checks, ...now].filter(({ passed }) => !passed);
    if (failed.length > 0 || digestOf(unsigned) !== approved.digest) {
      const [first = phrase('reason.transaction-changed'), ...more] = failed.flatMap(({ sentences = [] }) => sentences);
      const reasons = allOf([first, ...more]);
      throw new PlanchetError('wallet.send-review-failed', { reasons });
    }
    const held = new Map(
      wallet.reserved(this.#options.jobs.ownerOf(row.id)).map((coin) => [formatOutpoint(coin), coin]),
    );
    const coins = parseTx(unsigned).inputs.flatMap((input) => {
      const coin = held.get(formatOutpoint(input));
      return (coin && asFundingUtxo(coin)) ?? [];
    });
    const tokens = await this.#options.coins.wholeTokens(row);
    const spent: Utxo[] = [...tokens, ...coins];
    const raw =
      tokens.length === 0 ? await wallet.sign(unsigned, coins) : await wallet.signTokenMove(unsigned, tokens, coins);
    const tx = parseTx(raw);
    const bare = serializeTx({ ...tx, inputs: tx.inputs.map((input) => ({ ...input, script: new Uint8Array() })) });
    if (digestOf(bare) !== approved.digest || !verifyScripts(tx, spent).ok) {
      throw new PlanchetError('wallet.send-review-failed', { reasons: phrase('reason.signed-invalid') });
    }
    await this.#options.contacts.keys.remember(request.paymails);
    await this.#options.tells.note(row.id, request.paymails ?? []);
    await this.#options.jobs.write(row.id, { state: 'signed', raw_tx: toHex(raw), txid: txidOf(tx) });
    this.#options.jobs.crashPoint('signed');
  }
}
