import type { z } from 'zod';
import { parentsFirst, parseTx, readInscription } from '../../../chain/index.ts';
import {
  allOf,
  type DecodedPage,
  type DecodedTransaction,
  type decodeInputSchema,
  type Network,
  PlanchetError,
  type PreCheck,
  phrase,
  phraseText,
  phraseTexts,
  type Serves,
  type SubmittedTransaction,
  type submissionContract,
  type submissionInputSchema,
  type TrackedTransaction,
  type TransactionOrigin,
  type TransactionReason,
  type TransactionSource,
} from '../../../contract/index.ts';
import type { ChainData, TipSource } from '../../ports/chain-data.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KeptBackRequest, TrackRequest, TransactionTracker } from '../../ports/merchant/transactions.ts';
import type { SettingsView } from '../../ports/settings.ts';
import { ancestorsOf } from './ancestors.ts';
import { decodeTransaction, feeOf, spendersIn } from './decode.ts';
import { type MinerTerms, preChecks } from './pre-checks.ts';
import { readSource, type SourceContent, type SourceTransaction } from './read-source.ts';
import { type OwnTransactions, type SpentOutput, SpentOutputs } from './spent-outputs.ts';
import type { SubmissionOptions, SubmissionResult, Submitter } from './submitter.ts';
import { TransactionUploads } from './uploads.ts';

const MAX_UNREADABLE_LISTED = 100;

/** What is known of the transactions that were submitted from here. */
interface KnownTransactions extends OwnTransactions {
  many(txids: readonly string[]): Promise<ReadonlyMap<string, TrackedTransaction>>;
}

export interface ManualSubmissionOptions {
  network: Network;
  submitter: Submitter;
  tracker: Pick<TransactionTracker, 'keepBack'>;
  transactions: KnownTransactions;
  chainData: ChainData;
  tip: TipSource;
  settings: Pick<SettingsView, 'current'>;
  clock: Clock;
}

interface SubmitAllOptions extends SubmissionOptions {
  readonly origin: TransactionOrigin;
  readonly label?: string;
  readonly force?: boolean;
  /** Checks that are left out. */
  readonly skip?: readonly PreCheck['code'][];
}

interface Prepared {
  readonly requests: readonly TrackRequest[];
  readonly keptBack: readonly KeptBackRequest[];
  /** The checks that each transaction fails, of those kept back as well, parents first. */
  readonly failed: readonly (readonly [txid: string, failed: PreCheck[]])[];
}

/** Transactions that a person or another program hands over to be decoded and submitted. */
export class ManualSubmission implements Serves<typeof submissionContract> {
  readonly #options: ManualSubmissionOptions;
  readonly #uploads: TransactionUploads;
  readonly #spent: SpentOutputs;

  constructor(options: ManualSubmissionOptions) {
    this.#options = options;
    this.#uploads = new TransactionUploads(options.clock);
    this.#spent = new SpentOutputs(options.chainData, options.transactions);
  }

  /** @throws PlanchetError `not-found`, `invalid-input` */
  upload(input: { uploadId?: string | undefined; piece: Blob }): Promise<{ uploadId: string; bytes: number }> {
    return this.#uploads.append(input);
  }

  /** @throws PlanchetError `not-found` for an upload that was dropped */
  async decode({ source, offset, limit }: z.output<typeof decodeInputSchema>): Promise<DecodedPage> {
    const content = await this.#read(source);
    const page = content.transactions.slice(offset, offset + limit);
    return {
      total: content.transactions.length,
      bytes: content.transactions.reduce((sum, { raw }) => sum + raw.length, 0),
      transactions: await this.decodeFound(page, content.transactions),
      unreadable: content.unreadable
        .slice(0, MAX_UNREADABLE_LISTED)
        .map(({ place, error }) => ({ place, failure: error.toFailure() })),
    };
  }

  /** Decodes transactions that were read. @param among all that came with them, where their inputs may come from */
  async decodeFound(
    page: readonly SourceTransaction[],
    among: readonly SourceTransaction[] = page,
  ): Promise<DecodedTransaction[]> {
    const { transactions, settings, tip, clock, network } = this.#options;
    const { spent, checks } = await this.#check(page, among, undefined);
    const known = await transactions.many(page.map(({ txid }) => txid));
    const height = tip.current()?.height;
    const { maxFeeRate } = settings.current();
    const nextHeight = height === undefined ? null : height + 1;
    const context = { network, maxFeeRate, nextHeight, now: clock.now(), spenders: spendersIn(among) };
    return page.map((transaction) =>
      decodeTransaction(
        transaction,
        spent.get(transaction.txid) ?? [],
        checks.get(transaction.txid) ?? [],
        known.get(transaction.txid)?.state ?? null,
        context,
      ),
    );
  }

