import { type RawBuilder, sql } from 'kysely';
import { dataScript, equalBytes, parseScript, parseTx, type TscProof } from '../../../chain/index.ts';
import { type Failure, PlanchetError, type WriterUsageHour } from '../../../contract/index.ts';
import type { ChainData } from '../../ports/chain-data.ts';
import { type DataCipher, decryptOldForm, ENCRYPTED_TYPE, notOurs } from '../acceptance/data-cipher.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import type { WriteQueue } from '../queue/queue.ts';
import { scriptOf } from '../sending/document-groups.ts';
import type { DocumentRow, TransactionRow } from '../storage/document.ts';
import {
  type DocumentView,
  type ListQuery,
  listDocuments,
  type TransactionPart,
  timelineOf,
  viewOf,
} from './listing.ts';

/** Usage is told for so long back. */
const USAGE_MS = 31 * 86_400_000;

export interface DocumentName {
  /** The journal's name of a document, or the txid of its transaction. */
  readonly idOrTxid: string;
  /** Which output of the transaction, where it writes several documents; the first of the caller's where left out. */
  readonly vout?: number | undefined;
}

export interface DocumentDetails extends DocumentView {
  readonly timeline: readonly { state: DocumentRow['state']; at: string }[];
  readonly proof: TscProof | null;
}

type UsageHour = Omit<WriterUsageHour, 'hour'> & { hour: string };

/** Why all documents wait, and when that is tried again (milliseconds since 1970). */
interface Held {
  readonly degraded: Failure | undefined;
  readonly nextAttemptAt: number | undefined;
}

interface Content {
  readonly contentType: string;
  readonly body: Uint8Array;
}

/** Tag (hex), documents, bytes. */
type TagUsage = [tag: string, documents: number, bytes: number];

/** Reads documents back, from the journal or from the chain. */
export class DocumentReader {
  readonly #queue: WriteQueue;
  readonly #chainData: ChainData;
  readonly #cipher: DataCipher;
  readonly #keys: Pick<KeyRing, 'mayWrite'>;
  readonly #held: Held;

  constructor(
    queue: WriteQueue,
    chainData: ChainData,
    cipher: DataCipher,
    keys: Pick<KeyRing, 'mayWrite'>,
    held: Held,
  ) {
    this.#queue = queue;
    this.#chainData = chainData;
    this.#cipher = cipher;
    this.#keys = keys;
    this.#held = held;
  }

