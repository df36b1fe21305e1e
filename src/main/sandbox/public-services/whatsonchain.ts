import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { toHex } from '../../../chain/index.ts';
import { policy } from '../node/consensus/consensus.ts';
import type { SubmitResult } from '../node/node.ts';
import {
  BULK,
  bulk,
  outpointOfPath,
  PublicError,
  publicScope,
  sendBytes,
  transactionOf,
  txidOfPath,
} from './answers.ts';
import { whatsOnChainHeaderRoutes } from './header-routes.ts';
import { historyRoutes } from './history-routes.ts';
import type { PublicServiceOptions } from './public-index.ts';
import { ServedHeaders } from './served-headers.ts';
import { ServedIndex } from './served-index.ts';

/** US dollars for one bitcoin. */
const SANDBOX_RATE = 20;

/** Transactions, proofs, spends and addresses as WhatsOnChain answers them (public-services.md 1.4 to 1.7). */
export async function whatsOnChainRoutes(
  app: FastifyInstance,
  { index: whole, faults, submit }: PublicServiceOptions,
): Promise<void> {
  const index = new ServedIndex(whole, faults, 'woc');
  publicScope(app, index.node, (message) => message);
  blockRoutes(app, index);
  transactionRoutes(app, index);
  spendRoutes(app, index);
  historyRoutes(app, index);
  whatsOnChainHeaderRoutes(app, new ServedHeaders(index.node, faults, 'woc'));
  app.get('/mempool/info', () => {
    const { mempool, limits } = index.node;
    const { satoshis } = policy.relayFee;
    return {
      size: mempool.size,
      bytes: mempool.bytes,
      usage: mempool.bytes,
      maxmempool: limits.maxBytes,
      mempoolminfee: satoshis / 100_000_000,
    };
  });
  app.get('/mempool/raw', () => index.node.mempool.txids());
  // the coins of the sandbox have no price: this one is invented
  app.get('/exchangerate', () => ({
    rate: SANDBOX_RATE,
    time: Math.trunc(index.node.clock.now() / 1_000),
    currency: 'USD',
  }));
  app.post('/tx/raw', async ({ body }, reply) => {
    const { txhex } = (body ?? {}) as { txhex?: unknown };
    const result = await index.submit(submit, await transactionOf(txhex));
    if (result === undefined) throw new PublicError(500, 'no result');
    if (result.ok && !result.known) return text(reply, result.txid);
    throw new PublicError(400, `unexpected response code 500: ${refusalOf(result)}`);
  });
}

/** Blocks with more transactions are listed with the first ones only. */
const [WHOLE_LIST, FIRST_IDS] = [1_000, 100];
/** Ids in a page of the others. */
const PAGE = 1_000;

function blockRoutes(app: FastifyInstance, index: ServedIndex): void {
  app.get('/block/hash/:hash', async (request) => {
    const { hash } = request.params as { hash: string };
    const block = await index.block(hash);
    if (block === undefined) throw new PublicError(404, 'Not Found');
    const { txids, height } = block;
    const { length: count } = txids;
    const isWhole = count <= WHOLE_LIST;
    const uri = Array.from(
      { length: Math.ceil((count - FIRST_IDS) / PAGE) },
      (_, n) => `/block/hash/${hash}/page/${n + 1}`,
    );
    const [tx, pages] = isWhole ? [txids, null] : [txids.slice(0, FIRST_IDS), { size: PAGE, uri }];
    return { hash, height, txcount: count, nTx: count, num_tx: count, tx, pages };
  });
  app.get('/block/hash/:hash/page/:page', async (request) => {
    const { hash, page } = request.params as { hash: string; page: string };
    const from = FIRST_IDS + (Number(page) - 1) * PAGE;
    const ids = (await index.block(hash))?.txids.slice(from, from + PAGE) ?? [];
    if (!(from >= FIRST_IDS) || ids.length === 0) throw new PublicError(404, 'Not Found');
    return ids;
  });
}

function transactionRoutes(app: FastifyInstance, index: ServedIndex): void {
  const raw = async (request: FastifyRequest): Promise<Uint8Array> => {
    const found = await index.transaction(txidOfPath(request));
    if (found === undefined) throw new PublicError(404, 'Not Found');
    return found.raw;
  };
  app.get('/tx/:txid/hex', async (request, reply) => text(reply, toHex(await raw(request))));
  app.get('/tx/:txid/bin', async (request, reply) => sendBytes(reply, await raw(request)));
  app.get('/tx/:txid/proof/tsc', async (request) => {
    const proof = await index.proof(txidOfPath(request));
    if (proof === undefined) return [];
    const { position, txid, blockHash, nodes } = proof;
    return [{ index: position, txOrId: txid, target: blockHash, nodes }];
  });
  app.get('/tx/:txid/proof/bump', async (request, reply) => {
    const proof = await index.proof(txidOfPath(request));
    if (proof === undefined) throw new PublicError(404, 'Not Found');
    return text(reply, toHex(proof.bump()));
  });
  app.post('/txs/hex', async ({ body }) =>
    Promise.all(
      bulk(body, 'txids').map(async (txid) => {
        const found = await index.transaction(txid);
        return found === undefined ? { txid, error: 'unknown' } : { txid, hex: toHex(found.raw) };
      }),
    ),
  );
  app.post('/txs/status', async ({ body }) => Promise.all(bulk(body, 'txids').map((txid) => status(index, txid))));
}

async function status(index: ServedIndex, txid: string): Promise<object> {
  const found = await index.transaction(txid);
  if (found === undefined) return { txid, error: 'unknown' };
  const { blockHash, blockHeight, confirmations } = found;
  if (blockHash === null) return { txid };
  return { txid, blockhash: blockHash, blockheight: blockHeight, confirmations };
}

/** A spent output is 200, one that is known and unspent 404, and any other 400. */
function spendRoutes(app: FastifyInstance, index: ServedIndex): void {
  const view = (spend: Awaited<ReturnType<ServedIndex['spend']>>): object | null => {
    if (spend === undefined || spend === 'unspent') return null;
    return { txid: spend.txid, vin: spend.input, status: spend.height === null ? 'unconfirmed' : 'confirmed' };
  };
  app.get('/tx/:txid/:vout/spent', async (request) => {
    const spend = await index.spend(outpointOfPath(request));
    if (spend === undefined) throw new PublicError(400, 'Bad Request');
    if (spend === 'unspent') throw new PublicError(404, 'Not Found');
    return view(spend);
  });
  app.post('/utxos/spent', async ({ body }) => {
    const { utxos } = (body ?? {}) as { utxos?: { txid: string; vout: number }[] };
    if (!Array.isArray(utxos) || utxos.length > BULK) throw new PublicError(400, 'too many utxos');
    return Promise.all(utxos.map(async (utxo) => ({ utxo, spentIn: view(await index.spend(utxo)), error: '' })));
  });
}

function refusalOf(result: SubmitResult): string {
  if (result.ok) return 'Transaction already in the mempool';
  return /missing/i.test(result.reason) ? 'Missing inputs' : `${result.code}: ${result.reason}`;
}

function text(reply: FastifyReply, value: string): FastifyReply {
  return reply.type('text/plain').send(value);
}
