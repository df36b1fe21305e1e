import type { FastifyInstance } from 'fastify';
import { parseHeader, toHex } from '../../../chain/index.ts';
import { blockByHash } from '../node/storage/chain-store.ts';
import { outpointOfPath, PublicError, publicScope, sendBytes, transactionOf, txidOfPath } from './answers.ts';
import { bananaBlocksHeaderRoutes } from './header-routes.ts';
import { historyRoutes } from './history-routes.ts';
import type { PublicServiceOptions } from './public-index.ts';
import { ServedHeaders } from './served-headers.ts';
import { ServedIndex } from './served-index.ts';

/** Transactions, proofs, spends and addresses as BananaBlocks answers them (public-services.md 3.1). */
export async function bananaBlocksRoutes(
  app: FastifyInstance,
  { index: whole, faults, submit }: PublicServiceOptions,
): Promise<void> {
  const index = new ServedIndex(whole, faults, 'bananablocks');
  const { node } = index;
  publicScope(app, node, (error) => ({ error }));
  const known = async (txid: string) => {
    const found = await index.transaction(txid);
    if (found === undefined) throw new PublicError(404, 'transaction not found');
    return found;
  };
  app.get('/tx/:txid', async (request) => {
    const txid = txidOfPath(request);
    const { blockHash, blockHeight, confirmations } = await known(txid);
    return { txid, block_hash: blockHash, block_height: blockHeight, confirmations };
  });
  app.get('/tx/:txid/hex', async (request, reply) => {
    const { raw } = await known(txidOfPath(request));
    return reply.type('text/plain').send(toHex(raw));
  });
  app.get('/tx/:txid/bin', async (request, reply) => sendBytes(reply, (await known(txidOfPath(request))).raw));
  app.get('/tx/:txid/proof', async (request) => {
    const proof = await index.proof(txidOfPath(request));
    const block = proof && (await blockByHash(node.db, proof.blockHash));
    if (proof === undefined || block === undefined) throw new PublicError(404, 'proof not found');
    const { position, txid, nodes } = proof;
    const { merkleRoot } = parseHeader(block.header);
    return { index: position, txOrId: txid, targetType: 'merkleRoot', target: merkleRoot, nodes };
  });
  app.get('/txo/:txid/:vout/spend', async (request) => {
    const spend = await index.spend(outpointOfPath(request));
    if (spend === undefined) throw new PublicError(404, 'output not found');
    return spend === 'unspent' ? { spent: false } : { spent: true, spentTxid: spend.txid };
  });
  historyRoutes(app, index, '/bsv/main');
  bananaBlocksHeaderRoutes(app, new ServedHeaders(node, faults, 'bananablocks'));
  app.post('/tx/broadcast', async ({ body }) => {
    const { rawtx } = (body ?? {}) as { rawtx?: unknown };
    const result = await index.submit(submit, await transactionOf(rawtx));
    if (result?.ok) return { txid: result.txid };
    throw new PublicError(400, result === undefined ? 'no result' : `${result.code}: ${result.reason}`);
  });
}
