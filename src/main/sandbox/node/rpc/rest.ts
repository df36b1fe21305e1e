import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  ByteReader,
  ByteWriter,
  ChainError,
  concatBytes,
  displayToHash,
  fromHex,
  hexPieces,
  type Outpoint,
  scanSingleTx,
} from '../../../../chain/index.ts';
import { type BytePart, readByteRange } from '../../../node-format/byte-range.ts';
import { amount, type RpcValue } from '../../../node-format/json.ts';
import { gathered, RpcStream } from '../../../node-format/json-stream.ts';
import { inTurns } from '../../../pause.ts';
import { StatusError } from '../../api/api-error.ts';
import type { SandboxNode } from '../node.ts';
import { blockPieces } from '../storage/block-bytes.ts';
import { blockAtHeight } from '../storage/chain-store.ts';
import { type FoundBlock, findBlock } from '../storage/side-store.ts';
import type { NodeUtxo } from '../types.ts';
import { headerAnswer } from './commands/chain-commands.ts';
import type { NodeRpcDispatcher } from './dispatcher.ts';
import { blockHex, blockStream, line, sendText, textOf } from './streams.ts';
import { scriptView, txView } from './views.ts';
import { answerStopping, queueScope, WorkQueue } from './work-queue.ts';

export interface NodeRestOptions {
  readonly rpc: NodeRpcDispatcher;
  /** Shared with the node's JSON-RPC if that is served too. */
  readonly queue?: WorkQueue;
}

type Format = 'bin' | 'hex' | 'json';

const ALL_FORMATS = '.bin, .hex, .json';
const MOST_HEADERS = 2_000;
const MOST_OUTPOINTS = 15;
const MEMPOOL_HEIGHT = 0x7fff_ffff;
const BODY_LIMIT = 64 * 1024;

/**
 * The node's REST paths (node-rpc.md section 6) under a prefix: `app.register(registerNodeRest, { prefix: '/rest', rpc })`. As on the
 * node, they are read-only and need no credential.
 */
export async function registerNodeRest(app: FastifyInstance, options: NodeRestOptions): Promise<void> {
  const { rpc, queue = new WorkQueue() } = options;
  const { node } = rpc;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_LIMIT }, (_, body, done) => done(null, body));
  app.setErrorHandler((error: Error & { statusCode?: number }, _, reply) => {
    const status = error instanceof StatusError ? error.status : (error.statusCode ?? 500);
    if (status === 503) return answerStopping(reply);
    const message = error instanceof StatusError ? error.message : 'Internal error';
    if (status >= 500) node.logger.error({ err: error }, 'a REST request to the sandbox node failed');
    return reply.code(status).type('text/plain').send(`${message}\r\n`);
  });
  queueScope(app, queue);
  app.route({
    method: ['GET', 'HEAD', 'POST', 'PUT', 'OPTIONS'],
    url: '/*',
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const path = (request.params as { '*': string })['*'];
      const dot = path.lastIndexOf('.');
      const [subject, extension] = dot < 0 ? [path, ''] : [path.slice(0, dot), path.slice(dot + 1)];
      return answer({ node, rpc, request, reply, parts: subject.split('/'), extension });
    },
  });
  app.route({ method: ['PATCH', 'DELETE'], url: '/*', handler: (_, reply) => reply.code(405).send() });
}

interface Asked extends NodeRestOptions {
  readonly node: SandboxNode;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly parts: readonly string[];
  readonly extension: string;
}

async function answer(asked: Asked): Promise<FastifyReply> {
  const [first, second, third] = asked.parts;
  if (first === 'tx' && asked.parts.length === 2) return transaction(asked, second ?? '');
  if (first === 'block' && second === 'notxdetails' && asked.parts.length === 3) return block(asked, third ?? '', 1);
  if (first === 'block' && asked.parts.length === 2) return block(asked, second ?? '', 2);
  if (first === 'headers') {
    return second === 'extended' ? headers(asked, asked.parts.slice(2), 2) : headers(asked, asked.parts.slice(1), 1);
  }
  if (first === 'getutxos') return utxos(asked);
  const command = onlyJson.get(asked.parts.join('/'));
  if (command === undefined) return asked.reply.code(404).send();
  if (asked.extension !== 'json') throw new StatusError(404, 'output format not found (available: json)');
  return json(asked, (await asked.rpc.dispatch(command[0], command[1])) as RpcValue);
}

