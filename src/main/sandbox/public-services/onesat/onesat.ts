import type { FastifyInstance } from 'fastify';
import { formatOutpoint, parseTx, serializeBeef } from '../../../../chain/index.ts';
import { PublicError, publicScope, sendBytes, txidOfPath } from '../answers.ts';
import type { PublicServiceOptions } from '../public-index.ts';
import { ServedIndex } from '../served-index.ts';
import { notIndexedRoutes } from './not-indexed.ts';
import { outputRoutes } from './outputs.ts';

/** Maximum transactions in a BEEF. */
const MOST_ANCESTORS = 1_000;

/** Outputs of owners, what spends outputs, and transactions with their proofs, as the 1Sat index has them (public-services.md 3.4). */
export async function oneSatRoutes(
  app: FastifyInstance,
  { index: whole, faults }: PublicServiceOptions,
): Promise<void> {
  const index = new ServedIndex(whole, faults, 'onesat');
  publicScope(app, index.node, (message) => ({ message }));
  app.get('/owner/sync', async (request, reply) => {
    const { owner = [], from = '0' } = request.query as { owner?: string | string[]; from?: string };
    if (!Number.isFinite(Number(from))) throw new PublicError(400, 'invalid from');
    const outputs = (await index.owned([owner].flat())).filter(({ score }) => score >= Number(from));
    const spends = await index.spends(outputs);
    const events = outputs
      .sort((a, b) => a.score - b.score)
      .map(({ txid, vout, score }) => {
        const spendTxid = spends.get(formatOutpoint({ txid, vout }))?.txid;
        return `data: ${JSON.stringify({ outpoint: `${txid}.${vout}`, score, spendTxid })}\nid: ${score}\n\n`;
      });
    return reply.type('text/event-stream').send(`${events.join('')}event: done\ndata: {}\nretry: 60000\n\n`);
  });
  outputRoutes(app, index);
  notIndexedRoutes(app);
  app.get('/beef/:txid', async (request, reply) => sendBytes(reply, await beefOf(index, txidOfPath(request))));
  app.get('/beef/:txid/tx', async (request, reply) => {
    const found = await index.transaction(txidOfPath(request));
    if (found === undefined) throw new PublicError(404, 'transaction not found');
    return sendBytes(reply, found.raw);
  });
  app.get('/beef/:txid/proof', async (request, reply) => {
    const proof = await index.proof(txidOfPath(request));
    if (proof === undefined) throw new PublicError(404, 'proof not found');
    return sendBytes(reply, proof.bump());
  });
}

/** A transaction with its ancestors, down to mined ones. @throws PublicError 404 */
async function beefOf(index: ServedIndex, txid: string): Promise<Uint8Array> {
  const found = new Map<string, { rawTx: Uint8Array; bump: Uint8Array | null }>();
  const add = async (id: string): Promise<void> => {
    if (found.has(id)) return;
    const tx = await index.transaction(id);
    if (tx === undefined || found.size >= MOST_ANCESTORS) throw new PublicError(404, 'transaction not found');
    const bump = (await index.proof(id))?.bump() ?? null;
    if (bump === null) for (const input of parseTx(tx.raw, true).inputs) await add(input.txid);
    found.set(id, { rawTx: tx.raw, bump });
  };
  await add(txid);
  return serializeBeef([...found.values()]);
}
