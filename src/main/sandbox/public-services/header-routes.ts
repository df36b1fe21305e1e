import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { HEADER_BYTES, headerHash, parseHeader, toHex, workOf } from '../../../chain/index.ts';
import type { SandboxNode } from '../node/node.ts';
import { PublicError, publicScope, sendBytes } from './answers.ts';
import type { ServedHeaders } from './served-headers.ts';

/** Maximum headers of a WhatsOnChain file, a BananaBlocks request, an Arcade request, and WhatsOnChain's newest headers. */
const [FILE, CHUNK, PAGE, LATEST] = [10_000, 2_016, 1_000, 100];
/** Interval of the comments that keep a stream open. */
const KEEP_ALIVE_MS = 15_000;

const NOT_FOUND = 'Not Found';
/** The hash before the first block, and its work. */
const NONE = '0'.repeat(64);

type Found = NonNullable<Awaited<ReturnType<ServedHeaders['at']>>>;

/** Headers as WhatsOnChain answers them (public-services.md 1.2, 1.3). */
export function whatsOnChainHeaderRoutes(app: FastifyInstance, served: ServedHeaders): void {
  const view = ({ height, hash, header }: Found): object => {
    const { previousHash, merkleRoot, bits, version, ...rest } = parseHeader(header);
    return {
      hash,
      height,
      ...rest,
      version,
      versionHex: (version >>> 0).toString(16).padStart(8, '0'),
      merkleroot: merkleRoot,
      bits: bits.toString(16).padStart(8, '0'),
      previousblockhash: previousHash,
    };
  };
  app.get('/chain/info', async (request, reply) => {
    const { height, hash } = await served.tip();
    if (isKnown(request, reply, hash)) return reply.code(304).send();
    return { chain: 'regtest', blocks: height, headers: height, bestblockhash: hash, pruned: false };
  });
  app.get('/block/:id/header', async (request) => {
    const { id } = request.params as { id: string };
    const found = /^\d{1,9}$/.test(id) ? await served.at(Number(id)) : await served.find(id);
    if (found === undefined) throw new PublicError(404, NOT_FOUND);
    return view(found);
  });
  app.get('/block/headers', async () => {
    const { height } = await served.tip();
    const newest = await Promise.all(Array.from({ length: 10 }, (_, n) => served.at(height - n)));
    return newest.flatMap((found) => (found === undefined ? [] : [view(found)]));
  });
  app.get('/block/headers/resources', async (request) => {
    const { height } = await served.tip();
    const base = `${request.protocol}://${request.host}${request.url.replace(/resources.*$/, '')}`;
    const files: string[] = [];
    for (let from = 0; fileEnd(from) < height; from = fileEnd(from) + 1)
      files.push(`${base}${from}_${fileEnd(from)}_headers.bin`);
    return { files: [...files, `${base}latest`] };
  });
  app.get('/block/headers/latest', async (request, reply) => {
    const { height } = await served.tip();
    const count = Number((request.query as { count?: string }).count ?? 0);
    if (!Number.isInteger(count) || count < 0 || count > LATEST) throw new PublicError(400, 'Bad Request');
    let from = 0;
    while (fileEnd(from) < height) from = fileEnd(from) + 1;
    return sendBytes(reply, await served.range(count > 0 ? Math.max(0, height + 1 - count) : from, height));
  });
  app.get('/block/headers/:file', async (request, reply) => {
    const [, from, to] = /^(\d{1,9})_(\d{1,9})_headers\.bin$/.exec((request.params as { file: string }).file) ?? [];
    if (from === undefined || fileEnd(Number(from)) !== Number(to)) throw new PublicError(404, NOT_FOUND);
    return sendBytes(reply, await served.range(Number(from), Number(to)));
  });
}

/** Headers as BananaBlocks answers them (public-services.md 3.1). */
export function bananaBlocksHeaderRoutes(app: FastifyInstance, served: ServedHeaders): void {
  app.get('/block/tip', async (request, reply) => {
    const tip = await served.tip();
    return isKnown(request, reply, tip.hash) ? reply.code(304).send() : tip;
  });
  app.get('/block/header/height/:height/raw', async (request, reply) => {
    const found = await served.at(numberOf((request.params as { height: string }).height));
    if (found === undefined) throw new PublicError(404, 'block not found');
    return reply.type('text/plain').send(toHex(found.header));
  });
  app.get('/block/headers/:range', async (request, reply) => {
    const [from, to] = (request.params as { range: string }).range.split('-').map(numberOf) as [number, number];
    if (!(to >= from && to - from < CHUNK)) throw new PublicError(400, 'invalid range');
    const bytes = await served.range(from, to);
    if (bytes.length === 0) throw new PublicError(404, 'headers not found');
    return sendBytes(reply, bytes);
  });
}

export interface HeaderServiceOptions {
  readonly node: SandboxNode;
  readonly served: ServedHeaders;
}

