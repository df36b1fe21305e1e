import type { FastifyInstance } from 'fastify';
import { PublicError } from '../answers.ts';

/** The index's answers about BSV-21 tokens and overlay topics. The sandbox has none of either. */
export function notIndexedRoutes(app: FastifyInstance): void {
  app.get('/bsv21/:id', async () => {
    throw new PublicError(404, 'Token not found');
  });
  app.get('/bsv21/:id/tx/:txid', async () => {
    throw new PublicError(404, 'Transaction not found');
  });
  app.get('/bsv21/:id/outputs/:outpoint', async () => {
    throw new PublicError(404, 'Output not found');
  });
  for (const path of ['/bsv21/lookup', '/bsv21/:id/outputs']) app.post(path, async () => []);
  for (const kind of ['unspent', 'history']) {
    app.get(`/bsv21/:id/:lock/:address/${kind}`, async () => []);
    app.post(`/bsv21/:id/:lock/${kind}`, async () => []);
  }
  const balance = async (): Promise<object> => ({ balance: 0, utxoCount: 0 });
  app.get('/bsv21/:id/:lock/:address/balance', balance);
  app.post('/bsv21/:id/:lock/balance', balance);
  for (const list of ['listTopicManagers', 'listLookupServiceProviders']) app.get(`/overlay/${list}`, async () => ({}));
  app.get('/capabilities', async () => ['beef', 'txo', 'owner', 'ordfs', 'chaintracks', 'arcade', 'bsv21', 'overlay']);
}

/** Submissions to overlay topics, of which the sandbox has none. Their bodies are bytes. */
export async function overlayRoutes(app: FastifyInstance): Promise<void> {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 16_000_000 }, (_, body, done) => done(null, body));
  for (const path of ['/submit', '/lookup'])
    app.post(path, async (_, reply) => reply.code(400).send({ status: 'error', message: 'unknown-topic' }));
}
