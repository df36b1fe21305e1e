import {
  formatOutpoint,
  type LazyTx,
  type Outpoint,
  parseHeader,
  type Steps,
  scanSingleTx,
} from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import {
  BlockFigures,
  type CountedOutput,
  type CountedTransaction,
  chosenStats,
  counted,
  countedTransaction,
  pickStats,
  requireStatsHeight,
} from '../../node-format/block-stats.ts';
import { asInteger, asLooseHash } from '../../node-format/params.ts';
import type { RpcObject } from '../../node-format/views.ts';
import { inTurns } from '../../pause.ts';
import type { ChainHeader } from '../../ports/headers.ts';
import { bytesOf, listed } from './block-commands.ts';
import type { PublicCommands, PublicContext } from './command.ts';
import { blockAt, medianTimeAt, requireHeader, tipOf } from './header-commands.ts';

const STEP_OUTPUTS = 512;
/** Inputs of a block of which the figures are made here. */
const MOST_INPUTS = 100_000;

/** A transaction of the block, without its bytes. The first spends nothing. */
interface Part {
  readonly counted: CountedTransaction;
  readonly inputs: readonly Outpoint[];
}

/** The transactions of a block in order; undefined where they spend from too many. */
async function partsOf(context: PublicContext, txids: readonly string[]): Promise<Part[] | undefined> {
  const parts: Part[] = [];
  let inputs = 0;
  for await (const raw of bytesOf(context, txids)) {
    const tx = await inTurns(scanSingleTx(raw));
    const isFirst = parts.length === 0;
    inputs += isFirst ? 0 : tx.inputCount;
    if (inputs > MOST_INPUTS) return undefined;
    const spent = isFirst ? [] : [...tx.inputs()].map(({ txid, vout }) => ({ txid, vout }));
    parts.push({ counted: await inTurns(countedTransaction(raw.length, tx.outputs())), inputs: spent });
  }
  return parts;
}

/** The outputs that a block spends, also its own, by outpoint. */
async function spentBy(context: PublicContext, parts: readonly Part[]): Promise<ReadonlyMap<string, CountedOutput>> {
  const wanted = new Map<string, Set<number>>();
  for (const { txid, vout } of parts.flatMap(({ inputs }) => inputs)) {
    const vouts = wanted.get(txid) ?? new Set();
    wanted.set(txid, vouts.add(vout));
  }
  const parents = [...wanted.keys()];
  const found = new Map<string, CountedOutput>();
  let next = 0;
  for await (const raw of bytesOf(context, parents)) {
    const txid = parents[next++] as string;
    const tx = await inTurns(scanSingleTx(raw));
    await inTurns(findOutputs(tx, txid, wanted.get(txid) as Set<number>, found));
  }
  return found;
}

function* findOutputs(
  tx: LazyTx,
  txid: string,
  wanted: ReadonlySet<number>,
  found: Map<string, CountedOutput>,
): Steps<void> {
  let vout = 0;
  for (const output of tx.outputs()) {
    if (wanted.has(vout)) found.set(formatOutpoint({ txid, vout }), counted(output));
    vout += 1;
    if (vout % STEP_OUTPUTS === 0) yield '';
  }
}

/**
 * Every figure of a block, from the bytes of its transactions and of those that they spend from: each has its id, and the ids lead to the Merkle root
 * of the header. Undefined where nobody lists the block, or it spends from too many.
 */
async function figuresOf(context: PublicContext, found: ChainHeader): Promise<RpcObject | undefined> {
  const txids = await listed(context, found);
  if (txids === undefined) return undefined;
  const { length: count } = txids;
  const { mostTransactions: limit, headers } = context;
  const { hash, height } = found;
  if (count > limit) throw new PlanchetError('gateway.block-too-long', { hash, count, limit });
  const parts = await partsOf(context, txids);
  if (parts === undefined) return undefined;
  const spent = await spentBy(context, parts);
  const figures = new BlockFigures();
  for (const { counted: transaction, inputs } of parts) {
    const outputs = inputs.map((input) => outputOf(spent, input));
    figures.add(transaction, outputs);
  }
  const medianTime = medianTimeAt(headers, height);
  // it is made of the times of the blocks before
  if (medianTime === undefined) throw new PlanchetError('gateway.header-not-here', { height });
  return figures.all({ hash, height, time: parseHeader(found.header).time, medianTime });
}

/** A block of the chain spends only outputs that exist, so a missing one was not delivered. */
function outputOf(spent: ReadonlyMap<string, CountedOutput>, input: Outpoint): CountedOutput {
  const output = spent.get(formatOutpoint(input));
  if (output === undefined) throw new PlanchetError('gateway.block-broken-off', { txid: input.txid });
  return output;
}

async function blockStats(context: PublicContext, found: ChainHeader, stats: unknown): Promise<RpcObject | undefined> {
  const chosen = chosenStats(stats);
  const all = await figuresOf(context, found);
  return all && pickStats(all, chosen);
}

export const statsCommands: PublicCommands = {
  getblockstats: async (context, [hash, stats]) =>
    blockStats(context, await requireHeader(context, asLooseHash(hash)), stats),
  getblockstatsbyheight: async (context, [height, stats]) => {
    const wanted = asInteger(height);
    requireStatsHeight(wanted, (await tipOf(context)).height);
    return blockStats(context, await blockAt(context, wanted), stats);
  },
};
