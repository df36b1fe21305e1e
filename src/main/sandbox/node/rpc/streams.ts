import { toHex, txidOf } from '../../../../chain/index.ts';
import { blockPieces, blockTransactions } from '../block-bytes.ts';
import type { SandboxNode } from '../node.ts';
import { pause } from '../pause.ts';
import type { FoundBlock } from '../side-store.ts';
import { writeJson } from './json.ts';
import { headerView, type RpcObject, txView } from './views.ts';

/** A result that is written while it is made, because it may be too large to be held whole: the pieces of its JSON. */
export class RpcStream {
  readonly pieces: () => AsyncIterable<string>;
  constructor(pieces: () => AsyncIterable<string>) {
    this.pieces = pieces;
  }
}

/** Text is gathered up to this many characters, so that no piece is too small to be worth sending. */
const PIECE = 65_536;

/** The whole block in hex, without quotes. */
export async function* blockHex({ db }: SandboxNode, { hash, size }: FoundBlock): AsyncGenerator<string> {
  for await (const piece of blockPieces(db, hash, 0, size)) yield toHex(piece);
}

/** The block in hex as a JSON text. */
export function hexStream(node: SandboxNode, row: FoundBlock): RpcStream {
  return new RpcStream(async function* () {
    yield '"';
    yield* blockHex(node, row);
    yield '"';
  });
}

/**
 * The block as JSON, transactions first.
 * @param detailed false shows txids alone
 */
export async function blockStream(node: SandboxNode, row: FoundBlock, detailed: boolean): Promise<RpcStream> {
  const header = await headerView(node, row);
  return new RpcStream(() => gathered(blockJson(node, row, header, detailed)));
}

async function* blockJson(
  { db }: SandboxNode,
  { hash, size }: FoundBlock,
  header: RpcObject,
  detailed: boolean,
): AsyncGenerator<string> {
  let separator = '{"tx":[';
  for await (const tx of blockTransactions(db, hash, size)) {
    await pause();
    yield `${separator}${writeJson(detailed ? txView(tx) : txidOf(tx))}`;
    separator = ',';
  }
  yield `],${writeJson(header).slice(1)}`;
}

/** Fewer and larger pieces of the same text. */
export async function* gathered(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let text = '';
  for await (const piece of pieces) {
    await pause();
    text += piece;
    if (text.length < PIECE) continue;
    yield text;
    text = '';
  }
  yield text;
}
