import type { z } from 'zod';
import { parseTx, readInscription } from '../../../chain/index.ts';
import {
  type DecodedPage,
  type decodeInputSchema,
  type Network,
  PlanchetError,
  type SubmittedTransaction,
  type submissionInputSchema,
  type TrackedTransaction,
  type TransactionSource,
} from '../../../contract/index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { NodeRpc, TipSource } from '../../ports/node.ts';
import type { SettingsView } from '../../ports/settings.ts';
import { decodeTransaction } from './decode.ts';
import { parentsFirst } from './parents-first.ts';
import { readSource, type SourceContent } from './read-source.ts';
import { type OwnTransactions, SpentOutputs } from './spent-outputs.ts';
import type { SubmissionRequest, SubmissionResult, Submitter } from './submitter.ts';
import { TransactionUploads } from './uploads.ts';

const MAX_UNREADABLE_LISTED = 100;

/** What is known of the transactions that were submitted from here. */
interface KnownTransactions extends OwnTransactions {
  many(txids: readonly string[]): Promise<ReadonlyMap<string, TrackedTransaction>>;
}

export interface ManualSubmissionOptions {
  network: Network;
  submitter: Submitter;
  transactions: KnownTransactions;
  node: NodeRpc;
  tip: TipSource;
  settings: Pick<SettingsView, 'current'>;
  clock: Clock;
}

/** Transactions that a person or another program hands over to be decoded and submitted. */
export class ManualSubmission {
  readonly #options: ManualSubmissionOptions;
  readonly #uploads: TransactionUploads;
  readonly #spent: SpentOutputs;

  constructor(options: ManualSubmissionOptions) {
    this.#options = options;
    this.#uploads = new TransactionUploads(options.clock);
    this.#spent = new SpentOutputs(options.node, options.transactions);
  }

  /** @throws PlanchetError `not-found`, `invalid-input` */
  upload(input: { uploadId?: string | undefined; piece: Blob }): Promise<{ uploadId: string; bytes: number }> {
    return this.#uploads.append(input);
  }

  /** @throws PlanchetError `not-found` for an upload that was dropped */
  async decode({ source, offset, limit }: z.output<typeof decodeInputSchema>): Promise<DecodedPage> {
    const { transactions, settings, tip, clock, network } = this.#options;
    const content = await this.#read(source);
    const page = content.transactions.slice(offset, offset + limit);
    const spent = await this.#spent.of(page, content.transactions);
    const known = await transactions.many(page.map(({ txid }) => txid));
    const height = tip.current()?.height;
    const { maxFeeRate } = settings.current();
    const context = { network, maxFeeRate, nextHeight: height === undefined ? null : height + 1, now: clock.now() };
    return {
      total: content.transactions.length,
      bytes: content.transactions.reduce((sum, { raw }) => sum + raw.length, 0),
      transactions: page.map((transaction) =>
        decodeTransaction(
          transaction,
          spent.get(transaction.txid) ?? [],
          known.get(transaction.txid)?.state ?? null,
          context,
        ),
      ),
      unreadable: content.unreadable
        .slice(0, MAX_UNREADABLE_LISTED)
        .map(({ place, error }) => ({ place, failure: error.toFailure() })),
    };
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
    const { source, minerIds, strategy, options: miner, label } = input;
    const content = await this.#read(source);
    const [unreadable] = content.unreadable;
    if (unreadable !== undefined) throw unreadable.error;
    if (content.transactions.length === 0) throw new PlanchetError('merchant.nothing-to-submit');
    const requests = parentsFirst(content.transactions).map(
      ({ raw }): SubmissionRequest => ({ rawTx: raw, origin: 'manual', label }),
    );
    const results = await this.#options.submitter.submit(requests, { minerIds, strategy, miner });
    return this.#submitted(results);
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
    return readSource('text' in source ? source.text : this.#uploads.read(source.uploadId));
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