  /** @throws PlanchetError `not-found` */
  async inscribed(input: { source: TransactionSource; txid: string; output: number }): Promise<Blob> {
    const { transactions } = await this.#read(input.source);
    const script = transactions.find(({ txid }) => txid === input.txid)?.tx.outputs[input.output]?.script;
    const inscription = script && readInscription(script);
    if (inscription === undefined) throw new PlanchetError('merchant.transaction-not-in-source', { txid: input.txid });
    return new Blob([new Uint8Array(inscription.content)], { type: inscription.contentType });
  }

  /** @throws PlanchetError `invalid-input` where a part of the source is unreadable; nothing is sent then */
  async submit(input: z.output<typeof submissionInputSchema>): Promise<SubmittedTransaction[]> {
    const { source, minerIds, strategy, options: miner, label, force, offset, limit } = input;
    const content = await this.#read(source);
    const [unreadable] = content.unreadable;
    if (unreadable !== undefined) throw unreadable.error;
    if (content.transactions.length === 0) throw new PlanchetError('merchant.nothing-to-submit');
    const wanted = input.txids && new Set(input.txids);
    const part = parentsFirst(content.transactions)
      .filter(({ txid }) => wanted?.has(txid) ?? true)
      .slice(offset, limit && offset + limit);
    const options = { origin: 'manual', minerIds, strategy, miner, label, force } as const;
    return this.submitAll(part, options, await this.#sentParents(part, content.transactions));
  }

  /**
   * Checks transactions and submits those that pass, parents first. What spends one that was kept back is kept back as well.
   * @param options.force sends what fails a check that may be left out
   * @param sent transactions of the same source that were sent before
   */
  async submitAll(
    found: readonly SourceTransaction[],
    options: SubmitAllOptions,
    sent: readonly SourceTransaction[] = [],
  ): Promise<SubmittedTransaction[]> {
    // Two steps, so that while thousands are sent, the memory that their checks needed is free.
    return this.#send(await this.#prepare(found, options, sent), options);
  }

  async #prepare(
    found: readonly SourceTransaction[],
    { origin, minerIds, label, force, skip = [] }: SubmitAllOptions,
    sent: readonly SourceTransaction[],
  ): Promise<Prepared> {
    const ordered = parentsFirst(found);
    const { spent, checks } = await this.#check(ordered, [...ordered, ...sent], minerIds);
    const keptBack = new Map<string, KeptBackRequest>();
    const requests: TrackRequest[] = [];
    const failed: [string, PreCheck[]][] = [];
    for (const { txid, tx, raw } of ordered) {
      const failing = (checks.get(txid) ?? []).filter(({ code }) => !skip.includes(code));
      failed.push([txid, failing]);
      const isKept = failing.some(({ skippable }) => !skippable || force !== true);
      const fee = feeOf(tx, spent.get(txid) ?? []);
      const request = { rawTx: raw, origin, label, fee: fee !== null && fee >= 0 ? fee : undefined };
      if (isKept || tx.inputs.some((input) => keptBack.has(input.txid)))
        keptBack.set(txid, { ...request, reason: keptBackReason(failing) });
      else requests.push(request);
    }
    return { requests, keptBack: [...keptBack.values()], failed };
  }

