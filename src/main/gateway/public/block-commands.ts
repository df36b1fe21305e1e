import { ByteWriter, hexPieces, parseHeader, scanSingleTx, toHex } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import { noteParts } from '../../async/asker.ts';
import { jsonPieces, type RpcValue, writeJson } from '../../node-format/json.ts';
import { gathered, RpcStream } from '../../node-format/json-stream.ts';
import { txOutProof, wantedTxids } from '../../node-format/merkle-proof.ts';
import { asInteger, asLooseHash, blockVerbosity, headerVerbosity } from '../../node-format/params.ts';
import { txView } from '../../node-format/views.ts';
import { inTurns } from '../../pause.ts';
import type { ChainHeader } from '../../ports/headers.ts';
import { begun } from '../upstream/answers/hex-answer.ts';
import type { PublicCommands, PublicContext } from './command.ts';
import { blockAt, headerView, requireHeader } from './header-commands.ts';
import { blockOf } from './transaction-commands.ts';

/** Transactions of a block that are asked for together. */
const AT_ONCE = 20;

/** The ids of a block's transactions, which lead to its Merkle root; undefined where nobody lists it. */
export async function listed(
  { chainData }: PublicContext,
  { hash, header }: ChainHeader,
): Promise<readonly string[] | undefined> {
  const { merkleRoot } = parseHeader(header);
  return (await chainData.listing({ hash, merkleRoot, transactions: undefined })).value?.txids;
}

/** The bytes of a block's transactions in order, each checked against its id. @throws PlanchetError `gateway.block-broken-off` */
export async function* bytesOf({ chainData }: PublicContext, txids: readonly string[]): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < txids.length; at += AT_ONCE) {
    const some = txids.slice(at, at + AT_ONCE);
    noteParts('transactions', at, txids.length);
    const found = await chainData.transactions(some);
    for (const txid of some) {
      const raw = found.get(txid);
      if (raw === undefined) throw new PlanchetError('gateway.block-broken-off', { txid });
      yield raw;
    }
  }
}

async function* hexOf(
  header: Uint8Array,
  count: number,
  transactions: AsyncIterable<Uint8Array>,
): AsyncGenerator<string> {
  const writer = new ByteWriter();
  writer.bytes(header);
  writer.varint(count);
  yield `"${toHex(writer.done())}`;
  for await (const raw of transactions) yield* hexPieces(raw);
  yield '"';
}

/** Transactions first: by then, the size of the block is known. */
async function* jsonOf(
  context: PublicContext,
  found: ChainHeader,
  count: number,
  transactions: AsyncIterable<Uint8Array>,
): AsyncGenerator<string> {
  const rules = { network: context.addresses, beforeGenesis: false };
  let separator = '{"tx":[';
  const begin = new ByteWriter();
  begin.varint(count);
  let size = found.header.length + begin.done().length;
  for await (const raw of transactions) {
    size += raw.length;
    yield separator;
    separator = ',';
    yield* jsonPieces(txView(await inTurns(scanSingleTx(raw)), undefined, rules));
  }
  yield `],${writeJson(await headerView(context, found, { size, transactions: count })).slice(1)}`;
}

async function blockAnswer(
  context: PublicContext,
  found: ChainHeader,
  verbosity: number,
): Promise<RpcValue | RpcStream | undefined> {
  if (verbosity === 3) return extended(context, found, false);
  const txids = await listed(context, found);
  if (txids === undefined) return undefined;
  const { length: count } = txids;
  if (verbosity === 1) return { tx: txids, ...(await headerView(context, found, { transactions: count })) };
  const { mostTransactions: limit } = context;
  if (count > limit) throw new PlanchetError('gateway.block-too-long', { hash: found.hash, count, limit });
  // a source that does not answer fails before anything was sent
  const transactions = await begun(bytesOf(context, txids));
  return new RpcStream(() =>
    gathered(verbosity === 0 ? hexOf(found.header, count, transactions) : jsonOf(context, found, count, transactions)),
  );
}

/** A header with the first transaction of its block, and what shows that it is the first; undefined where nobody names it. */
async function extended(context: PublicContext, found: ChainHeader, withProof: boolean): Promise<RpcValue | undefined> {
  const { value: coinbase } = await context.chainData.coinbase(found.hash);
  if (coinbase === undefined) return undefined;
  const rules = { network: context.addresses, beforeGenesis: false };
  const tx = [txView(await inTurns(scanSingleTx(coinbase.raw)), undefined, rules)];
  const header = await headerView(context, found);
  return withProof ? { tx, ...header, merkleproof: coinbase.nodes } : { tx, ...header };
}

export const blockCommands: PublicCommands = {
  getblockheader: async (context, [hash, verbosity]) => {
    const level = headerVerbosity(verbosity);
    const found = await requireHeader(context, asLooseHash(hash));
    if (level === 0) return toHex(found.header);
    return level === 1 ? headerView(context, found) : extended(context, found, true);
  },
  getblock: async (context, [hash, verbosity]) => {
    const found = await requireHeader(context, asLooseHash(hash));
    return blockAnswer(context, found, blockVerbosity(verbosity));
  },
  getblockbyheight: async (context, [height, verbosity]) => {
    const found = await blockAt(context, asInteger(height));
    return blockAnswer(context, found, blockVerbosity(verbosity));
  },
  gettxoutproof: async (context, [txids, blockhash]) => {
    const wanted = wantedTxids(txids);
    const found = await blockOf(context, wanted[0], blockhash);
    const inBlock = await listed(context, found);
    return inBlock && txOutProof(found.header, inBlock, wanted, blockhash !== undefined);
  },
};
