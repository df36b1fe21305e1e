import type { FastifyInstance } from 'fastify';
import { formatOutpoint } from '../../../chain/index.ts';
import { PublicError, publicScope } from './answers.ts';
import type { PublicServiceOptions } from './public-index.ts';
import { ServedIndex } from './served-index.ts';

/** Outputs of owners, and what spends them, as the 1Sat index streams them (public-services.md 3.4). */
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
}