  async list(query: ListQuery): Promise<{ documents: DocumentView[]; next: string | null }> {
    const { documents, next } = await listDocuments(this.#queue, query);
    return { documents: documents.map((view) => this.#withReason(view)), next };
  }

  /** @throws PlanchetError `not-found` also for documents of other keys */
  async get(name: DocumentName, keyId: string): Promise<DocumentDetails> {
    const row = await this.#find(name, keyId);
    if (row === undefined) throw notFound();
    const transaction = await this.#transactionOf(row);
    return {
      ...this.viewOf(row, transaction),
      timeline: timelineOf(row, transaction).map(({ state, at }) => ({ state, at: new Date(at).toISOString() })),
      proof: transaction?.proof == null ? null : (JSON.parse(transaction.proof) as TscProof),
    };
  }

  /** Why a document waits and until when, or why it was given up. What holds all up is noted down with none of those that wait to be paid for. */
  #withReason<View extends Pick<DocumentView, 'state' | 'reason' | 'failure' | 'nextAttemptAt'>>(view: View): View {
    const { degraded: failure, nextAttemptAt } = this.#held;
    if (view.reason !== null || view.state !== 'accepted' || failure === undefined) return view;
    const at = nextAttemptAt === undefined ? null : new Date(nextAttemptAt).toISOString();
    return { ...view, reason: failure.message, failure, nextAttemptAt: at };
  }

  /** What callers see of a document. */
  viewOf(row: DocumentRow, transaction: TransactionPart | undefined): DocumentView {
    return this.#withReason(viewOf(row, transaction));
  }

  /** Everything known of a document, for its page. @throws PlanchetError `not-found` */
  async details(
    id: string,
  ): Promise<{ row: DocumentRow; transaction: TransactionRow | undefined; body: Uint8Array; script: Uint8Array }> {
    const row = await this.#queue.find(id);
    if (row === undefined) throw notFound();
    const body = (await this.#queue.bodies(this.#queue.db, [row.id])).get(row.id) ?? new Uint8Array();
    return { row, transaction: await this.#transactionOf(row), body, script: scriptOf(row, body) };
  }

  /**
   * A document's body as it was written: from the journal for the key's own, else from the chain, where everybody can read. What another
   * key of this machine encrypted is opened for that key alone, as long as it may write.
   * @param secret of clients of an earlier generation (`X-Key`)
   * @throws PlanchetError `not-found`, `proof-invalid` where it cannot be decrypted, `upstream-*`
   */
  async read(name: DocumentName, keyId: string, secret: string | undefined): Promise<Content> {
    const row = await this.#find(name, keyId);
    const stored = row && (await this.#queue.bodies(this.#queue.db, [row.id])).get(row.id);
    const found =
      row && stored ? { contentType: row.content_type, body: stored, vout: row.vout } : await this.#readChain(name);
    if (found.contentType === ENCRYPTED_TYPE) {
      const { keyId: writer, contentType, body } = this.#cipher.decrypt(found.body);
      const isOfAnother =
        writer === undefined
          ? row === undefined && (await this.#isOfAnotherKey(name.idOrTxid, found.vout))
          : writer !== keyId && (await this.#keys.mayWrite(writer));
      if (isOfAnother) throw notOurs();
      return { contentType, body };
    }
    if (secret !== undefined) return { contentType: found.contentType, body: decryptOldForm(found.body, secret) };
    return { contentType: found.contentType, body: Buffer.from(found.body) };
  }

  async usage(keyIds: readonly string[]): Promise<UsageHour[]> {
    const found: UsageHour[] = [];
    for (const { keyId, hour, tags } of await this.#usageByHour(keyIds)) {
      for (const [tag, documents, bytes] of tags) found.push({ keyId, hour, tag: textOf(tag), documents, bytes });
    }
    return found;
  }

  /** As {@link usage}, in JSON: a month of many tags is written without an object for each row. */
  async usageJson(keyIds: readonly string[]): Promise<string> {
    if (this.#queue.dialect === 'sqlite') return this.#usageWritten(keyIds);
    const known = new Map<string, string>();
    const rows: string[] = [];
    for (const { keyId, hour, tags } of await this.#usageByHour(keyIds)) {
      for (const [tag, documents, bytes] of tags) {
        const text = known.get(tag) ?? JSON.stringify(textOf(tag));
        known.set(tag, text);
        rows.push(`{"keyId":"${keyId}","hour":"${hour}","tag":${text},"documents":${documents},"bytes":${bytes}}`);
      }
    }
    return `[${rows.join(',')}]`;
  }

  /** SQLite writes the rows itself, for the sake of the first who asks: code that is not compiled yet took two thirds longer. */
  async #usageWritten(keyIds: readonly string[]): Promise<string> {
    const tag = sql`case tag when '' then 'null' else json_quote(cast(unhex(tag) as text)) end`;
    // A line end cannot stand in JSON's texts, so it parts the rows.
    const written = sql<string>`group_concat('"tag":' || ${tag} || ',"documents":' || documents || ',"bytes":' || bytes, char(10))`;
    const hours = await this.#ofEachHour(keyIds, written);
    const rows = hours.map(({ key_id, hour, tags }) => {
      const head = `{"keyId":"${key_id}","hour":"${new Date(hour).toISOString()}",`;
      return `${head}${tags.replaceAll('\n', `},${head}`)}}`;
    });
    return `[${rows.join(',')}]`;
  }

  /** The database puts the tags of an hour together: thousands of rows cost more on their way to us than to be read. */
  async #usageByHour(keyIds: readonly string[]): Promise<{ keyId: string; hour: string; tags: TagUsage[] }[]> {
    const tags =
      this.#queue.dialect === 'postgres'
        ? sql<string>`cast(json_agg(json_build_array(tag, documents, bytes)) as text)`
        : sql<string>`json_group_array(json_array(tag, documents, bytes))`;
    return (await this.#ofEachHour(keyIds, tags)).map((row) => ({
      keyId: row.key_id,
      hour: new Date(row.hour).toISOString(),
      tags: JSON.parse(row.tags) as TagUsage[],
    }));
  }

  /** @param tags puts the rows of an hour together */
  async #ofEachHour(
    keyIds: readonly string[],
    tags: RawBuilder<string>,
  ): Promise<{ key_id: string; hour: number; tags: string }[]> {
    const { db, network, clock } = this.#queue;
    if (keyIds.length === 0) return [];
    return db
      .selectFrom('writer_usage')
      .select(['key_id', 'hour', tags.as('tags')])
      .where('network', '=', network)
      .where('hour', '>=', clock.now() - USAGE_MS)
      .where('key_id', 'in', keyIds)
      .groupBy(['hour', 'key_id'])
      .orderBy('hour')
      .execute();
  }

  async #find({ idOrTxid, vout }: DocumentName, keyId: string): Promise<DocumentRow | undefined> {
    const isMeant = (row: DocumentRow): boolean => row.key_id === keyId && (vout === undefined || row.vout === vout);
    const row = await this.#queue.find(idOrTxid);
    if (row === undefined || isMeant(row)) return row;
    return row.id === idOrTxid ? undefined : (await this.#writtenWith(row)).find(isMeant);
  }

  /** Whether a key that may write, other than the caller's, wrote this output of a transaction. */
  async #isOfAnotherKey(txid: string, vout: number | null): Promise<boolean> {
    const row = await this.#queue.find(txid);
    const written = row && (await this.#writtenWith(row)).find((document) => document.vout === vout);
    return written !== undefined && (await this.#keys.mayWrite(written.key_id));
  }

  /** The documents of one transaction, of whatever key, in the order of its outputs. */
  async #writtenWith({ transaction_id: id }: DocumentRow): Promise<DocumentRow[]> {
    const rows = id === null ? [] : await this.#queue.documentsOf([id]);
    return rows.sort((a, b) => (a.vout ?? 0) - (b.vout ?? 0));
  }

  async #transactionOf({ transaction_id: id }: DocumentRow): Promise<TransactionRow | undefined> {
    return id === null ? undefined : this.#queue.transaction(id);
  }

  async #readChain({ idOrTxid: txid, vout: wanted }: DocumentName): Promise<Content & { vout: number }> {
    if (!/^[0-9a-f]{64}$/.test(txid)) throw notFound();
    const { value: raw } = await this.#chainData.transaction(txid);
    if (raw === undefined) throw notFound();
    for (const [vout, { script }] of parseTx(raw).outputs.entries()) {
      const found = wanted === undefined || wanted === vout ? readDataScript(script) : undefined;
      if (found !== undefined) return { ...found, vout };
    }
    throw notFound();
  }
}

/** The content type and the body of a data output with two pushes, or three where a tag comes first. */
function readDataScript(script: Uint8Array): Content | undefined {
  const { chunks } = parseScript(script);
  const pushes = chunks.slice(2).flatMap(({ data }) => (data === undefined ? [] : [data]));
  const [contentType, body] = pushes.slice(-2);
  if (contentType === undefined || body === undefined || pushes.length > 3) return undefined;
  if (!equalBytes(dataScript(pushes), script)) return undefined;
  const type = Buffer.from(contentType).toString('latin1');
  return /^[\x20-\x7e]{1,255}$/.test(type) ? { contentType: type, body } : undefined;
}

/** @param tag bytes as hex; empty for documents without a tag */
function textOf(tag: string): string | null {
  return tag === '' ? null : Buffer.from(tag, 'hex').toString('utf8');
}

function notFound(): PlanchetError {
  return new PlanchetError('writer.document-missing');
}
