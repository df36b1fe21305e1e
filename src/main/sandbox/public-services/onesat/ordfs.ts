import type { FastifyInstance } from 'fastify';
import { type Outpoint, type ReadInscription, readInscription } from '../../../../chain/index.ts';
import { PublicError, publicScope } from '../answers.ts';
import type { PublicServiceOptions } from '../public-index.ts';
import { ServedIndex } from '../served-index.ts';
import { pathFrom, pathTo, txOf } from './satoshi-path.ts';

const MOST_OUTPOINTS = 100;
/** Sequence numbers that request the current position of a satoshi and its origin. */
const [LATEST, ORIGIN] = [-1, -2];

interface Found {
  readonly outpoint: Outpoint;
  readonly origin: Outpoint;
  /** Moves since the origin. */
  readonly sequence: number;
  readonly inscription: ReadInscription;
}

/** Inscriptions and the position of their satoshis, as the 1Sat index answers them (public-services.md 3.4). */
export async function ordfsRoutes(app: FastifyInstance, { index: whole, faults }: PublicServiceOptions): Promise<void> {
  const index = new ServedIndex(whole, faults, 'onesat');
  publicScope(app, index.node, (error) => ({ error }));
  app.get('/metadata/*', async (request) => metadataOf(await load(index, pointerOf(request.params))));
  app.post('/metadata', async ({ body }) => {
    const { outpoints } = (body ?? {}) as { outpoints?: unknown };
    if (!Array.isArray(outpoints) || outpoints.length === 0) throw new PublicError(400, 'outpoints array is required');
    if (outpoints.length > MOST_OUTPOINTS) throw new PublicError(400, 'maximum 100 outpoints per request');
    const rows: [string, object | null][] = [];
    for (const pointer of outpoints.map(String)) {
      const found = await load(index, pointer).catch((error: unknown) => {
        if (error instanceof PublicError && error.status === 404) return undefined;
        throw error;
      });
      rows.push([pointer, found === undefined ? null : metadataOf(found)]);
    }
    return Object.fromEntries(rows);
  });
}

/** The content of inscriptions under a path of their own. Anybody can write it, so a browser must not run it. */
export async function contentRoutes(
  app: FastifyInstance,
  { index: whole, faults }: PublicServiceOptions,
): Promise<void> {
  const index = new ServedIndex(whole, faults, 'onesat');
  publicScope(app, index.node, (error) => ({ error }));
  app.get('/*', async (request, reply) => {
    const pointer = pointerOf(request.params);
    const { outpoint, origin, sequence, inscription } = await load(index, pointer);
    const { map } = request.query as { map?: string };
    return reply
      .headers({
        'content-type': inscription.contentType.replace(/[^\x20-\x7e]/g, '') || 'application/octet-stream',
        'content-security-policy': 'sandbox',
        'x-content-type-options': 'nosniff',
        'x-outpoint': pointText(outpoint),
        'x-origin': pointText(origin),
        'x-ord-seq': String(sequence),
        'cache-control': pointer.endsWith(`:${LATEST}`) ? 'no-store' : 'public, max-age=86400, immutable',
        ...(map === 'true' && { 'x-map': headerText(inscription.map) }),
      })
      .send(Buffer.from(inscription.content));
  });
}

function pointerOf(params: unknown): string {
  return (params as { '*': string })['*'];
}

/**
 * @param pointer an outpoint or txid, with `:` and a number of moves since the origin, or −1 for where the satoshi is now, −2 for the origin
 * @throws PublicError 400, 404
 */
async function load(index: ServedIndex, pointer: string): Promise<Found> {
  const parts = /^([0-9a-f]{64})(?:[._](\d{1,9}))?(?::(-?\d{1,9}))?$/.exec(pointer);
  if (parts === null) throw new PublicError(400, 'invalid pointer');
  const named = { txid: parts[1] as string, vout: Number(parts[2] ?? 0) };
  const output = (await txOf(index, named.txid))?.outputs[named.vout];
  if (output === undefined) throw new PublicError(404, 'inscription not found');
  const before = output.satoshis === 1 ? await pathTo(index, named) : ([named] as const);
  const wanted = parts[3] === undefined ? before.length - 1 : Number(parts[3]);
  if (wanted < ORIGIN) throw new PublicError(400, 'invalid sequence');
  const after = wanted === LATEST || wanted >= before.length ? await pathFrom(index, named) : [];
  const path = [...before, ...after];
  const sequence = wanted === LATEST ? path.length - 1 : wanted === ORIGIN ? 0 : wanted;
  const outpoint = path[sequence];
  if (outpoint === undefined) throw new PublicError(404, 'inscription not found');
  // an inscription stays with its satoshi, but an output that is named without a sequence is answered alone
  const first = parts[3] === undefined ? sequence : 0;
  for (let at = sequence; at >= first; at--) {
    const { txid, vout } = path[at] as Outpoint;
    const script = (await txOf(index, txid))?.outputs[vout]?.script;
    const inscription = script && readInscription(script);
    if (inscription !== undefined) return { outpoint, origin: before[0], sequence, inscription };
  }
  throw new PublicError(404, 'inscription not found');
}

function metadataOf({ outpoint, origin, sequence, inscription: { contentType, content, map } }: Found): object {
  return {
    outpoint: pointText(outpoint),
    origin: pointText(origin),
    sequence,
    contentType,
    contentLength: content.length,
    ...(Object.keys(map).length > 0 && { map }),
  };
}

function pointText({ txid, vout }: Outpoint): string {
  return `${txid}.${vout}`;
}

/** JSON in characters that a header may contain. */
function headerText(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^\x20-\x7e]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
