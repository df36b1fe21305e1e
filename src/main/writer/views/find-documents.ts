import type { SearchHit } from '../../../contract/index.ts';
import type { WriteQueue } from '../queue/queue.ts';

/** Digits of an id that are enough to look for it. */
const MIN_ID_DIGITS = 4;

/**
 * Documents by their id, its beginning or their txid, and by the beginning of their tag. Each is read through an index.
 * @param keyIds whose documents
 */
export async function findDocuments(
  queue: WriteQueue,
  keyIds: readonly string[],
  text: string,
  limit: number,
): Promise<SearchHit[]> {
  const [byId, byTag, byTxid] = await Promise.all([
    idsFrom(queue, text.toLowerCase(), limit),
    Promise.all(keyIds.map((keyId) => tagsFrom(queue, keyId, text, limit))),
    /^[0-9a-f]{64}$/i.test(text) ? queue.find(text.toLowerCase()) : undefined,
  ]);
  const rows = [...(byTxid === undefined ? [] : [byTxid]), ...byId, ...byTag.flat()];
  const unique = [...new Map(rows.map((row) => [row.id, row])).values()];
  return unique.slice(0, limit).map(({ id, tag, content_type }) => ({
    kind: 'document',
    id,
    name: tag === null ? '' : Buffer.from(tag, 'hex').toString('utf8'),
    place: content_type,
    projectUid: null,
    file: null,
  }));
}

const columns = ['id', 'tag', 'content_type'] as const;

/** `g` follows every hexadecimal digit. */
function idsFrom({ db, network }: WriteQueue, start: string, limit: number) {
  if (!new RegExp(`^[0-9a-f]{${MIN_ID_DIGITS},32}$`).test(start)) return Promise.resolve([]);
  return db
    .selectFrom('writer_documents')
    .select(columns)
    .where('network', '=', network)
    .where('id', '>=', start)
    .where('id', '<', `${start}g`)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

function tagsFrom({ db }: WriteQueue, keyId: string, text: string, limit: number) {
  const start = Buffer.from(text, 'utf8').toString('hex');
  return db
    .selectFrom('writer_documents')
    .select(columns)
    .where('key_id', '=', keyId)
    .where('tag', 'is not', null)
    .where('tag', '>=', start)
    .where('tag', '<', `${start}g`)
    .orderBy('tag')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}