const onlyJson = new Map<string, [command: string, params: unknown[]]>([
  ['chaininfo', ['getblockchaininfo', []]],
  ['mempool/info', ['getmempoolinfo', []]],
  ['mempool/contents', ['getrawmempool', [true]]],
]);

function formatOf({ extension }: Asked, available: string): Format {
  if (extension === 'bin' || extension === 'hex' || extension === 'json') return extension;
  throw new StatusError(404, `output format not found (available: ${available})`);
}

function hashOf(text: string): string {
  if (!/^[0-9a-fA-F]{64}$/.test(text)) throw new StatusError(400, `Invalid hash: ${text}`);
  return text.toLowerCase();
}

function json({ reply }: Asked, value: RpcValue): Promise<FastifyReply> {
  const text = textOf(value);
  const lines = typeof text === 'string' ? `${text}\n` : new RpcStream(() => line(text.pieces()));
  return sendText(reply.header('content-type', 'application/json'), lines, false);
}

function bytes({ reply }: Asked, format: Format, value: Uint8Array): FastifyReply {
  if (format === 'bin') return reply.type('application/octet-stream').send(Buffer.from(value));
  reply.type('text/plain').header('content-length', value.length * 2 + 1);
  return reply.send(Readable.from(gathered(line(hexPieces(value))), { objectMode: false }));
}

async function transaction(asked: Asked, id: string): Promise<FastifyReply> {
  const txid = hashOf(id);
  const format = formatOf(asked, ALL_FORMATS);
  const found = await asked.node.transaction(txid);
  if (found === undefined || (found.blockHeight ?? Number.POSITIVE_INFINITY) < asked.node.lowestKept())
    throw new StatusError(404, `${id} not found`);
  if (format !== 'json') return bytes(asked, format, found.raw);
  const tx = await inTurns(scanSingleTx(found.raw));
  return json(asked, txView(tx, found.blockHash === null ? undefined : { hash: found.blockHash }));
}

async function block(asked: Asked, id: string, verbosity: 1 | 2): Promise<FastifyReply> {
  const hash = hashOf(id);
  const format = formatOf(asked, ALL_FORMATS);
  const { node, reply, request } = asked;
  const row = await findBlock(node.db, hash);
  if (row === undefined) throw new StatusError(404, `${id} not found`);
  if (row.height < node.lowestKept()) throw new StatusError(404, `${id} not available (pruned data)`);
  if (format === 'json') {
    const { pieces } = await blockStream(node, row, verbosity === 2);
    return reply.header('content-type', 'application/json').send(Readable.from(line(pieces()), { objectMode: false }));
  }
  if (format === 'hex') {
    reply.type('text/plain').header('content-length', row.size * 2 + 1);
    return reply.send(Readable.from(line(blockHex(node, row)), { objectMode: false }));
  }
  const { range } = request.headers;
  const { start, end } = range === undefined ? { start: 0, end: row.size } : partOf(range, row.size);
  if (range !== undefined) reply.code(206).header('content-range', `bytes ${start}-${end - 1}/${row.size}`);
  reply.type('application/octet-stream').header('content-length', end - start);
  return reply.send(Readable.from(blockPieces(node.db, row.hash, start, end), { objectMode: false }));
}

function partOf(range: string, size: number): BytePart {
  const part = readByteRange(range, size);
  if (typeof part === 'string') throw new StatusError(404, part);
  return part;
}

