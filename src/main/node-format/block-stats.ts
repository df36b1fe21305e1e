import { type Steps, subsidyAt, type TxOutput, varintSize } from '../../chain/index.ts';
import { amount } from './json.ts';
import { asArray, asString, failure, isNull } from './params.ts';
import type { RpcObject } from './views.ts';

/** Outpoint, height and coinbase flag: the node's overhead of a UTXO entry. */
const UTXO_OVERHEAD = 36 + 4 + 1;
const STEP_OUTPUTS = 512;

/** The part of an output that statistics count: its satoshis, and its bytes in the UTXO set. */
export interface CountedOutput {
  readonly satoshis: number;
  readonly size: number;
}

export function counted({ satoshis: value, script }: TxOutput): CountedOutput {
  return { satoshis: value, size: 8 + varintSize(script.length) + script.length + UTXO_OVERHEAD };
}

/** The part of a transaction that statistics count, without what it spends. */
export interface CountedTransaction {
  readonly size: number;
  readonly outputs: number;
  readonly paid: number;
  /** Bytes of its outputs in the UTXO set. */
  readonly growth: number;
}

/** @param size bytes of the transaction */
export function* countedTransaction(size: number, outputs: Iterable<TxOutput>): Steps<CountedTransaction> {
  let [count, paid, growth] = [0, 0, 0];
  for (const output of outputs) {
    const { satoshis, size: taken } = counted(output);
    [count, paid, growth] = [count + 1, paid + satoshis, growth + taken];
    if (count % STEP_OUTPUTS === 0) yield '';
  }
  return { size, outputs: count, paid, growth };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const least = (values: readonly number[]): number => values.reduce((a, b) => Math.min(a, b), values[0] ?? 0);
const most = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b), 0);

interface FiguresBlock {
  readonly hash: string;
  readonly height: number;
  /** Seconds since 1970-01-01 UTC. */
  readonly time: number;
  readonly medianTime: number;
}

/** The statistics of a block (node-rpc.md section 1, STATS), from its transactions in order. The coinbase counts in few of them. */
export class BlockFigures {
  readonly #sizes: number[] = [];
  readonly #fees: number[] = [];
  readonly #rates: number[] = [];
  #transactions = 0;
  #ins = 0;
  #outs = 0;
  #totalOut = 0;
  #growth = 0;

  /** @param spent outputs that its inputs spend, in any order; none for the coinbase */
  add({ size, outputs, paid, growth }: CountedTransaction, spent: Iterable<CountedOutput>): void {
    let taken = 0;
    this.#growth += growth;
    this.#outs += outputs;
    this.#transactions += 1;
    if (this.#transactions === 1) return;
    for (const output of spent) {
      taken += output.satoshis;
      this.#growth -= output.size;
      this.#ins += 1;
    }
    this.#totalOut += paid;
    this.#sizes.push(size);
    this.#fees.push(taken - paid);
    this.#rates.push(Math.floor((taken - paid) / size));
  }

  /** All statistics, in the node's order. */
  all({ hash, height, time, medianTime }: FiguresBlock): RpcObject {
    const [sizes, fees, rates] = [this.#sizes, this.#fees, this.#rates];
    const [bytes, fee] = [sum(sizes), sum(fees)];
    const each = (total: number): number => (sizes.length === 0 ? 0 : Math.floor(total / sizes.length));
    return {
      avgfee: amount(each(fee)),
      avgfeerate: amount(bytes === 0 ? 0 : Math.floor(fee / bytes)),
      avgtxsize: each(bytes),
      blockhash: hash,
      height,
      ins: this.#ins,
      maxfee: amount(most(fees)),
      maxfeerate: amount(most(rates)),
      maxtxsize: most(sizes),
      medianfee: amount(median(fees)),
      medianfeerate: amount(median(rates)),
      mediantime: medianTime,
      mediantxsize: median(sizes),
      minfee: amount(least(fees)),
      minfeerate: amount(least(rates)),
      mintxsize: least(sizes),
      outs: this.#outs,
      subsidy: amount(subsidyAt(height)),
      time,
      total_out: amount(this.#totalOut),
      total_size: bytes,
      totalfee: amount(fee),
      txs: this.#transactions,
      utxo_increase: this.#outs - this.#ins,
      utxo_size_inc: this.#growth,
    };
  }
}

const names = new Set(Object.keys(new BlockFigures().all({ hash: '', height: 0, time: 0, medianTime: 0 })));

/** The requested names; empty for all. @throws NodeRpcError -1; -8 for an unknown name */
export function chosenStats(stats: unknown): readonly string[] {
  const chosen = isNull(stats) ? [] : asArray(stats).map(asString);
  const unknown = chosen.find((name) => !names.has(name));
  if (unknown !== undefined) throw failure('parameter', `Invalid selected statistic ${unknown}`);
  return chosen;
}

/** The requested statistics. */
export function pickStats(all: RpcObject, chosen: readonly string[]): RpcObject {
  if (chosen.length === 0) return all;
  return Object.fromEntries(Object.entries(all).filter(([name]) => chosen.includes(name)));
}

/** @throws NodeRpcError -8 for a height that the chain does not have */
export function requireStatsHeight(height: number, tip: number): void {
  if (height < 0) throw failure('parameter', `Target block height ${height} is negative`);
  if (height > tip) throw failure('parameter', `Target block height ${height} after current tip ${tip}`);
}

function median(values: readonly number[]): number {
  if (values.length === 0) return 0;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : Math.floor(((sorted[middle - 1] as number) + upper) / 2);
}
