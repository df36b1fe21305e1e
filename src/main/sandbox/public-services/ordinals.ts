import type { FastifyInstance } from 'fastify';
import {
  ChainError,
  formatOutpoint,
  type Outpoint,
  parseOutpoint,
  parseTx,
  type Tx,
  toHex,
} from '../../../chain/index.ts';
import { PublicError, publicScope, transactionOf } from './answers.ts';
import type { PublicIndex, PublicServiceOptions } from './public-index.ts';

/** Rows of a page at most, and where none are asked for; outpoints of a request. */
const MOST_ROWS = 100;
/** Moves of one token that are followed back to where it began. */
const MOST_MOVES = 10_000;

/**
 * Unspent outputs of addresses as GorillaPool's older index of ordinals has them (public-services.md 3.2): what js-1sat-ord fetches. Planchet asks
 * none, so it plays no faults.
 */
export async function ordinalsRoutes(app: FastifyInstance, { index, submit }: PublicServiceOptions): Promise<void> {
  publicScope(app, index.node, (message) => ({ message }));
  app.get('/txos/address/:address/unspent', async (request) => {
    const { address } = request.params as { address: string };
    const { limit = String(MOST_ROWS), offset = '0', q } = request.query as Record<string, string | undefined>;
    if (q !== undefined) throw new PublicError(400, 'filters are not served here');
    const [size, from] = [Number(limit), Number(offset)];
    if (!Number.isSafeInteger(size) || !Number.isSafeInteger(from) || size < 0 || from < 0)
      throw new PublicError(400, 'invalid page');
    const owned = await index.owned([address]);
    const spends = await index.spends(owned);
    const unspent = owned.filter((one) => !spends.has(formatOutpoint(one)));
    const page = unspent.slice(from, from + Math.min(size, MOST_ROWS));
    return Promise.all(page.map((one) => rowOf(index, one)));
  });
  app.post('/txos/outpoints', async ({ body }) => {
    if (!Array.isArray(body) || body.length > MOST_ROWS) throw new PublicError(400, 'invalid outpoints');
    return Promise.all(body.map((one) => rowOf(index, outpointOf(one), true)));
  });
  app.post('/tx', async ({ body }, reply) => {
    const { rawtx } = (body ?? {}) as { rawtx?: unknown };
    const raw = await transactionOf(typeof rawtx === 'string' ? toHex(Buffer.from(rawtx, 'base64')) : undefined);
    const [result] = await submit([raw], { source: 'p2p' });
    if (result === undefined || !result.ok) throw new PublicError(400, result?.reason ?? 'no result');
    return reply.type('application/json').send(JSON.stringify(result.txid));
  });
}

/** @throws PublicError 400 */
function outpointOf(text: unknown): Outpoint {
  try {
    return parseOutpoint(String(text));
  } catch (error) {
    if (error instanceof ChainError) throw new PublicError(400, 'invalid outpoint');
    throw error;
  }
}

/** @throws PublicError 404 for an output that never was */
async function rowOf(index: PublicIndex, { txid, vout }: Outpoint, withScript = false): Promise<object> {
  const found = await index.node.transaction(txid);
  const output = found && parseTx(found.raw).outputs[vout];
  if (found === undefined || output === undefined) throw new PublicError(404, 'output not found');
  const spend = await index.spend({ txid, vout });
  return {
    txid,
    vout,
    outpoint: formatOutpoint({ txid, vout }),
    satoshis: output.satoshis,
    spend: spend === undefined || spend === 'unspent' ? '' : spend.txid,
    height: found.blockHeight ?? 0,
    ...(output.satoshis === 1 && { origin: { outpoint: formatOutpoint(await originOf(index, { txid, vout })) } }),
    ...(withScript && { script: Buffer.from(output.script).toString('base64') }),
  };
}

/** Where the satoshi of an output was first alone: it is followed back through the order of satoshis. */
async function originOf(index: PublicIndex, outpoint: Outpoint): Promise<Outpoint> {
  let at = outpoint;
  for (let moves = 0; moves < MOST_MOVES; moves++) {
    const tx = (await txOf(index, at.txid)) as Tx;
    let before = tx.outputs.slice(0, at.vout).reduce((sum, { satoshis }) => sum + satoshis, 0);
    let from: Outpoint | undefined;
    for (const { txid, vout } of tx.inputs) {
      const satoshis = (await txOf(index, txid))?.outputs[vout]?.satoshis ?? 0;
      if (before < satoshis) {
        if (satoshis === 1) from = { txid, vout };
        break;
      }
      before -= satoshis;
    }
    if (from === undefined) return at;
    at = from;
  }
  return at;
}

async function txOf(index: PublicIndex, txid: string): Promise<Tx | undefined> {
  const found = await index.node.transaction(txid);
  return found && parseTx(found.raw);
}
