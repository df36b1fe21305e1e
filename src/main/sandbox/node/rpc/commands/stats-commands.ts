import { createHash } from 'node:crypto';
import {
  ByteWriter,
  displayToHash,
  hashToDisplay,
  parseBlock,
  parseTx,
  type Tx,
  type TxOutput,
  txSize,
  varintSize,
} from '../../../../../chain/index.ts';
import { asArray, asInteger, asString, failure, isNull } from '../../../../node-format/params.ts';
import { subsidyAt } from '../../consensus/consensus.ts';
import type { SandboxNode } from '../../node.ts';
import { rawBlock } from '../../storage/block-bytes.ts';
import {
  allUtxos,
  type BlockRow,
  blockAtHeight,
  locateTransaction,
  minedTransaction,
} from '../../storage/chain-store.ts';
import { amount, type RpcValue } from '../json.ts';
import type { RpcObject } from '../views.ts';
import { requireBlock, requireKept } from './chain-commands.ts';
import type { Commands } from './command.ts';

/** Outpoint, height and coinbase flag: the node's overhead of a UTXO entry. */
const UTXO_OVERHEAD = 36 + 4 + 1;

interface TxFigures {
  readonly size: number;
  readonly fee: number;
  readonly feeRate: number;
}

function outputSize({ script }: TxOutput): number {
  return 8 + varintSize(script.length) + script.length;
}

function median(values: readonly number[]): number {
  if (values.length === 0) return 0;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : Math.floor(((sorted[middle - 1] as number) + upper) / 2);
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const least = (values: readonly number[]): number => values.reduce((a, b) => Math.min(a, b), values[0] ?? 0);
const most = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b), 0);

/** Finds the outputs that a block spends, anywhere in the chain. */
function outputFinder(node: SandboxNode): (txid: string, vout: number) => Promise<TxOutput> {
  const read = new Map<string, Tx>();
  return async (txid, vout) => {
    let tx = read.get(txid);
    if (tx === undefined) {
      const at = await locateTransaction(node.db, txid);
      if (at === undefined) throw failure('internal', 'Transaction index corrupt');
      tx = parseTx(await minedTransaction(node.db, at));
      read.set(txid, tx);
    }
    const output = tx.outputs[vout];
    if (output === undefined) throw failure('internal', 'Transaction index corrupt');
    return output;
  };
}

async function allStats(node: SandboxNode, row: BlockRow): Promise<RpcObject> {
  const raw = await rawBlock(node.db, row.hash);
  if (raw === undefined) throw failure('misc', 'Block not available');
  const { header, transactions } = parseBlock(raw);
  const spent = outputFinder(node);
  const figures: TxFigures[] = [];
  let [ins, outs, totalOut, setGrowth] = [0, 0, 0, 0];
  for (const [position, tx] of transactions.entries()) {
    outs += tx.outputs.length;
    setGrowth += sum(tx.outputs.map((output) => outputSize(output) + UTXO_OVERHEAD));
    if (position === 0) continue;
    ins += tx.inputs.length;
    let valueIn = 0;
    for (const { txid, vout } of tx.inputs) {
      const output = await spent(txid, vout);
      valueIn += output.satoshis;
      setGrowth -= outputSize(output) + UTXO_OVERHEAD;
    }
    const valueOut = sum(tx.outputs.map(({ satoshis }) => satoshis));
    totalOut += valueOut;
    const size = txSize(tx);
    const fee = valueIn - valueOut;
    figures.push({ size, fee, feeRate: Math.floor(fee / size) });
  }
  const fees = figures.map(({ fee }) => fee);
  const feeRates = figures.map(({ feeRate }) => feeRate);
  const sizes = figures.map(({ size }) => size);
  const perTx = (total: number): number => (figures.length === 0 ? 0 : Math.floor(total / figures.length));
  return {
    avgfee: amount(perTx(sum(fees))),
    avgfeerate: amount(sum(sizes) === 0 ? 0 : Math.floor(sum(fees) / sum(sizes))),
    avgtxsize: perTx(sum(sizes)),
    blockhash: row.hash,
    height: row.height,
    ins,
    maxfee: amount(most(fees)),
    maxfeerate: amount(most(feeRates)),
    maxtxsize: most(sizes),
    medianfee: amount(median(fees)),
    medianfeerate: amount(median(feeRates)),
    mediantime: row.median_time,
    mediantxsize: median(sizes),
    minfee: amount(least(fees)),
    minfeerate: amount(least(feeRates)),
    mintxsize: least(sizes),
    outs,
    subsidy: amount(subsidyAt(row.height)),
    time: header.time,
    total_out: amount(totalOut),
    total_size: sum(sizes),
    totalfee: amount(sum(fees)),
    txs: transactions.length,
    utxo_increase: outs - ins,
    utxo_size_inc: setGrowth,
  };
}

async function blockStats(node: SandboxNode, row: BlockRow, stats: unknown): Promise<RpcValue> {
  const chosen = isNull(stats) ? [] : asArray(stats).map(asString);
  requireKept(node, row);
  const all = await allStats(node, row);
  if (chosen.length === 0) return all;
  const unknown = chosen.find((name) => !Object.hasOwn(all, name));
  if (unknown !== undefined) throw failure('parameter', `Invalid selected statistic ${unknown}`);
  return Object.fromEntries(Object.entries(all).filter(([name]) => chosen.includes(name)));
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
  const once = digest.digest();
  return {
    height,
    bestblock: hash,
    transactions: txids.size,
    txouts,
    bogosize,
    hash_serialized: hashToDisplay(createHash('sha256').update(once).digest()),
    // rows contain little more than what is counted here
    disk_size: bogosize,
    total_amount: amount(total),
  };
}

export const statsCommands: Commands = {
  getblockstats: {
    most: 4,
    run: async (node, [hash, stats]) => {
      const row = await requireBlock(node, hash);
      if (row.side !== undefined) throw failure('parameter', 'Block is not in chain regtest');
      return blockStats(node, row, stats);
    },
  },
  getblockstatsbyheight: {
    most: 4,
    run: async (node, [height, stats]) => {
      const wanted = asInteger(height);
      const tip = node.tip().height;
      if (wanted < 0) throw failure('parameter', `Target block height ${wanted} is negative`);
      const row = wanted > tip ? undefined : await blockAtHeight(node.db, wanted);
      if (row === undefined) {
        throw failure('parameter', `Target block height ${wanted} after current tip ${tip}`);
      }
      return blockStats(node, row, stats);
    },
  },
  gettxoutsetinfo: { run: txOutSetInfo },
};
