import type { Logger } from 'pino';
import {
  type AddressNetwork,
  addressNetwork,
  decodeAddress,
  formatOutpoint,
  fromHex,
  parseOutpoint,
  parseTx,
  toHex,
  type Utxo,
  verifyScripts,
} from '../../chain/index.ts';
import {
  allOf,
  type Contract,
  type Network,
  type Phrase,
  PlanchetError,
  type Serves,
  type TokenHistory,
  type TokenJob,
  type TokenOverview,
  type TokenRequest,
} from '../../contract/index.ts';
import { decodeToken, finishTransaction } from '../../token/index.ts';
import type { ChainData } from '../ports/chain-data.ts';
import type { Clock } from '../ports/clock.ts';
import type { Events } from '../ports/events.ts';
import type { Merchant } from '../ports/merchant/merchant.ts';
import type { TransactionTracker } from '../ports/merchant/transactions.ts';
import type { SettingsView } from '../ports/settings.ts';
import type { Store } from '../ports/store.ts';
import type { TokenWallet } from '../ports/wallet.ts';
import { minerLimitsCheck, minerTerms, requireTaken } from '../transaction-jobs/miner-limits.ts';
import { replacementCheck, withChecks } from '../transaction-jobs/replacement-check.ts';
import { digestOf } from '../transaction-jobs/review-parts.ts';
import { type EarlierJob, TransactionJobs } from '../transaction-jobs/transaction-jobs.ts';
import { unansweredCheck } from '../transaction-jobs/unanswered-check.ts';
import { buildDraft, type Draft, spentByRequest } from './build.ts';
import { ChainReader } from './chain-reader.ts';
import { whyNotGenuine } from './genuine.ts';
import { historyOf } from './history.ts';
import { draftOf, jobOf, requestOf, reviewOf, storedDraft } from './journal.ts';
import { holdingsOf } from './overview.ts';
import { feeFaults, reviewDraft } from './review.ts';
import type { JobRow, TokenTables } from './tables.ts';
import { TokenChecks } from './token-checks.ts';

/** Where a test may end the process: after every effect outside of it, on the disk or at another party. */
export const tokenCrashPoints = [
  'token-built',
  'token-reviewed',
  'token-signed',
  'token-sent',
  'token-seen',
  'token-submitted',
  'token-mined',
] as const;

export interface RedeemableTokensOptions {
  network: Network;
  store: Store<TokenTables>;
  settings: Pick<SettingsView, 'current'>;
  /** The main account: it issues, and its token key owns what is made here. */
  wallet: TokenWallet;
  /** Further accounts that can spend what they hold. */
  others: () => readonly TokenWallet[];
  merchant: Merchant;
  chainData: ChainData;
  tracker: TransactionTracker;
  clock: Clock;
  events: Events;
  logger: Logger;
  /** Called at every point named in `tokenCrashPoints`, so a test can end the process there. */
  crashPoint?: (where: string) => void;
}

/**
 * The token library over the active wallet: every transaction is built, reviewed, approved, signed, submitted and followed to its
 * block, and every step is journalled before the next one, so a job resumes where it was after the process ended at any point.
 * The main account's own key issues and pays, and its token key owns tokens. Another account spends and pays for the tokens that it holds.
 */
export class RedeemableTokens implements Serves<Contract['redeemableTokens']> {
  readonly #options: RedeemableTokensOptions;
  readonly #jobs: TransactionJobs<JobRow>;
  readonly #chain: ChainReader;
  readonly #checks: TokenChecks;
  readonly #addresses: AddressNetwork;