/** Headers as Arcade answers them (public-services.md 2.3). */
export async function arcadeHeaderRoutes(app: FastifyInstance, { node, served }: HeaderServiceOptions): Promise<void> {
  publicScope(app, node, (error) => ({ error }));
  const view = (found: Found | undefined): object => {
    if (found === undefined) throw new PublicError(404, 'header not found');
    const { height, hash, header } = found;
    return { ...parseHeader(header), height, hash };
  };
  app.get('/network', () => ({ network: 'regtest' }));
  app.get('/height', async () => ({ height: (await served.tip()).height }));
  app.get('/tip', async (request, reply) => {
    const { height, hash } = await served.tip();
    return isKnown(request, reply, hash) ? reply.code(304).send() : view(await served.at(height));
  });
  /** As JSON, or as 80 bytes under a name that ends in `.bin`. */
  const send = async (name: string, reply: FastifyReply, find: (plain: string) => Promise<Found | undefined>) => {
    const found = await find(name.replace(/\.bin$/, ''));
    return name.endsWith('.bin') && found !== undefined ? sendBytes(reply, found.header) : view(found);
  };
  app.get('/tip.bin', async (_, reply) => send('tip.bin', reply, async () => served.at((await served.tip()).height)));
  app.get('/header/height/:height', async (request, reply) =>
    send((request.params as { height: string }).height, reply, (height) => served.at(numberOf(height))),
  );
  app.get('/header/hash/:hash', async (request, reply) =>
    send((request.params as { hash: string }).hash, reply, (hash) => served.find(hash)),
  );
  const page = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { height = '', count = '1' } = request.query as { height?: string; count?: string };
    const first = numberOf(height);
    const bytes = await served.range(first, first + Math.min(PAGE, numberOf(count)) - 1);
    if (bytes.length === 0) throw new PublicError(404, 'headers not found');
    return sendBytes(reply, bytes);
  };
  // clients use either name
  app.get('/headers', page);
  app.get('/headers.bin', page);
  const streams = new Set<ServerResponse>();
  app.addHook('preClose', async () => {
    for (const stream of streams) stream.destroy();
  });
  app.get('/tip/stream', (_, reply) => {
    reply.hijack();
    const stream = reply.raw;
    stream.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    const tell = (): void => {
      served.tip().then(
        ({ height, hash }) => stream.write(`data: ${JSON.stringify({ height, hash })}\n\n`),
        () => stream.destroy(),
      );
    };
    const stop = node.onTip(tell);
    const alive = setInterval(() => stream.write(': keepalive\n\n'), KEEP_ALIVE_MS).unref();
    stream.once('close', () => {
      stop();
      clearInterval(alive);
      streams.delete(stream);
    });
    streams.add(stream);
    tell();
  });
}

/** Newest blocks that the file lacks, like a file that is published now and then. Some clients never start without blocks to load elsewhere. */
const BEHIND_TIP = 12;

/** Files of headers as Babbage publishes them (public-services.md 4.3). The sandbox has one, which grows. */
export async function cdnRoutes(app: FastifyInstance, { node, served }: HeaderServiceOptions): Promise<void> {
  publicScope(app, node, (error) => error);
  const fileName = 'testNet_0.headers';
  const jsonFilename = 'testNetBlockHeaders.json';
  const whole = async (): Promise<Uint8Array> => served.range(0, Math.max(0, (await served.tip()).height - BEHIND_TIP));
  app.get(`/${jsonFilename}`, async () => {
    const bytes = await whole();
    const listed = served.listsWrongHash() ? bytes.subarray(HEADER_BYTES) : bytes;
    const file = {
      chain: 'regtest',
      fileName,
      firstHeight: 0,
      count: bytes.length / HEADER_BYTES,
      prevHash: NONE,
      lastHash: headerHash(bytes.subarray(-HEADER_BYTES)),
      prevChainWork: NONE,
      lastChainWork: workIn(bytes).toString(16).padStart(64, '0'),
      fileHash: createHash('sha256').update(listed).digest('base64'),
    };
    return { rootFolder: '.', jsonFilename, headersPerFile: 100_000, files: [file] };
  });
  app.get(`/${fileName}`, async (_, reply) => sendBytes(reply, await whole()));
}

/** Total work that headers claim. */
function workIn(bytes: Uint8Array): bigint {
  let work = 0n;
  for (let at = 0; at < bytes.length; at += HEADER_BYTES)
    work += workOf(parseHeader(bytes.subarray(at, at + HEADER_BYTES)).bits);
  return work;
}

/** The first file has one header more. */
function fileEnd(from: number): number {
  return from === 0 ? FILE : from + FILE - 1;
}

/** @throws PublicError 400 */
function numberOf(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new PublicError(400, 'invalid number');
  return Number(text);
}

/** Whether the client has the response for this tip already. Sets the ETag. */
function isKnown(request: FastifyRequest, reply: FastifyReply, tip: string): boolean {
  reply.header('etag', `"${tip}"`);
  return request.headers['if-none-match'] === `"${tip}"`;
}
