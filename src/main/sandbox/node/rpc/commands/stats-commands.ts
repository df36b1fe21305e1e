import { createHash } from 'node:crypto';
import {
  ByteWriter,
  displayToHash,
  hashToDisplay,
  parseBlock,
  parseTx,
  runSteps,
  type Tx,
  type TxOutput,
  txSize,
} from '../../../../../chain/index.ts';
import {
  BlockFigures,
  type CountedOutput,
  chosenStats,
  counted,
  countedTransaction,
  pickStats,
  requireStatsHeight,
} from '../../../../node-format/block-stats.ts';
import { amount, type RpcValue } from '../../../../node-format/json.ts';
import { asInteger, failure } from '../../../../node-format/params.ts';
import type { SandboxNode } from '../../node.ts';
import { rawBlock } from '../../storage/block-bytes.ts';
import { allUtxos, type BlockRow, blockAtHeight } from '../../storage/chain-store.ts';
import { requireBlock, requireKept } from './chain-commands.ts';
import type { Commands } from './command.ts';
import { rawOf } from './proof-commands.ts';

/** Finds the outputs that a block spends, anywhere in the chain. */
function outputFinder(node: SandboxNode): (txid: string, vout: number) => Promise<TxOutput> {
  const read = new Map<string, Tx>();
  return async (txid, vout) => {
    let tx = read.get(txid);
    if (tx === undefined) {
      tx = parseTx(await rawOf(node, txid));
      read.set(txid, tx);
    }
    const output = tx.outputs[vout];
    if (output === undefined) throw failure('internal', 'Transaction index corrupt');
    return output;
  };
}

async function blockStats(node: SandboxNode, row: BlockRow, stats: unknown): Promise<RpcValue> {
  const chosen = chosenStats(stats);
  requireKept(node, row);
  const raw = await rawBlock(node.db, row.hash);
  if (raw === undefined) throw failure('misc', 'Block not available');
  const { header, transactions } = parseBlock(raw);
  const find = outputFinder(node);
  const figures = new BlockFigures();
  for (const [position, tx] of transactions.entries()) {
    const spent: CountedOutput[] = [];
    if (position > 0) for (const { txid, vout } of tx.inputs) spent.push(counted(await find(txid, vout)));
    figures.add(runSteps(countedTransaction(txSize(tx), tx.outputs)), spent);
  }
  const { hash, height, median_time: medianTime } = row;
  return pickStats(figures.all({ hash, height, time: header.time, medianTime }), chosen);
}

/**
 * Statistics of the UTXO set. `hash_serialized` is a double SHA-256 over tip, outpoints, heights, amounts and scripts, sorted by outpoint
 * text: equal sets at equal tips have equal hashes, but the value differs from implementations with another database order.
 */
async function txOutSetInfo(node: SandboxNode): Promise<RpcValue> {
  const { hash, height } = node.tip();
  const digest = createHash('sha256').update(displayToHash(hash));
  const txids = new Set<string>();
  let [txouts, bogosize, total] = [0, 0, 0];
  for await (const utxo of allUtxos(node.db)) {
    txids.add(utxo.txid);
    txouts += 1;
    // txid, output number, height with coinbase flag, amount, length, script
    bogosize += 32 + 4 + 4 + 8 + 2 + utxo.lockingScript.length;
    total += utxo.satoshis;
    const entry = new ByteWriter();
    entry.hash(utxo.txid);
    entry.u32le(utxo.vout);
    entry.u32le((utxo.height ?? 0) * 2 + (utxo.coinbase ? 1 : 0));
    entry.u64le(utxo.satoshis);
    entry.varBytes(utxo.lockingScript);
    digest.update(entry.done());
  }
  return {
    height,
    bestblock: hash,
    transactions: txids.size,
    txouts,
    bogosize,
    hash_serialized: hashToDisplay(createHash('sha256').update(digest.digest()).digest()),
    // rows contain little more than what is counted here
    disk_size: bogosize,
    total_amount: amount(total),
  };
}

export const statsCommands: Commands = {
  getblockstats: {
    run: async (node, [hash, stats]) => {
      const row = await requireBlock(node, hash);
      if (row.side !== undefined) throw failure('parameter', 'Block is not in chain regtest');
      return blockStats(node, row, stats);
    },
  },
  getblockstatsbyheight: {
    run: async (node, [height, stats]) => {
      const wanted = asInteger(height);
      requireStatsHeight(wanted, node.tip().height);
      return blockStats(node, (await blockAtHeight(node.db, wanted)) as BlockRow, stats);
    },
  },
  gettxoutsetinfo: { run: txOutSetInfo },
};
