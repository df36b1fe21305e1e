import type { z } from 'zod';
import { toHex } from '../../../chain/index.ts';
import {
  type Contract,
  type Failure,
  PlanchetError,
  type SearchHit,
  type Serves,
  type WriterDocument,
  type WriterDocumentPage,
  type WriterDocumentView,
  type WriterKey,
  type WriterRetryResult,
  type WriterStatus,
  type WriterUsageHour,
  writerStates,
  type writerWriteInputSchema,
} from '../../../contract/index.ts';
import { isOver } from '../../async/left-until.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Events } from '../../ports/events.ts';
import type { SettingsView } from '../../ports/settings.ts';
import type { AcceptLog } from '../acceptance/accept-log.ts';
import type { DataCipher } from '../acceptance/data-cipher.ts';
import { readDocument, readHead } from '../acceptance/request-document.ts';
import type { DeadLetterRetry } from '../dead-letters/retry.ts';
import type { KeyRing, KeyRow } from '../keys/key-ring.ts';
import type { WritePipeline } from '../pipeline/pipeline.ts';
import type { AdmissionLimiter } from '../queue/admission-limiter.ts';
import type { WriteQueue } from '../queue/queue.ts';
import { oldestOpen, openCounts, totalsOf } from '../queue/queue-figures.ts';
import { WriteError } from '../write-errors.ts';
import type { DocumentReader } from './document-reader.ts';
import { findDocuments } from './find-documents.ts';
import { type DocumentView, type ListQuery, timelineOf } from './listing.ts';

/** Changes that follow each other closely are shown once. */
const PUBLISH_EVERY_MS = 500;
/** The rate is taken over this time. */
const RATE_MS = 10_000;
/** How much of a body a page shows. */
const VISIBLE_BYTES = 65_536;

/** The writer's parts, while it runs. */
export interface WriterParts {
  readonly queue: WriteQueue;
  readonly log: AcceptLog;
  readonly limiter: AdmissionLimiter;
  readonly keys: KeyRing;
  readonly cipher: DataCipher;
  readonly pipeline: WritePipeline;
  readonly reader: DocumentReader;
  readonly deadLetterRetry: DeadLetterRetry;
  /** Why nothing of a key, or of any where none is named, can be paid for now; undefined where it can. */
  readonly unready: (keyId?: string) => Failure | undefined;
}

export interface WriterViewOptions {
  running: () => WriterParts | undefined;
  events: Events;
  clock: Clock;
  settings: SettingsView;
}

type DocumentsQuery = Omit<ListQuery, 'keyIds'> & { keyId?: string | undefined };

/** What the console shows of the writer and does with it. Every call fails with `not-running` while the writer stands still. */
export class WriterView implements Serves<Contract['writer']> {
  readonly documents = {
    list: async (query: DocumentsQuery): Promise<WriterDocumentPage> => {
      const { reader, keys } = this.#parts();
      const { keyId, tag, ...rest } = query;
      const keyIds = keyId === undefined ? await keys.ids() : [keyId];
      const hex = tag === undefined ? undefined : Buffer.from(tag, 'utf8').toString('hex');
      const { documents, next } = await reader.list({ ...rest, tag: hex, keyIds });
      return { documents: documents.map(withActions), next };
    },
    /** @param id of the document, or its txid */
    get: async ({ id }: { id: string }): Promise<WriterDocument> => {
      const { reader } = this.#parts();
      const { row, transaction, body, script } = await reader.details(id);
      const visible = body.subarray(0, VISIBLE_BYTES);
      return {
        ...withActions(reader.viewOf(row, transaction)),
        body: Buffer.from(visible).toString('base64'),
        bodyIsComplete: visible.length === body.length,
        script: toHex(script.subarray(0, VISIBLE_BYTES)),
        rawTx: transaction === undefined || transaction.state === 'funded' ? null : toHex(transaction.raw_tx),
        timeline: timelineOf(row, transaction),
        proof: transaction?.proof ?? null,
      };
    },
  } satisfies Serves<Contract['writer']['documents']>;