async function headers(asked: Asked, parts: readonly string[], verbosity: 1 | 2): Promise<FastifyReply> {
  const [count = '', id = ''] = parts;
  if (parts.length !== 2) {
    throw new StatusError(400, 'No header count specified. Use /rest/headers/<count>/<hash>.<ext>.');
  }
  const wanted = Number.parseInt(count, 10);
  if (!(wanted >= 1 && wanted <= MOST_HEADERS)) throw new StatusError(400, `Header count out of range: ${count}`);
  const hash = hashOf(id);
  // the node forgets one
  const format = formatOf(asked, '.bin, .hex');
  const first = await findBlock(asked.node.db, hash);
  if (first === undefined) throw new StatusError(400, `Block not found: ${id}`);
  const rows: FoundBlock[] = [];
  // a side block has no headers after it, and is not returned itself
  for (let row: FoundBlock | undefined = first.side ? undefined : first; row && rows.length < wanted; ) {
    rows.push(row);
    row = await blockAtHeight(asked.node.db, row.height + 1);
  }
  if (format !== 'json') return bytes(asked, format, concatBytes(...rows.map(({ header }) => header)));
  const shown: RpcValue[] = [];
  for (const row of rows) shown.push(await headerAnswer(asked.node, row, verbosity));
  return json(asked, shown);
}

async function utxos(asked: Asked): Promise<FastifyReply> {
  const format = formatOf(asked, ALL_FORMATS);
  const { checkMempool, outpoints } = wantedOutpoints(asked, format);
  if (outpoints.length > MOST_OUTPOINTS) {
    throw new StatusError(400, `Error: max outpoints exceeded (max: ${MOST_OUTPOINTS}, tried: ${outpoints.length})`);
  }
  const found: (NodeUtxo | undefined)[] = [];
  for (const outpoint of outpoints) found.push(await asked.node.utxo(outpoint, checkMempool));
  const { hash, height } = asked.node.tip();
  const hits = found.filter((utxo) => utxo !== undefined);
  if (format === 'json') {
    return json(asked, {
      chainHeight: height,
      chaintipHash: hash,
      bitmap: found.map((utxo) => (utxo ? '1' : '0')).join(''),
      utxos: hits.map((utxo) => ({
        height: utxo.height ?? MEMPOOL_HEIGHT,
        value: amount(utxo.satoshis),
        scriptPubKey: scriptView(utxo.lockingScript),
      })),
    });
  }
  const writer = new ByteWriter();
  writer.i32le(height);
  writer.bytes(displayToHash(hash));
  const bitmap = new Uint8Array(Math.ceil(found.length / 8));
  for (const [n, utxo] of found.entries()) if (utxo) bitmap[n >> 3] = (bitmap[n >> 3] ?? 0) | (1 << (n & 7));
  writer.varBytes(bitmap);
  writer.varint(hits.length);
  for (const utxo of hits) {
    // a version field that the node writes and no client reads
    writer.u32le(0);
    writer.u32le(utxo.height ?? MEMPOOL_HEIGHT);
    writer.u64le(utxo.satoshis);
    writer.varBytes(utxo.lockingScript);
  }
  return bytes(asked, format, writer.done());
}

function wantedOutpoints(
  { parts, request }: Asked,
  format: Format,
): { checkMempool: boolean; outpoints: readonly Outpoint[] } {
  const rest = parts.slice(1).filter((part) => part !== '');
  const checkMempool = rest[0] === 'checkmempool';
  const named = checkMempool ? rest.slice(1) : rest;
  const body = request.body instanceof Uint8Array ? request.body : new Uint8Array();
  if (body.length === 0) {
    if (named.length === 0) throw new StatusError(400, 'Error: empty request');
    return { checkMempool, outpoints: named.map(outpointOf) };
  }
  if (named.length > 0) {
    throw new StatusError(400, 'Combination of URI scheme inputs and raw post data is not allowed');
  }
  if (format === 'json') throw new StatusError(400, 'Error: empty request');
  try {
    const reader = new ByteReader(format === 'bin' ? body : fromHex(Buffer.from(body).toString('utf8').trim()));
    const mempool = reader.u8() !== 0;
    const outpoints: Outpoint[] = [];
    for (let left = reader.count(36); left > 0; left--) outpoints.push({ txid: reader.hash(), vout: reader.u32le() });
    return { checkMempool: mempool, outpoints };
  } catch (error) {
    if (error instanceof ChainError) throw new StatusError(400, 'Parse error');
    throw error;
  }
}

function outpointOf(text: string): Outpoint {
  const [, txid, vout] = /^([0-9a-fA-F]{64})-(\d{1,10})$/.exec(text) ?? [];
  const number = Number(vout);
  if (txid === undefined || number > 0xffffffff) throw new StatusError(400, 'Parse error');
  return { txid: txid.toLowerCase(), vout: number };
}
