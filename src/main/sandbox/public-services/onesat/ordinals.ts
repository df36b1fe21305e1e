import type { FastifyInstance } from 'fastify';
import { formatOutpoint, type Outpoint, parseTx, readInscription, toHex } from '../../../../chain/index.ts';
import { foreignBounds, parseForeign } from '../../../foreign-json.ts';
import { PublicError, publicScope, transactionOf } from '../answers.ts';
import type { PublicIndex, PublicServiceOptions } from '../public-index.ts';
import { outpointOf, spendOf, unspentOf } from './outputs.ts';
import { pathTo, txOf } from './satoshi-path.ts';

/** Maximum and default number of rows in a page, and maximum outpoints of a request. */
const MOST_ROWS = 100;

/**
 * Unspent outputs of addresses as GorillaPool's older index of ordinals has them (public-services.md 3.2): what js-1sat-ord fetches.
 * Planchet uses none, so there are no faults.
 */
export async function ordinalsRoutes(app: FastifyInstance, { index, submit }: PublicServiceOptions): Promise<void> {
  publicScope(app, index.node, (message) => ({ message }));
  app.get('/txos/address/:address/unspent', async (request) => {
    const { address } = request.params as { address: string };
    const { limit = String(MOST_ROWS), offset = '0', q } = request.query as Record<string, string | undefined>;
    const collection = q === undefined ? undefined : collectionOf(q);
    const [size, from] = [Number(limit), Number(offset)];
    if (!Number.isSafeInteger(size) || !Number.isSafeInteger(from) || size < 0 || from < 0)
      throw new PublicError(400, 'invalid page');
    const unspent: Outpoint[] = [];
    for (const one of await unspentOf(index, address))
      if (collection === undefined || (await collectionAt(index, one)) === collection) unspent.push(one);
    const page = unspent.slice(from, from + Math.min(size, MOST_ROWS));
    return Promise.all(page.map((one) => rowOf(index, one)));
  });
  app.post('/txos/outpoints', async ({ body }) => {
    if (!Array.isArray(body) || body.length > MOST_ROWS) throw new PublicError(400, 'invalid outpoints');
    return Promise.all(body.map((one) => rowOf(index, outpointOf(one), true)));
  });
  // tokens of BSV-20 and BSV-21: the sandbox has none
  for (const path of ['balance', 'tick/:tick', 'id/:id'])
    app.get(`/bsv20/:address/${path}`, async (request) => {
      index.scriptOfAddress((request.params as { address: string }).address);
      return [];
    });
  app.post('/tx', async ({ body }, reply) => {
    const { rawtx } = (body ?? {}) as { rawtx?: unknown };
    const raw = await transactionOf(typeof rawtx === 'string' ? toHex(Buffer.from(rawtx, 'base64')) : undefined);
    const [result] = await submit([raw], { source: 'p2p' });
    if (result === undefined || !result.ok) throw new PublicError(400, result?.reason ?? 'no result');
    return reply.type('application/json').send(JSON.stringify(result.txid));
  });
}

/** @param filter base64 of JSON, as the library asks for the items of one collection. @throws PublicError 400 for any other */
function collectionOf(filter: string): string {
  try {
    // a plus that was not escaped comes as a space
    const text = Buffer.from(filter.replaceAll(' ', '+'), 'base64').toString();
    const asked = parseForeign(text, foreignBounds.tokenFields) as { map: { subTypeData: { collectionId: unknown } } };
    const { collectionId } = asked.map.subTypeData;
    if (typeof collectionId === 'string') return collectionId;
  } catch {
    // refused below
  }
  throw new PublicError(400, 'filters are served for a collection alone');
}

/** The collection that an item names. */
async function collectionAt(index: PublicIndex, outpoint: Outpoint): Promise<unknown> {
  const [{ txid, vout }] = await pathTo(index, outpoint);
  const script = (await txOf(index, txid))?.outputs[vout]?.script;
  const text = script && readInscription(script)?.map.subTypeData;
  const said = parseForeign(text ?? '{}', foreignBounds.tokenFields) as { collectionId?: unknown } | null | undefined;
  return said?.collectionId;
}

/** @throws PublicError 404 for an output that never existed */
async function rowOf(index: PublicIndex, { txid, vout }: Outpoint, withScript = false): Promise<object> {
  const found = await index.node.transaction(txid);
  const output = found && parseTx(found.raw).outputs[vout];
  if (found === undefined || output === undefined) throw new PublicError(404, 'output not found');
  const { spendTxid } = await spendOf(index, { txid, vout });
  return {
    txid,
    vout,
    outpoint: formatOutpoint({ txid, vout }),
    satoshis: output.satoshis,
    spend: spendTxid ?? '',
    height: found.blockHeight ?? 0,
    ...(output.satoshis === 1 && { origin: { outpoint: formatOutpoint((await pathTo(index, { txid, vout }))[0]) } }),
    ...(withScript && { script: Buffer.from(output.script).toString('base64') }),
  };
}
