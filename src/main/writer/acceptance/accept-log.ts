import type { Network } from '../../../contract/index.ts';
import { Groups } from '../../async/groups.ts';
import type { Clock } from '../../ports/clock.ts';
import {
  type AcceptedDocument,
  type DocumentStore,
  onPostgres,
  type StoreGroup,
} from '../storage/accepted-documents.ts';
import { type DocumentRow, IdSource, type NewDocument } from '../storage/document.ts';

/** Documents that share one commit at most, and their bytes: one statement has room for so many values, one commit for so much time. */
const MAX_GROUP = 400;
const MAX_GROUP_BYTES = 8_000_000;
/** No miner limits scripts to less. */
const LARGE_BYTES = 100_000;
/** Tags told apart in the usage of one hour; more are counted together, so that a tag per document does not fill the table. */
const MAX_TAGS_AN_HOUR = 200;
const HOUR_MS = 3_600_000;

export interface Accepted {
  readonly row: DocumentRow;
  /** The idempotency key was used for this row before: `same` document or another. */
  readonly outcome: 'new' | 'repeated' | 'conflict';
}

/**
 * Takes documents in. All that arrive while one group is written to the disk make the next group, so that many share one fsync; each is
 * on the disk when its promise resolves.
 */
export class AcceptLog {
  readonly #refuse: ((body: Uint8Array) => Promise<void>) | undefined;
  readonly #storeGroup: StoreGroup;
  readonly #network: Network;
  readonly #clock: Clock;
  readonly #ids: IdSource;
  readonly #groups: Groups<NewDocument, Accepted>;
  #waitingBytes = 0;
  #tags = { hour: 0, known: new Set<string>() };

  /** @param refuse rejects for a document that no miner would take; asked of large ones alone */
  constructor(store: DocumentStore, network: Network, clock: Clock, refuse?: (body: Uint8Array) => Promise<void>) {
    this.#refuse = refuse;
    this.#storeGroup = store.storeGroup ?? onPostgres(store.db);
    this.#network = network;
    this.#clock = clock;
    this.#ids = new IdSource(() => clock.now());
    this.#groups = new Groups({
      write: (group) => this.#store(group),
      most: MAX_GROUP,
      maxSize: MAX_GROUP_BYTES,
      sizeOf: ({ body }) => body.length,
    });
  }

  /** Bytes of documents that are not on the disk yet. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /**
   * Stores a document, unless its idempotency key is known.
   * @throws the database's error, WriteError for one that no miner would take; nothing is stored then
   */
  accept(document: NewDocument): Promise<Accepted> {
    if (document.body.length > LARGE_BYTES && this.#refuse !== undefined)
      return this.#refuse(document.body).then(() => this.#take(document));
    return this.#take(document);
  }

  #take(document: NewDocument): Promise<Accepted> {
    this.#waitingBytes += document.body.length;
    return this.#groups.add(document);
  }

  /** Resolves when everything handed in is on the disk or refused. */
  idle(): Promise<void> {
    return this.#groups.idle();
  }

  async #store(group: readonly NewDocument[]): Promise<Accepted[]> {
    try {
      const accepted = group.map((document) => this.#acceptedOf(document));
      const storing = this.#storeGroup(accepted);
      const stored = storing instanceof Promise ? await storing : storing;
      return accepted.map(({ row }, index) => outcomeOf(row, stored[index]));
    } finally {
      for (const { body } of group) this.#waitingBytes -= body.length;
    }
  }

  #acceptedOf(document: NewDocument): AcceptedDocument {
    const row = this.#rowOf(document);
    const countedHour = Math.floor(row.created_at / HOUR_MS) * HOUR_MS;
    if (this.#tags.hour !== countedHour) this.#tags = { hour: countedHour, known: new Set() };
    return { row, body: document.body, countedHour, countedTag: this.#countedTag(row.tag ?? '') };
  }

  #countedTag(tag: string): string {
    const { known } = this.#tags;
    if (known.has(tag)) return tag;
    if (known.size >= MAX_TAGS_AN_HOUR) return '';
    known.add(tag);
    return tag;
  }

  #rowOf(document: NewDocument): DocumentRow {
    const now = this.#clock.now();
    return {
      id: this.#ids.next(),
      network: this.#network,
      key_id: document.keyId,
      idempotency_key: document.idempotencyKey ?? null,
      digest: document.digest,
      tag: document.tag === undefined ? null : Buffer.from(document.tag).toString('hex'),
      content_type: document.contentType,
      body_bytes: document.body.length,
      fees_required: document.feesRequired ? 1 : 0,
      state: 'accepted',
      transaction_id: null,
      vout: null,
      attempts: 0,
      next_attempt_at: now,
      claim: null,
      last_error: null,
      last_failure: null,
      dead_code: null,
      created_at: now,
      updated_at: now,
    };
  }
}

function outcomeOf(row: DocumentRow, stored: DocumentRow | undefined): Accepted {
  if (stored === undefined) throw new Error('a document was not stored');
  if (stored === row) return { row, outcome: 'new' };
  return { row: stored, outcome: stored.digest === row.digest ? 'repeated' : 'conflict' };
}
