import type { FastifyInstance, FastifyRequest } from 'fastify';
import { bulk, PublicError } from './answers.ts';
import type { IndexedOutput, Touches } from './public-index.ts';
import type { ServedIndex } from './served-index.ts';

const HISTORY_PAGE = { usual: 100, most: 1_000 } as const;

interface Subject {
  readonly one: 'address' | 'script';
  readonly many: 'addresses' | 'scripts';
  /** The hash of the locking script. @throws PublicError 400 */
  script(named: string): string;
}

/**
 * Histories and unspent outputs of addresses and scripts, in WhatsOnChain's shapes.
 * @param prefix of the paths, as at a mirror
 */
export function historyRoutes(app: FastifyInstance, index: ServedIndex, prefix = ''): void {
  subjectRoutes(app, index, prefix, { one: 'address', many: 'addresses', script: (one) => index.scriptOfAddress(one) });
  subjectRoutes(app, index, prefix, { one: 'script', many: 'scripts', script: scriptHash });
}

function subjectRoutes(app: FastifyInstance, index: ServedIndex, prefix: string, { one, many, script }: Subject): void {
  const named = (request: FastifyRequest): string => (request.params as { named: string }).named;
  const head = (name: string): object => ({ [one]: name, ...(one === 'address' && { script: script(name) }) });
  app.get(`${prefix}/${one}/:named/confirmed/history`, async (request) => {
    const { confirmed } = await index.touches(script(named(request)));
    const query = request.query as HistoryQuery;
    const { size, from } = pageOf(query);
    const rows = query.order === 'asc' ? rowsOf(confirmed) : newestFirst(confirmed);
    return { ...head(named(request)), ...page(rows, size, from), error: '' };
  });
  app.get(`${prefix}/${one}/:named/unconfirmed/history`, async (request) => {
    const { unconfirmed } = await index.touches(script(named(request)));
    return { ...head(named(request)), result: unconfirmed.map((tx_hash) => ({ tx_hash })), error: '' };
  });
  app.get(`${prefix}/${one}/:named/unspent/all`, async (request) => {
    const { size, from } = pageOf(request.query as HistoryQuery);
    const outputs = await index.unspent(script(named(request)));
    return { ...head(named(request)), ...page(outputs.map(unspentRow), size, from), error: '' };
  });
  app.post(`${prefix}/${many}/history/all`, async ({ body }) =>
    Promise.all(
      bulk(body, many).map(async (name) => {
        const { confirmed, unconfirmed } = await index.touches(script(name));
        return {
          ...head(name),
          unconfirmed: { result: unconfirmed.slice(0, HISTORY_PAGE.most).map((tx_hash) => ({ tx_hash })), error: '' },
          confirmed: { result: newestFirst(confirmed).slice(0, HISTORY_PAGE.most), error: '' },
        };
      }),
    ),
  );
}

interface HistoryQuery {
  readonly order?: 'asc' | 'desc';
  readonly limit?: string;
  readonly token?: string;
}

/** The token is a number of rows; to clients it is opaque. @throws PublicError 400 */
function pageOf({ limit, token = '0' }: HistoryQuery): { size: number; from: number } {
  const size = limit === undefined ? HISTORY_PAGE.usual : Number(limit);
  if (!Number.isInteger(size) || size < 1 || size > HISTORY_PAGE.most) throw new PublicError(400, 'invalid limit');
  const from = Number(token);
  if (!Number.isInteger(from) || from < 0) throw new PublicError(400, 'invalid token');
  return { size, from };
}

function page(rows: readonly object[], size: number, from: number): object {
  const next = from + size;
  return { result: rows.slice(from, next), ...(next < rows.length && { nextPageToken: String(next) }) };
}

function unspentRow({ txid, vout, satoshis, height, spentInMempool }: IndexedOutput): object {
  return {
    height: height ?? 0,
    tx_pos: vout,
    tx_hash: txid,
    value: satoshis,
    isSpentInMempoolTx: spentInMempool,
    status: height === null ? 'unconfirmed' : 'confirmed',
  };
}

function rowsOf(confirmed: Touches['confirmed']): object[] {
  return confirmed.map(({ txid, height }) => ({ tx_hash: txid, height }));
}

function newestFirst(confirmed: Touches['confirmed']): object[] {
  return rowsOf(confirmed).reverse();
}

/** Clients write the hash in either order of its bytes; the index has both. */
function scriptHash(hash: string): string {
  if (!/^[0-9a-f]{64}$/.test(hash)) throw new PublicError(400, 'invalid script hash');
  return hash;
}