  readonly dead = {
    list: (query) => this.documents.list({ ...query, state: 'dead' }),
    /** Takes dead documents up again. See {@link DeadLetterRetry}. */
    retry: async ({ ids }: { ids?: readonly string[] | undefined }): Promise<WriterRetryResult> => {
      const { pipeline, deadLetterRetry } = this.#parts();
      const replayed = await deadLetterRetry.run(ids);
      pipeline.retryNow();
      this.changed();
      return replayed;
    },
  } satisfies Serves<Contract['writer']['dead']>;

  readonly keys = {
    list: async () => (await this.#parts().keys.list()).map(keyView),
    register: async ({ apiKey }: { apiKey: string }) => keyView(await this.#parts().keys.register(apiKey.trim())),
    revoke: ({ keyId }: { keyId: string }) => this.#parts().keys.revoke(keyId),
  } satisfies Serves<Contract['writer']['keys']>;

  readonly #options: WriterViewOptions;
  #cancelPublish: (() => void) | undefined;
  #samples: { at: number; accepted: number; written: number }[] = [];

  constructor(options: WriterViewOptions) {
    this.#options = options;
  }

  start(): void {
    this.#samples = [];
    this.changed();
  }

  stop(): void {
    this.#cancelPublish?.();
    this.#cancelPublish = undefined;
  }

  /** Shows the new state soon, at most twice a second. */
  changed(): void {
    const { clock, events } = this.#options;
    this.#cancelPublish ??= clock.after(PUBLISH_EVERY_MS, () => {
      this.#cancelPublish = undefined;
      if (this.#options.running() === undefined) return;
      this.status().then(
        (writer) => events.publish({ type: 'writer', writer }),
        // The next change shows it.
        () => undefined,
      );
    });
  }

  async status(): Promise<WriterStatus> {
    const { queue, pipeline, unready } = this.#parts();
    const { settings, clock } = this.#options;
    const open = await openCounts(queue);
    const totals = await totalsOf(queue);
    const states = Object.fromEntries(
      writerStates.names.map((state) => [state, open[state] ?? 0]),
    ) as WriterStatus['states'];
    const notProven = Object.values(states).reduce((sum, count) => sum + count, 0);
    states.proven = Math.max(0, totals.documents - notProven);
    const oldest = await oldestOpen(queue);
    const notReady = unready();
    const degraded = notReady ?? pipeline.degraded;
    const isTried = notReady === undefined && degraded !== undefined;
    return {
      states,
      documents: totals.documents,
      bytes: totals.bytes,
      ...this.#rates(totals.documents, states),
      oldestOpenSince: oldest ?? null,
      spentToday: await queue.spentToday(),
      dailySpend: settings.current().writerDailySpend,
      funding: settings.current().writerFunding,
      database: queue.dialect,
      degraded: degraded ?? null,
      nextAttemptAt: (isTried ? pipeline.nextAttemptAt : undefined) ?? null,
      at: clock.now(),
    };
  }

  /** Documents by id, txid or the beginning of their tag; none while the writer stands still. */
  async find(text: string, limit: number): Promise<SearchHit[]> {
    const parts = this.#options.running();
    return parts === undefined ? [] : findDocuments(parts.queue, await parts.keys.ids(), text, limit);
  }

  /** The keys that may write, by what tells them apart; none while the writer stands still. */
  async namedKeys(): Promise<{ id: string; name: string; place: string }[]> {
    const rows = (await this.#options.running()?.keys.list()) ?? [];
    return rows
      .filter(({ revoked_at }) => revoked_at === null)
      .map(({ key_id, label, address }) => ({ id: key_id, name: label, place: address }));
  }

  async usage(): Promise<WriterUsageHour[]> {
    const { reader, keys } = this.#parts();
    return (await reader.usage(await keys.ids())).map((row) => ({ ...row, hour: Date.parse(row.hour) }));
  }

  /**
   * Writes one document, as the try-it form and the command line do.
   * @param keyId where none is named, the first that can be paid for: the network's own before those registered
   * @throws PlanchetError `api-key-missing` also for a revoked key, `wallet-missing`, `conflict`, `invalid-input`, `file-too-large`
   */
  async write(input: z.output<typeof writerWriteInputSchema>): Promise<WriterDocument> {
    const { log, keys, cipher, pipeline, limiter, unready } = this.#parts();
    const { writerFunding, writerAnyContentType, writerMaxBytes } = this.#options.settings.current();
    const valid = await keys.valid();
    const keyId = input.keyId ?? valid.find((id) => unready(id) === undefined) ?? valid[0];
    if (keyId === undefined || !valid.includes(keyId)) throw new PlanchetError('writer.no-api-key');
    const why = unready(keyId);
    const unreadyId = writerFunding === 'wallet' ? 'writer.wallet-not-ready' : 'writer.api-key-not-ready';
    if (why !== undefined) throw new PlanchetError(unreadyId, { reason: [why] });
    try {
      const headers = {
        'content-type': input.contentType,
        'x-mode': input.mode,
        ...(input.tag === undefined ? {} : { 'x-tag': Buffer.from(input.tag, 'utf8').toString('latin1') }),
        ...(input.idempotencyKey === undefined ? {} : { 'idempotency-key': input.idempotencyKey }),
      };
      const body = Buffer.from(input.body, 'utf8');
      if (body.length > writerMaxBytes) throw new PlanchetError('writer.document-too-large', { bytes: body.length });
      const leave = limiter.admit(body.length);
      try {
        const head = readHead(headers, { anyContentType: writerAnyContentType });
        const document = await readDocument(head, body, keyId, cipher);
        const { row, outcome } = await log.accept(document);
        if (outcome === 'conflict') throw new PlanchetError('writer.idempotency-key-used');
        if (outcome === 'new') limiter.documentAccepted();
        pipeline.accepted();
        if (input.wait !== 'accepted') await pipeline.waiters.settled(row, input.wait, input.waitMs);
        return await this.documents.get(row);
      } finally {
        leave();
      }
    } catch (error) {
      if (!(error instanceof WriteError)) throw error;
      // A full disk or queue is no fault of the document.
      if (error.status === 429 || error.status >= 500) throw error.told;
      throw new PlanchetError('writer.document-malformed', { reason: error.message });
    }
  }

  /** Documents a second over the last ten, as they came in and as they reached a miner. */
  #rates(accepted: number, states: WriterStatus['states']): { acceptedRate: number; writtenRate: number } {
    const now = this.#options.clock.now();
    const waiting = states.accepted + states.funded + states.signed;
    this.#samples = this.#samples.filter(({ at }) => !isOver(RATE_MS, at, now));
    this.#samples.push({ at: now, accepted, written: accepted - waiting });
    const [first] = this.#samples;
    const seconds = first === undefined ? 0 : (now - first.at) / 1_000;
    if (first === undefined || seconds <= 0) return { acceptedRate: 0, writtenRate: 0 };
    return {
      acceptedRate: Math.max(0, (accepted - first.accepted) / seconds),
      writtenRate: Math.max(0, (accepted - waiting - first.written) / seconds),
    };
  }

  #parts(): WriterParts {
    const parts = this.#options.running();
    if (parts !== undefined) return parts;
    throw new PlanchetError('writer.not-running');
  }
}

/** Adds which actions are possible, so that no view repeats the rule. */
function withActions(document: DocumentView): WriterDocumentView {
  return { ...document, canRetry: document.state === 'dead' };
}

function keyView({ key_id, label, public_key, address, created_at, revoked_at }: KeyRow): WriterKey {
  return { keyId: key_id, label, publicKey: public_key, address, createdAt: created_at, revokedAt: revoked_at };
}