  constructor(options: RedeemableTokensOptions) {
    this.#options = options;
    this.#chain = new ChainReader(options.chainData);
    this.#checks = new TokenChecks({ ...options, chain: this.#chain });
    this.#jobs = new TransactionJobs<JobRow>({
      ...options,
      wallet: everywhere(() => this.#wallets),
      kind: 'token',
      table: 'token_jobs',
      refusals: {
        missing: (id) => new PlanchetError('token.missing', { id }),
        wrongState: (state) => new PlanchetError('token.wrong-state', { state }),
        keyUsed: () => new PlanchetError('token.idempotency-key-used'),
        otherApproved: () => new PlanchetError('token.other-transaction-approved'),
      },
      isSame,
      changed: async (id) => options.events.publish({ type: 'token-job', job: await this.get({ id }) }),
    });
    this.#addresses = addressNetwork(options.network);
  }

  /** Resumes unfinished jobs. Does not fail if the node is unreachable: it tries again. */
  start(): Promise<void> {
    this.#checks.start();
    return this.#jobs.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#jobs.stop(), this.#checks.stop()]);
  }

  async overview(): Promise<TokenOverview> {
    const jobs = (await this.#jobs.list()).map(jobOf);
    return { ...holdingsOf(this.#wallets, this.#addresses, (token) => this.#checks.of(token)), jobs };
  }

  async get({ id }: { id: string }): Promise<TokenJob> {
    return jobOf(await this.#jobs.get(id));
  }

  /**
   * Builds and reviews a transaction, which then waits for approval; what it spends is held until then. The same key gives the same job.
   * @throws PlanchetError `invalid-input`, `address-*`, `funds-insufficient`, `conflict`, `not-found`, `upstream-*`
   */
  async prepare({ request, idempotencyKey }: { request: TokenRequest; idempotencyKey: string }): Promise<TokenJob> {
    const row = await this.#jobs.change(() =>
      this.#jobs.prepare({
        idempotencyKey,
        request,
        extra: { symbol: '' },
        check: () => this.#checkAddresses(request),
        build: (id, replaces) => this.#build(id, request, replaces),
      }),
    );
    return jobOf(row);
  }

  /**
   * Signs and sends the transaction that was reviewed. A second approval of the same one changes nothing.
   * @throws PlanchetError `review-failed` for another digest or a failed check, `conflict` for a cancelled job, `vault-locked`
   */
  async approve(approval: { id: string; digest: string }): Promise<TokenJob> {
    return jobOf(await this.#jobs.approve(approval, (row, replaces) => this.#sign(row, replaces)));
  }

  /** Releases what is held. @throws PlanchetError `conflict` if it was signed already */
  async cancel(job: { id: string }): Promise<TokenJob> {
    return jobOf(await this.#jobs.cancel(job));
  }

  /**
   * Sends a transaction that was refused once more, exactly as it was signed.
   * @throws PlanchetError `conflict` where it was not refused, or where something else is about to spend what it spends
   */
  async retry(job: { id: string }): Promise<TokenJob> {
    const holdAgain = async (row: JobRow): Promise<void> => {
      const wallet = this.#walletFor(requestOf(row));
      await wallet.hold(this.#jobs.ownerOf(row.id), draftOf(row).spent).catch((error: unknown) => {
        // the wallet has it as spent, which a reorganisation may have undone
        if (!(error instanceof PlanchetError) || error.code !== 'not-found') throw error;
      });
    };
    return jobOf(await this.#jobs.retry(job, holdAgain));
  }

  /** See {@link historyOf}. */
  async history({ outpoint }: { outpoint: string }): Promise<TokenHistory> {
    const open = this.#wallets.filter((wallet) => wallet.status().state === 'ready');
    const kept = open.flatMap((wallet) => wallet.nonFundingOutputs().map(({ utxo }) => utxo.txid));
    return historyOf(parseOutpoint(outpoint), {
      chain: this.#chain,
      addresses: this.#addresses,
      candidates: [...new Set([...(await this.#jobs.journal.txids()), ...kept])],
      isOwn: (hash) => open.some((wallet) => wallet.publicKeyOf(toHex(hash)) !== undefined),
    });
  }

  get #wallets(): [TokenWallet, ...TokenWallet[]] {
    return [this.#options.wallet, ...this.#options.others()];
  }

  /** The account that holds what a request spends. @throws PlanchetError `conflict` where several do */
  #walletFor(request: TokenRequest): TokenWallet {
    const spent = spentByRequest(request).map(formatOutpoint);
    const holding = this.#wallets.map((wallet) => {
      const kept = new Set(wallet.nonFundingOutputs().map(({ utxo }) => formatOutpoint(utxo)));
      return { wallet, count: spent.filter((outpoint) => kept.has(outpoint)).length };
    });
    const some = holding.filter(({ count }) => count > 0);
    if (some.length > 1) throw new PlanchetError('token.several-accounts');
    return some[0]?.wallet ?? this.#options.wallet;
  }

  async #build(id: string, request: TokenRequest, replaces: readonly string[]): Promise<void> {
    const { merchant, network, settings } = this.#options;
    const wallet = this.#walletFor(request);
    const { standard: rate, source } = await merchant.feeQuote();
    const draft = await buildDraft(request, {
      wallet,
      chain: this.#chain,
      rate,
      owner: this.#jobs.ownerOf(id),
      replaces,
    });
    this.#jobs.crashPoint('built');
    const reviewed = reviewDraft(request, draft, {
      network,
      rate,
      source,
      caps: settings.current(),
      publicKey: fromHex(wallet.publicKey()),
      held: this.#heldFor(id, request, draft),
      history: await this.#historyFault(draft.spent),
    });
    const review = withChecks(reviewed, [
      ...replacementCheck(wallet, replaces, draft.spent),
      ...minerLimitsCheck(parseTx(fromHex(draft.unsigned.hex)), reviewed.fee, await minerTerms(merchant)),
      ...unansweredCheck(wallet),
    ]);
    await this.#jobs.write(id, {
      state: 'reviewed',
      symbol: draft.symbol,
      review: JSON.stringify(review),
      unsigned: storedDraft(draft),
    });
    this.#jobs.crashPoint('reviewed');
  }

  /** The outpoints that the wallet holds for the job. */
  #heldFor(id: string, request: TokenRequest, draft: Draft): Set<string> {
    const wallet = this.#walletFor(request);
    const named = new Set(spentByRequest(request).map(formatOutpoint));
    const kept = wallet.nonFundingOutputs().filter(({ owner }) => owner === this.#jobs.ownerOf(id));
    const tokens = kept.map(({ utxo }) => formatOutpoint(utxo)).filter((outpoint) => named.has(outpoint));
    const spent = new Map(draft.spent.map((utxo) => [formatOutpoint(utxo), utxo]));
    const money = wallet
      .reserved(this.#jobs.ownerOf(id))
      .filter((coin) => spent.get(formatOutpoint(coin))?.satoshis === coin.satoshis);
    return new Set([...tokens, ...money.map(formatOutpoint)]);
  }

  async #historyFault(spent: readonly Utxo[]): Promise<Phrase | undefined> {
    for (const utxo of spent) {
      if (!decodeToken(utxo.lockingScript)) continue;
      const fault = await whyNotGenuine(utxo, this.#chain);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  /** Checks everything once more before the keys are used, and runs the signed transaction through the script interpreter. */
  async #sign(row: JobRow, replaces: readonly string[]): Promise<void> {
    const { settings, merchant } = this.#options;
    const request = requestOf(row);
    const wallet = this.#walletFor(request);
    const draft = draftOf(row);
    const review = reviewOf(row);
    const bytes = fromHex(draft.unsigned.hex);
    const held = this.#heldFor(row.id, request, draft);
    const lost = draft.spent.find((utxo) => !held.has(formatOutpoint(utxo)));
    if (lost) throw new PlanchetError('token.input-spent', { outpoint: formatOutpoint(lost) });
    const isReplacing = replacementCheck(wallet, replaces, draft.spent).every(({ passed }) => passed);
    if (!review.ok || !isReplacing || digestOf(bytes) !== review.digest) throw new PlanchetError('token.review-failed');
    // The caps may have been lowered since the review.
    const [tooHigh, ...more] = feeFaults(review, settings.current());
    if (tooHigh !== undefined) throw new PlanchetError('token.fee-too-high', { reasons: allOf([tooHigh, ...more]) });
    // a miner may have lowered its limits or gone since the review
    await requireTaken(parseTx(bytes), review.fee, merchant);
    const signatures: Uint8Array[] = [];
    for (const [index, utxo] of draft.spent.entries()) signatures.push(await wallet.signInput(bytes, index, utxo));
    const built = finishTransaction(draft.unsigned, signatures);
    const verdict = verifyScripts(built.tx, draft.spent);
    if (!verdict.ok) {
      throw new PlanchetError('token.script-refused', { input: verdict.input }, { detail: { reason: verdict.reason } });
    }
    await this.#jobs.write(row.id, { state: 'signed', raw_tx: built.hex, txid: built.txid });
    this.#jobs.crashPoint('signed');
  }

  #checkAddresses(request: TokenRequest): void {
    if (!('to' in request)) return;
    const list = typeof request.to === 'string' ? [request.to] : request.to.map(({ address }) => address);
    for (const address of list) {
      let network: AddressNetwork;
      try {
        ({ network } = decodeAddress(address));
      } catch (error) {
        throw new PlanchetError('token.address-invalid', { address }, { cause: error });
      }
      if (network !== this.#addresses) {
        throw new PlanchetError('token.address-wrong-network', { address, network: this.#options.network });
      }
    }
  }
}

/** Notes transactions in every account, since each keeps its own coins. */
function everywhere(
  wallets: () => readonly TokenWallet[],
): Pick<TokenWallet, 'fateOf' | 'noteSigned' | 'observe' | 'release'> {
  const each = async (note: (wallet: TokenWallet) => Promise<void>): Promise<void> => {
    for (const wallet of wallets()) await note(wallet);
  };
  return {
    fateOf: (txid) =>
      wallets()
        .map((wallet) => wallet.fateOf(txid))
        .find((fate) => fate !== 'unknown') ?? 'unknown',
    noteSigned: (owner, rawTx) => each((wallet) => wallet.noteSigned(owner, rawTx)),
    observe: (rawTx) => each((wallet) => wallet.observe(rawTx)),
    release: (owner) => each((wallet) => wallet.release(owner)),
  };
}

/** Whether a request asks for what an earlier job asked for: it spends the same token or contract, or makes a contract of the same symbol. */
function isSame(earlier: EarlierJob, request: unknown): boolean {
  const [before, now] = [earlier.request as TokenRequest, request as TokenRequest];
  if (before.action === 'contract' && now.action === 'contract') return before.schema.symbol === now.schema.symbol;
  const spent = new Set(spentByRequest(before).map(formatOutpoint));
  return spentByRequest(now).some((outpoint) => spent.has(formatOutpoint(outpoint)));
}
