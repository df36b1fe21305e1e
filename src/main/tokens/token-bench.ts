import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import {
  type AddressNetwork,
  decodeAddress,
  equalBytes,
  formatOutpoint,
  fromHex,
  hash160,
  parseOutpoint,
  type Utxo,
  verifyScripts,
} from '../../chain/index.ts';
import {
  type Network,
  PlanchetError,
  type TokenHistory,
  type TokenJob,
  type TokenOverview,
  type TokenRequest,
  tokenJobStates,
} from '../../contract/index.ts';
import { decodeToken, finishTransaction } from '../../token/index.ts';
import type { Clock } from '../ports/clock.ts';
import type { Events } from '../ports/events.ts';
import type { Merchant } from '../ports/merchant.ts';
import type { NodeRpc, TipSource } from '../ports/node.ts';
import type { SettingsView } from '../ports/settings.ts';
import type { Store } from '../ports/store.ts';
import type { TokenWallet } from '../ports/wallet.ts';
import { buildDraft, type Draft, spentByRequest } from './build.ts';
import { ChainReader } from './chain-reader.ts';
import { Delivery } from './delivery.ts';
import { whyNotGenuine } from './genuine.ts';
import { historyOf } from './history.ts';
import { draftOf, isHalted, isRefused, Journal, jobOf, ownerOf, requestOf, reviewOf, storedDraft } from './journal.ts';
import { holdingsOf } from './overview.ts';
import { digestOf, feeFaults, reviewDraft } from './review.ts';
import type { JobRow, TokenTables } from './tables.ts';

const MAX_LISTED = 200;
/** Delay between two checks of unconfirmed transactions. */
const AGAIN_MS: Record<Network, number> = { sandbox: 1_000, test: 15_000, main: 15_000 };

export interface TokenBenchOptions {
  network: Network;
  store: Store<TokenTables>;
  /** Has the caps on fees. */
  settings: Pick<SettingsView, 'current'>;
  wallet: TokenWallet;
  merchant: Merchant;
  node: NodeRpc;
  tip: TipSource;
  clock: Clock;
  events: Events;
  logger: Logger;
  /** Called at every point named in `tokenCrashPoints`, so a test can end the process there. */
  crashPoint?: (where: string) => void;
}

/**
 * The token library over the active wallet: every transaction is built, reviewed, approved, signed, submitted and followed to its
 * block, and every step is journalled before the next one, so a job resumes where it was after the process ended at any point.
 * The wallet's own key issues and pays; its token key owns tokens.
 */
export class TokenBench {
  readonly #options: TokenBenchOptions;
  readonly #journal: Journal;
  readonly #chain: ChainReader;
  readonly #delivery: Delivery;
  readonly #addresses: AddressNetwork;
  /** Changes of jobs happen one after the other. */
  #changing: Promise<unknown> = Promise.resolve();
  #running: { stopTips: () => void; cancel: () => void; again: boolean; pass: Promise<void> } | undefined;