  async #send(
    { requests, keptBack, failed }: Prepared,
    { minerIds, strategy, miner }: SubmitAllOptions,
  ): Promise<SubmittedTransaction[]> {
    const { submitter, tracker } = this.#options;
    if (keptBack.length > 0) await tracker.keepBack(keptBack);
    const results =
      requests.length === 0 ? [] : await submitter.submit(requests, { minerIds, strategy, ...(miner && { miner }) });
    const submitted = new Map((await this.#submitted(results)).map((result) => [result.txid, result]));
    return failed.map(([txid, checks]) => {
      const result = submitted.get(txid);
      return result === undefined ? keptBackResult(txid, checks) : { ...result, checks };
    });
  }

  /** @throws PlanchetError `not-found` for a transaction that was not submitted from here */
  async retry(input: { txids: string[]; minerIds?: string[] | undefined }): Promise<SubmittedTransaction[]> {
    const { transactions, submitter } = this.#options;
    const raws = await transactions.rawOf(input.txids);
    const found = input.txids.map((txid) => {
      const raw = raws.get(txid);
      if (raw === undefined) throw new PlanchetError('merchant.transaction-unknown', { txid });
      return { txid, raw, tx: parseTx(raw, true) };
    });
    const known = await transactions.many(input.txids);
    const requests = parentsFirst(found).map(({ txid, raw }) => ({
      rawTx: raw,
      origin: known.get(txid)?.origin ?? 'manual',
    }));
    return this.#submitted(await submitter.submit(requests, { minerIds: input.minerIds }));
  }

  close(): void {
    this.#uploads.close();
  }

  #read(source: TransactionSource): Promise<SourceContent> {
    return 'text' in source ? readSource(source.text) : this.#uploads.read(source.uploadId);
  }

  /** What each of the transactions spends, and which checks it fails. */
  async #check(
    transactions: readonly SourceTransaction[],
    among: readonly SourceTransaction[],
    minerIds: readonly string[] | undefined,
  ): Promise<{ spent: ReadonlyMap<string, readonly SpentOutput[]>; checks: ReadonlyMap<string, PreCheck[]> }> {
    const { chainData } = this.#options;
    const spent = await this.#spent.of(transactions, among);
    const terms = await this.#terms(minerIds);
    const ordered = parentsFirst(transactions);
    const ancestors = await ancestorsOf(chainData, ordered, spent);
    const checks = new Map<string, PreCheck[]>();
    for (const transaction of ordered) {
      const { txid } = transaction;
      const maxFee = this.#options.settings.current().maxFeeSatoshis;
      const context = { terms, ancestors: ancestors.get(txid) ?? 0, maxFee };
      const failed = preChecks(transaction, spent.get(txid) ?? [], context);
      const isKnown = failed.some(({ code }) => code === 'input-missing') && (await this.#isKnown(txid));
      checks.set(txid, isKnown ? [] : failed);
    }
    return { spent, checks };
  }

  /** The parents of a part of a source that went with an earlier part; the node may not have them yet. */
  async #sentParents(
    part: readonly SourceTransaction[],
    all: readonly SourceTransaction[],
  ): Promise<SourceTransaction[]> {
    const here = new Set(part.map(({ txid }) => txid));
    const spent = new Set(part.flatMap(({ tx }) => tx.inputs.map(({ txid }) => txid)));
    const parents = all.filter(({ txid }) => spent.has(txid) && !here.has(txid));
    const known = await this.#options.transactions.many(parents.map(({ txid }) => txid));
    return parents.filter(({ txid }) => {
      const state = known.get(txid)?.state;
      return state !== undefined && !['failed', 'kept-back', 'double-spent'].includes(state);
    });
  }

  /** Quotes of the miners; none where one of them gives no quote, since it may take what the others refuse. */
  async #terms(minerIds: readonly string[] | undefined): Promise<MinerTerms[]> {
    const endpoints = this.#options.submitter.endpoints(minerIds);
    const told = await Promise.allSettled(
      endpoints.map(async (endpoint) => ({ name: endpoint.name, quote: await endpoint.quote() })),
    );
    return told.every(({ status }) => status === 'fulfilled')
      ? told.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
      : [];
  }

  /** Whether a transaction is known already, which explains why its coins are spent. */
  async #isKnown(txid: string): Promise<boolean> {
    try {
      return (await this.#options.chainData.transaction(txid)).basis !== 'unknown';
    } catch {
      return false;
    }
  }

  async #submitted(results: readonly SubmissionResult[]): Promise<SubmittedTransaction[]> {
    const known = await this.#options.transactions.many(results.map(({ txid }) => txid));
    return results.map(({ txid, answers }) => {
      const tracked = known.get(txid);
      const reason = tracked?.reason ?? null;
      return {
        txid,
        state: tracked?.state ?? 'queued',
        sent: true,
        reason,
        advice: reason === null || reason.advice === '' ? null : reason.advice,
        checks: [],
        endpoints: [...answers],
      };
    });
  }
}

function keptBackResult(txid: string, checks: PreCheck[]): SubmittedTransaction {
  const reason = keptBackReason(checks);
  return { txid, state: 'kept-back', sent: false, reason, advice: reason.advice, checks, endpoints: [] };
}

function keptBackReason(checks: readonly PreCheck[]): TransactionReason {
  const code = checks[0]?.code ?? 'parent-kept-back';
  const [first = phrase('check.parent-kept-back'), ...more] = checks.map(({ sentence }) => sentence);
  const sentence = allOf([first, ...more]);
  return {
    code,
    text: phraseText(sentence),
    advice: phraseTexts[`advice.${code}`],
    retriedByItself: false,
    sentence,
  };
}
