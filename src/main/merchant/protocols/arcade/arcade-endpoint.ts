import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { txidOf } from '../../../../chain/index.ts';
import { PlanchetError } from '../../../../contract/index.ts';
import { foreignBounds, jsonOf } from '../../../foreign-json.ts';
import type { MinerVerdict, OutgoingTransaction } from '../../../ports/merchant/miners.ts';
import { ArcStyleEndpoint, type ArcStyleOptions } from '../arc/arc-style-endpoint.ts';
import { extendedForm, unminedAncestors } from '../arc/complete-forms.ts';
import {
  type Answer,
  answerSchema,
  failedVerdict,
  NO_ANSWER,
  readArcStatus,
  silent,
  verdictOf,
} from '../arc/verdicts.ts';
import { failedAnswer, type HttpAnswer, MinerHttp } from '../miner-http.ts';

const BINARY = 'application/octet-stream';
/** The stream of states sends something every 15 seconds. */
const SILENT_MS = 45_000;
/** Statuses of ARC for transactions; those of HTTP are below. */
const FIRST_OF_TRANSACTIONS = 460;
/** The status under which Arcade reports a refusal whose reason is in the text; ARC uses 409 for that. */
const [GENERIC, GENERIC_OF_ARC] = [467, 409];

const batchSchema = z.object({ submitted: z.number().int().min(0), duplicates: z.number().int().min(0) });
const problemSchema = z.object({
  status: z.number().int().catch(0),
  reason: z.string().nullish(),
  error: z.string().nullish(),
});

/**
 * A miner behind Arcade, version 2, the successor of ARC: transactions in the extended format, no BEEF, and a stream of states. It accepts a
 * transaction before it validates it, so the answer to a submission says only that it arrived.
 */
export class ArcadeEndpoint extends ArcStyleEndpoint {
  readonly kind = 'arcade';
  protected readonly read = readArcade;
  /** Makes the stream report what was submitted here in this run. */
  readonly #token = randomBytes(16).toString('hex');
  /** Of the last event, in nanoseconds by Arcade's clock. */
  #lastEvent = '';

  constructor(options: ArcStyleOptions) {
    super(new MinerHttp(options), options);
  }

  /** See {@link MinerEndpoint.submit}. Where Arcade lacks a parent, the unmined ancestors that are known here are sent, and it again. */
  async submit(transactions: readonly OutgoingTransaction[]): Promise<MinerVerdict[]> {
    const verdicts = await this.#send(transactions);
    return this.complete(transactions, verdicts, lacksParents, async (one, known) => {
      const ancestors = await unminedAncestors(one.rawTx, known);
      if (ancestors.length === 0) return undefined;
      const before = ancestors.map((rawTx) => ({ txid: txidOf(rawTx), rawTx }));
      return (await this.#send([...before, one])).at(-1);
    });
  }

  /** See {@link MinerEndpoint.follow}. */
  async follow(take: (verdict: MinerVerdict) => Promise<void>, signal: AbortSignal): Promise<void> {
    const resume: Record<string, string> = this.#lastEvent === '' ? {} : { 'last-event-id': this.#lastEvent };
    const events = this.http.events(`/events?callbackToken=${this.#token}`, resume, { silentMs: SILENT_MS, signal });
    for await (const { id, event, data } of events) {
      const verdict = event === 'status' ? readArcStatus(jsonOf(data), data) : undefined;
      if (verdict !== undefined) await take(verdict);
      // a stream that is opened again first tells of a gap, by an event without an id
      if (id !== '') this.#lastEvent = id;
    }
  }

  async #send(transactions: readonly OutgoingTransaction[]): Promise<MinerVerdict[]> {
    const [only] = transactions;
    if (only === undefined) return [];
    const bodies = await Promise.all(transactions.map(({ rawTx }) => this.#formOf(rawTx)));
    const body = { type: BINARY, content: Buffer.concat(bodies) } as const;
    const headers = { 'X-CallbackToken': this.#token };
    if (transactions.length === 1) {
      const answer = await this.http.call('/tx', foreignBounds.minerVerdict, body, headers);
      return [verdictOf(only.txid, readArcade(answer), answer.text)];
    }
    const answer = await this.http.call('/txs', foreignBounds.minerVerdict, body, headers);
    const counts = answer.status < 300 ? batchSchema.safeParse(jsonOf(answer.text)).data : undefined;
    if (counts !== undefined && counts.submitted + counts.duplicates >= transactions.length)
      return transactions.map(({ txid }) => ({
        ...silent,
        txid,
        status: 'accepted',
        word: 'RECEIVED',
        raw: answer.text,
      }));
    // The answer does not say which it left out. Each is sent alone, since Arcade accepts a repetition.
    if (counts !== undefined) return this.#sendOneByOne(transactions);
    const refusal = readArcade(answer);
    return transactions.map(({ txid }) => verdictOf(txid, refusal, answer.text));
  }

  async #sendOneByOne(transactions: readonly OutgoingTransaction[]): Promise<MinerVerdict[]> {
    const verdicts: MinerVerdict[] = [];
    for (const one of transactions)
      verdicts.push(
        ...(await this.#send([one]).catch((error: unknown) => {
          if (!(error instanceof PlanchetError)) throw error;
          return [failedVerdict(one.txid, error, error.code, '')];
        })),
      );
    return verdicts;
  }

  async #formOf(rawTx: Uint8Array): Promise<Uint8Array> {
    return (this.known && (await extendedForm(rawTx, this.known))) ?? rawTx;
  }
}

/** @throws PlanchetError `upstream-error` for what is neither a status nor a refusal of a transaction */
function readArcade(answer: HttpAnswer): Answer {
  if (answer.status >= 500 || NO_ANSWER.has(answer.status)) throw failedAnswer(answer);
  const json = jsonOf(answer.text);
  const read = answerSchema.safeParse(json);
  if (!read.success) throw failedAnswer(answer);
  if (answer.status < 300) {
    if (read.data.txStatus === '') throw new PlanchetError('merchant.answer-no-status');
    return { ...read.data, status: null };
  }
  const { status = 0, reason, error } = problemSchema.safeParse(json).data ?? {};
  const named = status >= FIRST_OF_TRANSACTIONS ? status : answer.status;
  return {
    ...read.data,
    txStatus: '',
    status: named === GENERIC ? GENERIC_OF_ARC : named,
    extraInfo: read.data.extraInfo || reason || error || '',
  };
}

function lacksParents({ word, reason }: MinerVerdict): boolean {
  return word === 'PENDING_RETRY' || reason?.code === 'missing-inputs';
}
