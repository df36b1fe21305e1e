import type { FastifyInstance } from 'fastify';
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
    const outputs = await index.owned([owner].flat());
    const events = await Promise.all(
      outputs
        .filter(({ score }) => score >= Number(from))
        .sort((a, b) => a.score - b.score)
        .map(async ({ txid, vout, score }) => {
          const spend = await index.spend({ txid, vout });
          const spendTxid = typeof spend === 'object' ? spend.txid : undefined;
          return `data: ${JSON.stringify({ outpoint: `${txid}.${vout}`, score, spendTxid })}\nid: ${score}\n\n`;
        }),
    );
    return reply.type('text/event-stream').send(`${events.join('')}event: done\ndata: {}\nretry: 60000\n\n`);
  });
}
