import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { txidOf } from '../../../../chain/index.ts';
import { type MinerQuote, PlanchetError } from '../../../../contract/index.ts';
import { foreignBounds, jsonOf } from '../../../foreign-json.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { MinerEndpoint, MinerVerdict, NamedMiner, OutgoingTransaction } from '../../../ports/merchant/miners.ts';
import type { KnownTransactions } from '../../../ports/merchant/transactions.ts';
import { extendedForm, unminedAncestors } from '../arc/complete-forms.ts';
import { ArcPolicy, complaintOf } from '../arc/policy.ts';
import {
  type Answer,
  answerSchema,
  failedVerdict,
  NO_ANSWER,
  readArcStatus,
  silent,
  verdictOf,
} from '../arc/verdicts.ts';
import { failedAnswer, type HttpAnswer, MinerHttp, type MinerHttpOptions } from '../miner-http.ts';

const BINARY = 'application/octet-stream';
/** The stream of states says something each 15 seconds. */
const SILENT_MS = 45_000;
/** Transactions of one request whose unmined ancestors are sent once more. */
const MAX_COMPLETED = 100;
/** Statuses of ARC for transactions; those of HTTP are below. */
const FIRST_OF_TRANSACTIONS = 460;
/** By which Arcade wraps a refusal whose reason stands in the text; ARC has 409 for that. */
const [GENERIC, GENERIC_OF_ARC] = [467, 409];

const batchSchema = z.object({ submitted: z.number().int().min(0), duplicates: z.number().int().min(0) });
const problemSchema = z.object({
  status: z.number().int().catch(0),
  reason: z.string().nullish(),
  error: z.string().nullish(),
});

export interface ArcadeEndpointOptions extends MinerHttpOptions {
  miner: NamedMiner;
  clock: Clock;
  /** Where what a transaction spends is found. */
  known?: KnownTransactions;
}

/**
 * A miner behind Arcade, version 2, the successor of ARC: transactions in the extended format, no BEEF, and a stream of states. It takes a
 * transaction before it looks at it, so a submission says no more than that it has it.
 */
export class ArcadeEndpoint implements MinerEndpoint {
  readonly id: string;
  readonly name: string;
  readonly kind = 'arcade';
  readonly #http: MinerHttp;
  readonly #options: ArcadeEndpointOptions;
  readonly #policy: ArcPolicy;
  /** By which the stream tells of what was submitted here in this run. */
  readonly #token = randomBytes(16).toString('hex');
  /** Of the last event, in nanoseconds by Arcade's clock. */
  #lastEvent = '';

  constructor(options: ArcadeEndpointOptions) {
    this.id = options.miner.id;
    this.name = options.miner.name;
    this.#http = arcadeHttp(options);
    this.#options = options;
    this.#policy = new ArcPolicy(this.#http, options);
  }

  /** See {@link MinerEndpoint.quote}. */
  quote(remaining = 0): Promise<MinerQuote> {
    return this.#policy.quote(remaining);
  }

  /** See {@link MinerEndpoint.complaint}. */
  complaint(): Promise<string | null> {
    return complaintOf(this.#http);
  }

  /** See {@link MinerEndpoint.submit}. Where Arcade lacks a parent, the unmined ancestors that are known here are sent, and it again. */
  async submit(transactions: readonly OutgoingTransaction[]): Promise<MinerVerdict[]> {
    const verdicts = await this.#send(transactions);
    const { known } = this.#options;
    if (known === undefined) return verdicts;
    let left = MAX_COMPLETED;
    for (const [index, one] of transactions.entries()) {
      if (!lacksParents(verdicts[index]) || left-- <= 0) continue;
      const ancestors = await unminedAncestors(one.rawTx, known);
      if (ancestors.length === 0) continue;
      const before = ancestors.map((rawTx) => ({ txid: txidOf(rawTx), rawTx }));
      try {
        const again = await this.#send([...before, one]);
        verdicts[index] = again.at(-1) as MinerVerdict;
      } catch (error) {
        // what it said first still stands
        if (!(error instanceof PlanchetError)) throw error;
      }
    }
    return verdicts;
  }

  /** See {@link MinerEndpoint.status}. It knows what was submitted to it, and nothing else. */
  async status(txid: string): Promise<MinerVerdict> {
    const answer = await this.#http.call(`/tx/${encodeURIComponent(txid)}`, foreignBounds.minerVerdict);
    if (answer.status === 404) return { ...silent, txid, status: 'unknown', word: 'UNKNOWN', raw: answer.text };
    return verdictOf(txid, readArcade(answer), answer.text);
  }

  /** See {@link MinerEndpoint.follow}. */
  async follow(take: (verdict: MinerVerdict) => Promise<void>, signal: AbortSignal): Promise<void> {
    const resume: Record<string, string> = this.#lastEvent === '' ? {} : { 'last-event-id': this.#lastEvent };
    const events = this.#http.events(`/events?callbackToken=${this.#token}`, resume, { silentMs: SILENT_MS, signal });
    for await (const { id, event, data } of events) {
      const verdict = event === 'status' ? readArcStatus(jsonOf(data), data) : undefined;
      if (verdict !== undefined) await take(verdict);
      this.#lastEvent = id;
    }
  }

  async #send(transactions: readonly OutgoingTransaction[]): Promise<MinerVerdict[]> {
    const [only] = transactions;
    if (only === undefined) return [];
    const bodies = await Promise.all(transactions.map(({ rawTx }) => this.#formOf(rawTx)));
    const body = { type: BINARY, content: Buffer.concat(bodies) } as const;
    const headers = { 'X-CallbackToken': this.#token };
    if (transactions.length === 1) {
      const answer = await this.#http.call('/tx', foreignBounds.minerVerdict, body, headers);
      return [verdictOf(only.txid, readArcade(answer), answer.text)];
    }
    const answer = await this.#http.call('/txs', foreignBounds.minerVerdict, body, headers);
    const counts = answer.status < 300 ? batchSchema.safeParse(jsonOf(answer.text)).data : undefined;
    if (counts !== undefined && counts.submitted + counts.duplicates >= transactions.length)
      return transactions.map(({ txid }) => ({
        ...silent,
        txid,
        status: 'accepted',
        word: 'RECEIVED',
        raw: answer.text,
      }));
    // It does not say which it left out: each is asked about alone, as it takes what it has a second time.
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
    const { known } = this.#options;
    return (known && (await extendedForm(rawTx, known))) ?? rawTx;
  }
}

/** Requests to an Arcade. */
export function arcadeHttp(options: MinerHttpOptions): MinerHttp {
  return new MinerHttp(options);
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

function lacksParents(verdict: MinerVerdict | undefined): boolean {
  return verdict?.word === 'PENDING_RETRY' || verdict?.reason?.code === 'missing-inputs';
}
