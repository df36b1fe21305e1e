import type { ListQuery } from './listing.ts';
import { type WriteState, writeStates } from './tables.ts';
import { WriteError, writeCodes } from './write-errors.ts';

const MAX_LIMIT = 1_000;
const DEFAULT_LIMIT = 100;

/** `?wait=`: how far the document must be before the answer. @throws WriteError */
export function readWait(query: unknown): 'accepted' | 'submitted' | 'mined' {
  const { wait = 'submitted' } = query as Record<string, unknown>;
  if (wait === 'accepted' || wait === 'submitted' || wait === 'mined') return wait;
  throw new WriteError(400, writeCodes.query, 'wait is accepted, submitted or mined');
}

/** `?tag=&state=&since=&cursor=&order=&limit=`. @throws WriteError */
export function readListQuery(query: unknown): Omit<ListQuery, 'keyIds'> {
  const given = query as Record<string, unknown>;
  for (const name of Object.keys(given)) {
    if (!['tag', 'state', 'since', 'cursor', 'order', 'limit'].includes(name) || typeof given[name] !== 'string') {
      throw new WriteError(400, writeCodes.query, `there is no such filter, or it stands twice: ${name.slice(0, 32)}`);
    }
  }
  const { tag, state, since, cursor, order = 'desc', limit = String(DEFAULT_LIMIT) } = given as Record<string, string>;
  if (state !== undefined && !writeStates.includes(state as WriteState)) {
    throw new WriteError(400, writeCodes.query, `state is one of ${writeStates.join(', ')}`);
  }
  if (cursor !== undefined && !/^[0-9a-f]{32}$/.test(cursor)) {
    throw new WriteError(400, writeCodes.query, 'cursor is the "next" of the page before');
  }
  if (order !== 'asc' && order !== 'desc') throw new WriteError(400, writeCodes.query, 'order is asc or desc');
  if (!/^\d{1,4}$/.test(limit) || Number(limit) < 1 || Number(limit) > MAX_LIMIT) {
    throw new WriteError(400, writeCodes.query, `limit is a number from 1 to ${MAX_LIMIT}`);
  }
  return {
    tag: tag === undefined ? undefined : Buffer.from(tag, 'utf8').toString('hex'),
    state: state as WriteState | undefined,
    since: since === undefined ? undefined : timeOf(since),
    cursor,
    order,
    limit: Number(limit),
  };
}

/** Milliseconds since 1970, or an ISO 8601 time. */
function timeOf(text: string): number {
  const time = /^\d{1,15}$/.test(text) ? Number(text) : Date.parse(text);
  if (Number.isNaN(time)) throw new WriteError(400, writeCodes.query, 'since is a time in ISO 8601, or milliseconds');
  return time;
}
