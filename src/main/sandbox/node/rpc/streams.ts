import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { hexPieces } from '../../../../chain/index.ts';
import { jsonPieces, type RpcValue, writeJson } from '../../../node-format/json.ts';
import { gathered, PIECE, RpcStream } from '../../../node-format/json-stream.ts';
import { inTurns } from '../../../pause.ts';
import type { SandboxNode } from '../node.ts';
import { blockPieces, blockTransactions } from '../storage/block-bytes.ts';
import { blockTxids } from '../storage/chain-store.ts';
import type { FoundBlock } from '../storage/side-store.ts';
import { headerView, type RpcObject, txidInSteps, txView } from './views.ts';

/** The complete block in hex, without quotes. */
export async function* blockHex({ db }: SandboxNode, { hash, size }: FoundBlock): AsyncGenerator<string> {
  for await (const piece of blockPieces(db, hash, 0, size)) yield* hexPieces(piece);
}

/** The block in hex as a JSON string. */
export function hexStream(node: SandboxNode, row: FoundBlock): RpcStream {
  return new RpcStream(async function* () {
    yield '"';
    yield* blockHex(node, row);
    yield '"';
  });
}

/**
 * The block as JSON, transactions first.
 * @param detailed false lists txids only
 */
export async function blockStream(node: SandboxNode, row: FoundBlock, detailed: boolean): Promise<RpcStream> {
  const header = await headerView(node, row);
  return new RpcStream(() => gathered(blockJson(node, row, header, detailed)));
}

/** Txids of a block on any branch, in block order. */
export async function txidsOf({ db }: SandboxNode, row: FoundBlock): Promise<string[]> {
  if (row.side === undefined) return blockTxids(db, row.hash);
  const txids: string[] = [];
  for await (const tx of blockTransactions(db, row.hash, row.size)) txids.push(await inTurns(txidInSteps(tx.raw)));
  return txids;
}

async function* blockJson(
  node: SandboxNode,
  row: FoundBlock,
  header: RpcObject,
  detailed: boolean,
): AsyncGenerator<string> {
  let separator = '{"tx":[';
  if (detailed) {
    for await (const tx of blockTransactions(node.db, row.hash, row.size)) {
      yield separator;
      separator = ',';
      yield* jsonPieces(txView(tx));
    }
  } else {
    for (const txid of await txidsOf(node, row)) {
      yield `${separator}"${txid}"`;
      separator = ',';
    }
  }
  yield `],${writeJson(header).slice(1)}`;
}

/**
 * Sends text like a node: with its length, or chunked.
 * @param streamed true sends each chunk as soon as it is generated
 */
export async function sendText(
  reply: FastifyReply,
  text: string | RpcStream,
  streamed: boolean,
): Promise<FastifyReply> {
  // a stream is sent chunked
  if (streamed) return reply.send(Readable.from(typeof text === 'string' ? [text] : text.pieces()));
  // bytes, because the framework adds a charset to text, and clients compare the complete type
  if (typeof text === 'string') return reply.send(Buffer.from(text));
  const pieces: string[] = [];
  for await (const piece of text.pieces()) pieces.push(piece);
  // not concatenated, which would copy everything
  const length = pieces.reduce((bytes, piece) => bytes + Buffer.byteLength(piece), 0);
  return reply.header('content-length', length).send(Readable.from(pieces));
}

/** Text followed by a newline. */
export async function* line(pieces: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  yield* pieces;
  yield '\n';
}

/** A value as text: complete if it is short, otherwise a stream. */
export function textOf(value: RpcValue): string | RpcStream {
  const pieces = jsonPieces(value);
  let begun = '';
  for (let step = pieces.next(); step.done !== true; step = pieces.next()) {
    begun += step.value;
    // an empty chunk marks a step of longer work
    if (step.value === '' || begun.length >= PIECE) return new RpcStream(() => gathered(following(begun, pieces)));
  }
  return begun;
}

function* following(begun: string, rest: Iterable<string>): Generator<string> {
  yield begun;
  yield* rest;
}