  constructor(options: TokenBenchOptions) {
    this.#options = options;
    this.#journal = new Journal(options.store, options.network);
    this.#chain = new ChainReader(options.node);
    this.#delivery = new Delivery({
      ...options,
      chain: this.#chain,
      journal: this.#journal,
      write: (id, values) => this.#write(id, values),
    });
    this.#addresses = options.network === 'main' ? 'main' : 'test';
  }

  /** Resumes unfinished jobs. Does not fail if the node is unreachable: it tries again. */
  async start(): Promise<void> {
    if (this.#running) return;
    await this.#change(async () => {
      for (const row of await this.#journal.inState('draft')) await this.#forget(row.id);
      // The process may have ended just before a refused transaction was sent again.
      for (const row of await this.#journal.inState('signed'))
        if (isRefused(row)) await this.#options.wallet.release(ownerOf(row.id));
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

  async overview(): Promise<TokenOverview> {
    const jobs = (await this.#journal.newest(MAX_LISTED)).map(jobOf);
    return { ...holdingsOf(this.#options.wallet, this.#addresses), jobs };
  }

  async get(id: string): Promise<TokenJob> {
    return jobOf(await this.#journal.get(id));
  }

  /**
   * Builds and reviews a transaction, which then waits for approval; what it spends is held until then. The same key gives the same job.
   * @throws PlanchetError `invalid-input`, `address-*`, `funds-insufficient`, `conflict`, `not-found`, `upstream-*`
   */
  prepare({ request, idempotencyKey }: { request: TokenRequest; idempotencyKey: string }): Promise<TokenJob> {
    return this.#change(async () => {
      const known = await this.#journal.byKey(idempotencyKey);
      if (known) {
        if (known.request === JSON.stringify(request)) return jobOf(known);
        throw new PlanchetError('token.idempotency-key-used');
      }
      this.#checkAddresses(request);
      const id = randomUUID();
      const now = this.#options.clock.now();
      // First of all, so that coins held for it are found and released after a crash.
      await this.#journal.insert({
        id,
        network: this.#options.network,
        idempotency_key: idempotencyKey,
        request: JSON.stringify(request),
        symbol: '',
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
    });
  }

  /**
   * Signs and sends the transaction that was reviewed. Asked again for the same one, it changes nothing.
   * @throws PlanchetError `review-failed` for another digest or a failed check, `conflict` for a cancelled job, `vault-locked`
   */
  approve({ id, digest }: { id: string; digest: string }): Promise<TokenJob> {
    return this.#change(async () => {
      const row = await this.#journal.get(id);
      if (row.state === 'cancelled') throw finished('was cancelled');
      const review = reviewOf(row);
      if (review.digest !== digest) {
        throw new PlanchetError('token.other-transaction-approved');
      }
      if (row.state !== 'reviewed') return jobOf(row);
      await this.#sign(row);
      await this.#delivery.submit(await this.#journal.get(id));
      this.#push();
      return this.get(id);
    });
  }

  /** Releases what is held. @throws PlanchetError `conflict` if it was signed already */
  cancel({ id }: { id: string }): Promise<TokenJob> {
    return this.#change(async () => {
      const row = await this.#journal.get(id);
      if (row.state !== 'reviewed' && row.state !== 'cancelled') throw finished('is signed already');
      await this.#options.wallet.release(ownerOf(id));
      await this.#write(id, { state: 'cancelled' });
      return this.get(id);
    });
  }

  /**
   * Sends a transaction that was refused once more, exactly as it was signed: the miner has the last word on whether it can be taken now.
   * @throws PlanchetError `conflict` where it was not refused, or where something else is about to spend what it spends
   */
  retry({ id }: { id: string }): Promise<TokenJob> {
    return this.#change(async () => {
      const row = await this.#journal.get(id);
      if (!isRefused(row)) throw finished('was not refused');
      await this.#options.wallet.hold(ownerOf(id), draftOf(row).spent).catch((error: unknown) => {
        // spent as far as the wallet knows, which a change of the chain may have undone
        if (!(error instanceof PlanchetError) || error.code !== 'not-found') throw error;
      });
      await this.#write(id, { halted: 0, failure: null });
      await this.#delivery.submit(await this.#journal.get(id));
      this.#push();
      return this.get(id);
    });
  }

  /** See {@link historyOf}. */
  async history({ outpoint }: { outpoint: string }): Promise<TokenHistory> {
    const { wallet } = this.#options;
    const own =
      wallet.status().state === 'ready'
        ? [wallet.publicKey(), wallet.tokenPublicKey()].map((key) => hash160(fromHex(key)))
        : [];
    const kept = wallet.nonFundingOutputs().map(({ utxo }) => utxo.txid);
    return historyOf(parseOutpoint(outpoint), {
      chain: this.#chain,
      addresses: this.#addresses,
      candidates: [...new Set([...(await this.#journal.txids()), ...kept])],
      isOwn: (hash) => own.some((one) => equalBytes(one, hash)),
    });
  }

  async #build(id: string, request: TokenRequest): Promise<void> {
    const { wallet, merchant, network, settings, crashPoint } = this.#options;
    const { standard: rate, source } = await merchant.feeQuote();
    const draft = await buildDraft(request, { wallet, chain: this.#chain, rate, owner: ownerOf(id) });
    crashPoint?.('token-built');
    const review = reviewDraft(request, draft, {
      network,
      rate,
      source,
      caps: settings.current(),
      publicKey: fromHex(wallet.publicKey()),
      held: this.#heldFor(id, request, draft),
      history: await this.#historyFault(draft.spent),
    });
    await this.#write(id, {
      state: 'reviewed',
      symbol: draft.symbol,
      review: JSON.stringify(review),
      unsigned: storedDraft(draft),
    });
    crashPoint?.('token-reviewed');
  }

  /** What the wallet holds under the job's name, as the wallet says it. */
  #heldFor(id: string, request: TokenRequest, draft: Draft): Set<string> {
    const { wallet } = this.#options;
    const named = new Set(spentByRequest(request).map(formatOutpoint));
    const kept = wallet.nonFundingOutputs().filter(({ owner }) => owner === ownerOf(id));
    const tokens = kept.map(({ utxo }) => formatOutpoint(utxo)).filter((outpoint) => named.has(outpoint));
    const spent = new Map(draft.spent.map((utxo) => [formatOutpoint(utxo), utxo]));
    const money = wallet
      .reserved(ownerOf(id))
      .filter((coin) => spent.get(formatOutpoint(coin))?.satoshis === coin.satoshis);
    return new Set([...tokens, ...money.map(formatOutpoint)]);
  }

  async #historyFault(spent: readonly Utxo[]): Promise<string | undefined> {
    for (const utxo of spent) {
      if (!decodeToken(utxo.lockingScript)) continue;
      const fault = await whyNotGenuine(utxo, this.#chain);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  /** Checks everything once more before the keys are used, and runs the signed transaction through the script interpreter. */
  async #sign(row: JobRow): Promise<void> {
    const { wallet, settings, crashPoint } = this.#options;
    const request = requestOf(row);
    const draft = draftOf(row);
    const review = reviewOf(row);
    const bytes = fromHex(draft.unsigned.hex);
    const held = this.#heldFor(row.id, request, draft);
    const lost = draft.spent.find((utxo) => !held.has(formatOutpoint(utxo)));
    if (lost) throw new PlanchetError('token.input-spent', { outpoint: formatOutpoint(lost) });
    if (!review.ok || digestOf(bytes) !== review.digest) throw new PlanchetError('token.review-failed');
    // The caps may have been lowered since the review.
    const tooHigh = feeFaults(review, settings.current());
    if (tooHigh.length > 0) {
      throw new PlanchetError('token.fee-too-high', { reasons: tooHigh.join(' ') });
    }
    const signatures: Uint8Array[] = [];
    for (const [index, utxo] of draft.spent.entries()) signatures.push(await wallet.signInput(bytes, index, utxo));
    const built = finishTransaction(draft.unsigned, signatures);
    const verdict = verifyScripts(built.tx, draft.spent);
    if (!verdict.ok) {
      throw new PlanchetError('token.script-refused', { input: verdict.input }, { detail: { reason: verdict.reason } });
    }
    await this.#write(row.id, { state: 'signed', raw_tx: built.hex, txid: built.txid });
    crashPoint?.('token-signed');
  }

  /** Advances every unfinished job. A call during a run starts another run after it. */
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
      const rows = (await this.#journal.inState(...tokenJobStates.having('followed'))).filter((row) => !isHalted(row));
      for (const row of rows) {
        if (row.state === 'signed') await this.#delivery.submit(row);
        else await this.#delivery.follow(row);
      }
      return rows.length > 0;
    }).catch((error: unknown) => {
      this.#options.logger.debug({ err: error }, 'token transactions could not be followed');
      return true;
    });
    if (waiting && this.#running === running) {
      running.cancel = this.#options.clock.after(AGAIN_MS[this.#options.network], () => this.#push());
    }
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

  async #forget(id: string): Promise<void> {
    await this.#options.wallet.release(ownerOf(id));
    await this.#journal.remove(id);
  }

  async #write(id: string, values: Partial<JobRow>): Promise<void> {
    await this.#journal.update(id, { ...values, updated_at: this.#options.clock.now() });
    this.#options.events.publish({ type: 'token-job', job: await this.get(id) });
  }

  #change<T>(job: () => Promise<T>): Promise<T> {
    const result = this.#changing.then(job);
    this.#changing = result.catch(() => undefined);
    return result;
  }
}

function finished(how: string): PlanchetError {
  return new PlanchetError('token.wrong-state', { state: how });
}
