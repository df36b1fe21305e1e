import { createHash, hash, randomBytes } from 'node:crypto';
import type { Selectable } from 'kysely';
import { type Network, writerStates } from '../../../contract/index.ts';
import type { WriterTables } from './tables.ts';

/** Up to so many bytes, copying them for one call that hashes takes less than a hash object does. */
const SMALL_BODY = 4_096;
/** Random bytes of a name, and of how many names they are drawn at once: to draw takes longer than to make the rest of a name. */
const RANDOM_BYTES = 7;
const DRAWN_NAMES = 256;

export type DocumentRow = Selectable<WriterTables['writer_documents']>;
export type TransactionRow = Selectable<WriterTables['writer_transactions']>;
export type CoinRow = Selectable<WriterTables['writer_coins']>;

/** A document as it came in; the body is what goes to the chain. */
export interface NewDocument {
  /** See {@link keyIdOf}. */
  readonly keyId: string;
  readonly idempotencyKey: string | undefined;
  readonly tag: Uint8Array | undefined;
  readonly contentType: string;
  readonly body: Uint8Array;
  readonly feesRequired: boolean;
  /** Of what was sent, see {@link digestOf}. */
  readonly digest: string;
}

/** Names an API key without telling it. The same key has another name on another network. */
export function keyIdOf(network: Network, apiKey: string): string {
  return hash('sha256', `${network}:${apiKey}`, 'hex').slice(0, 16);
}

/** Tells whether a request with the same Idempotency-Key asks for the same document. */
export function digestOf(mode: string, contentType: string, tag: Uint8Array | undefined, body: Uint8Array): string {
  // Lengths first, so that no two documents give the same bytes.
  const head = JSON.stringify([
    mode,
    contentType,
    tag === undefined ? null : Buffer.from(tag).toString('hex'),
    body.length,
  ]);
  if (body.length <= SMALL_BODY) return hash('sha256', Buffer.concat([Buffer.from(head), body]), 'hex');
  return createHash('sha256').update(head).update(body).digest('hex');
}

/** Makes names that rise with time, also when the clock is set back. */
export class IdSource {
  readonly #now: () => number;
  #last = 0;
  #count = 0;
  #random = Buffer.alloc(0);
  #used = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  next(): string {
    const now = this.#now();
    if (now > this.#last) {
      this.#last = now;
      this.#count = 0;
    } else this.#count += 1;
    return `${firstIdAt(this.#last).slice(0, 12)}${this.#count.toString(16).padStart(6, '0')}${this.#draw()}`;
  }

  #draw(): string {
    if (this.#used === this.#random.length) {
      this.#random = randomBytes(RANDOM_BYTES * DRAWN_NAMES);
      this.#used = 0;
    }
    this.#used += RANDOM_BYTES;
    return this.#random.toString('hex', this.#used - RANDOM_BYTES, this.#used);
  }
}

/** The lowest id a document of that time (ms) can have. */
export function firstIdAt(time: number): string {
  return `${Math.max(0, Math.floor(time)).toString(16).padStart(12, '0')}${'0'.repeat(20)}`;
}

export function idsOf(rows: readonly { readonly id: string }[]): string[] {
  return rows.map(({ id }) => id);
}

/** Whether a document is where a caller of the plain interface wants it. */
export function isSettled({ state }: Pick<DocumentRow, 'state'>, wanted: 'submitted' | 'mined'): boolean {
  return state === 'dead' || writerStates.is(state, wanted);
}
