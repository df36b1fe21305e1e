import { writerStates } from '../../../contract/index.ts';
import type { WriteState } from '../storage/tables.ts';
import type { ListQuery } from '../views/listing.ts';
import { WriteError, writeCodes } from '../write-errors.ts';

const MAX_LIMIT = 1_000;
const DEFAULT_LIMIT = 100;
/** `Date.parse` alone takes much that is no ISO 8601, and reads times without a zone as local ones. */
const ISO_TIME = /^(\d{4}-\d\d-\d\d)(?:(T\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?)?$/;

/** `?wait=`: how far the document must be before the answer. @throws WriteError */
export function readWait(query: unknown): 'accepted' | 'submitted' | 'mined' {
  const { wait = 'submitted' } = query as Record<string, unknown>;
  if (wait === 'accepted' || wait === 'submitted' || wait === 'mined') return wait;
  throw new WriteError(writeCodes.query, 'write-api.query-wait');
}

/** `?vout=`: an output of a transaction that writes several documents. @throws WriteError */
export function readVout(query: unknown): number | undefined {
  const { vout } = query as Record<string, unknown>;
  if (vout === undefined) return undefined;
  if (typeof vout === 'string' && /^\d{1,9}$/.test(vout)) return Number(vout);
  throw new WriteError(writeCodes.query, 'write-api.query-vout');
}

/** `?tag=&state=&since=&cursor=&order=&limit=`. @throws WriteError */
export function readListQuery(query: unknown): Omit<ListQuery, 'keyIds'> {
  const given = query as Record<string, unknown>;
  for (const name of Object.keys(given)) {
    if (!['tag', 'state', 'since', 'cursor', 'order', 'limit'].includes(name) || typeof given[name] !== 'string')
      throw new WriteError(writeCodes.query, 'write-api.query-unknown', { name: name.slice(0, 32) });
  }
  const { tag, state, since, cursor, order = 'desc', limit = String(DEFAULT_LIMIT) } = given as Record<string, string>;
  if (state !== undefined && !writerStates.names.includes(state as WriteState))
    throw new WriteError(writeCodes.query, 'write-api.query-state', { states: writerStates.names.join(', ') });
  if (cursor !== undefined && !/^[0-9a-f]{32}$/.test(cursor))
    throw new WriteError(writeCodes.query, 'write-api.query-cursor');
  if (order !== 'asc' && order !== 'desc') throw new WriteError(writeCodes.query, 'write-api.query-order');
  if (!/^\d{1,4}$/.test(limit) || Number(limit) < 1 || Number(limit) > MAX_LIMIT)
    throw new WriteError(writeCodes.query, 'write-api.query-limit', { limit: MAX_LIMIT });
  if (tag === '') throw new WriteError(writeCodes.query, 'write-api.query-tag-empty');
  return {
    tag: tag === undefined ? undefined : Buffer.from(tag, 'utf8').toString('hex'),
    state: state as WriteState | undefined,
    since: since === undefined ? undefined : timeOf(since),
    cursor,
    order,
    limit: Number(limit),
  };
}

/** Milliseconds since 1970, or an ISO 8601 time; without a zone it is UTC. */
function timeOf(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const [, date, clock, zone = 'Z'] = ISO_TIME.exec(text) ?? [];
  const time = Date.parse(clock === undefined ? String(date) : `${date}${clock}${zone}`);
  if (!Number.isNaN(time)) return time;
  throw new WriteError(writeCodes.query, 'write-api.query-since');
}
