import type { FastifyInstance } from 'fastify';
import { ChainError, formatOutpoint, type Outpoint, parseOutpoint, parseTx } from '../../../../chain/index.ts';
import { PublicError, txidOfPath } from '../answers.ts';
import type { PublicIndex } from '../public-index.ts';
import type { ServedIndex } from '../served-index.ts';

/** Maximum outpoints of a request, and default number of rows. */
const [MOST_OUTPOINTS, MOST_ROWS] = [1_000, 100];

type Query = Readonly<Record<string, string | undefined>>;
type Index = Pick<PublicIndex, 'owned' | 'spend' | 'spends'>;

/** Outputs one by one and of an owner, as the 1Sat index answers them (public-services.md 3.4). */
export function outputRoutes(app: FastifyInstance, index: ServedIndex): void {
  app.get('/txo/:outpoint', async (request) => {
    const row = await rowOf(index, outpointOf((request.params as { outpoint: string }).outpoint), queryOf(request));
    if (row === undefined) throw new PublicError(404, 'TXO not found');
    return row;
  });
  app.post('/txo/outpoints', async (request) =>
    Promise.all(outpointsOf(request.body).map(async (one) => (await rowOf(index, one, queryOf(request))) ?? null)),
  );
  app.get('/txo/tx/:txid', async (request) => {
    const txid = txidOfPath(request);
    const found = await index.transaction(txid);
    const outputs = found === undefined ? [] : parseTx(found.raw, true).outputs;
    return Promise.all(outputs.map((_, vout) => rowOf(index, { txid, vout }, queryOf(request))));
  });
  app.get('/txo/:outpoint/spend', async (request) =>
    spendOf(index, outpointOf((request.params as { outpoint: string }).outpoint)),
  );
  app.post('/txo/spends', async ({ body }) => Promise.all(outpointsOf(body).map((one) => spendOf(index, one))));
  app.get('/owner/:owner/txos', async (request, reply) => {
    const { owner } = request.params as { owner: string };
    const query = queryOf(request);
    const limit = Number(query.limit ?? MOST_ROWS);
    if (!Number.isSafeInteger(limit) || limit < 0) throw new PublicError(400, 'invalid limit');
    const outputs = query.unspent === 'true' ? await unspentOf(index, owner) : await index.owned([owner]);
    const isReverse = query.rev === 'true';
    const from = Number(query.from ?? (isReverse ? Number.POSITIVE_INFINITY : 0));
    const rows = outputs
      .sort((a, b) => (isReverse ? b.score - a.score : a.score - b.score))
      .filter(({ score }) => (isReverse ? score <= from : score >= from))
      .slice(0, limit);
    const events: string[] = [];
    for (const row of rows) events.push(`event: txo\ndata: ${JSON.stringify(await rowOf(index, row, query))}\n\n`);
    return reply.type('text/event-stream').send(`${events.join('')}event: done\ndata: {}\n\n`);
  });
  app.get('/owner/:owner/balance', async (request) => {
    const unspent = await unspentOf(index, (request.params as { owner: string }).owner);
    const rows = await Promise.all(unspent.map((one) => rowOf(index, one, { sats: 'true' })));
    return { balance: rows.reduce((sum, row) => sum + (row?.satoshis ?? 0), 0), count: rows.length };
  });
}

/** The outputs of an owner that nothing spends. */
export async function unspentOf(index: Index, owner: string): Promise<(Outpoint & { readonly score: number })[]> {
  const owned = await index.owned([owner]);
  const spends = await index.spends(owned);
  return owned.filter((one) => !spends.has(formatOutpoint(one)));
}

/** @returns undefined for an output that never existed */
async function rowOf(
  index: ServedIndex,
  { txid, vout }: Outpoint,
  { sats, spend, block }: Query,
): Promise<{ outpoint: string; score: number; satoshis?: number } | undefined> {
  const found = await index.transaction(txid);
  const output = found && parseTx(found.raw, true).outputs[vout];
  if (found === undefined || output === undefined) return undefined;
  const { blockHeight } = found;
  const { spendTxid } = spend === 'true' ? await spendOf(index, { txid, vout }) : { spendTxid: null };
  return {
    outpoint: `${txid}.${vout}`,
    score: blockHeight ?? index.node.tip().height + 1,
    ...(sats === 'true' && { satoshis: output.satoshis }),
    ...(block === 'true' && blockHeight != null && { blockHeight }),
    ...(spendTxid !== null && { spend: spendTxid }),
  };
}

export async function spendOf(index: Index, outpoint: Outpoint): Promise<{ spendTxid: string | null }> {
  const spend = await index.spend(outpoint);
  return { spendTxid: spend === undefined || spend === 'unspent' ? null : spend.txid };
}

function queryOf({ query }: { readonly query: unknown }): Query {
  return query as Query;
}

/** @throws PublicError 400 */
function outpointsOf(body: unknown): Outpoint[] {
  if (!Array.isArray(body) || body.length > MOST_OUTPOINTS) throw new PublicError(400, 'invalid outpoints');
  return body.map(outpointOf);
}

/** @param text in any way that clients write an outpoint. @throws PublicError 400 */
export function outpointOf(text: unknown): Outpoint {
  try {
    return parseOutpoint(String(text).replace(/[.:]/, '_'));
  } catch (error) {
    if (error instanceof ChainError) throw new PublicError(400, 'invalid outpoint');
    throw error;
  }
}
