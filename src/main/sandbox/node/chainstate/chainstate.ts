import {
  ChainError,
  formatOutpoint,
  fromHex,
  headerHash,
  medianTime,
  parseBlock,
  parseTx,
  type Satoshis,
  satoshis,
  serializeHeader,
  serializeTx,
  subsidyAt,
  txidOf,
  type Utxo,
  workOf,
} from '../../../../chain/index.ts';
import { pause } from '../../../pause.ts';
import {
  type BlockContext,
  BlockRejectedError,
  type BlockTransaction,
  checkBlock,
  checkReward,
  makeBlock,
  type NewBlock,
  serializeNewBlock,
} from '../consensus/blocks.ts';
import { GENESIS_BLOCK_HEX } from '../consensus/consensus.ts';
import type { RuleSets } from '../consensus/rule-sets.ts';
import { checkSpending, checkTransaction, isFinal } from '../consensus/validate.ts';
import { rawBlock } from '../storage/block-bytes.ts';
import {
  type BlockRow,
  blockAtHeight,
  deleteUtxos,
  findUtxos,
  insertBlock,
  insertRows,
  locateTransaction,
  minedTransaction,
  recentTimes,
  utxoRow,
  utxoRows,
} from '../storage/chain-store.ts';
import { insertUndo, moveAside, undoOf } from '../storage/side-store.ts';
import type { NodeDb, SpendsTable, UtxosTable } from '../storage/tables.ts';
import type { ScriptJob } from '../types.ts';
import { decodeUndo, encodeUndo, type SpentCoin } from './undo.ts';

/** The chain tip and the context for validating the next block. Immutable: each block creates a new one. */
export interface ChainTip extends BlockContext {
  /** Header time in seconds. */
  readonly time: number;
  /** Times of up to eleven blocks ending at the tip, oldest first. */
  readonly times: readonly number[];
  readonly chainwork: bigint;
  readonly chainTransactions: number;
  readonly arrival: number;
}

export interface ConnectOptions {
  readonly ruleSets: RuleSets;
  readonly arrival: number;
  /** True for a transaction whose scripts must be run: they were not run before, as those of the mempool were. By default none are run. */
  readonly isUnchecked?: (txid: string) => boolean;
  readonly runScripts?: RunScripts;
}

/** Runs scripts. @returns the first transaction whose scripts fail, and why; undefined if all succeed */
export type RunScripts = (
  transactions: readonly ScriptJob[],
) => Promise<{ readonly transaction: ScriptJob; readonly reason: string } | undefined>;

export async function loadTip(db: NodeDb, row: BlockRow): Promise<ChainTip> {
  return {
    hash: row.hash,
    height: row.height,
    time: row.time,
    times: await recentTimes(db, row.height),
    medianTime: row.median_time,
    chainwork: BigInt(`0x${row.chainwork}`),
    chainTransactions: row.chain_transactions,
    // a store from before arrival numbers has its blocks in height order
    arrival: (await undoOf(db, row.hash))?.arrival ?? row.height,
  };
}

/** Stores the genesis block, which is not validated. */
export async function connectGenesis(db: NodeDb): Promise<ChainTip> {
  const { header, transactions } = parseBlock(fromHex(GENESIS_BLOCK_HEX));
  const block: NewBlock = {
    hash: headerHash(header),
    header,
    transactions: transactions.map((tx) => ({ txid: txidOf(tx), tx, raw: serializeTx(tx) })),
  };
  return storeBlock(db, undefined, block, 0);
}

/**
 * Validates a block and applies it: block, transaction index, unspent outputs and undo data. The caller wraps it in a database
 * transaction.
 * @throws BlockRejectedError; the caller must roll back
 */
export async function connectBlock(
  db: NodeDb,
  tip: ChainTip,
  block: NewBlock,
  options: ConnectOptions,
): Promise<ChainTip> {
  checkBlock(block, tip);
  const height = tip.height + 1;
  const spentOutpoints = block.transactions.slice(1).flatMap(({ tx }) => tx.inputs.map(formatOutpoint));
  const unspent = await findUtxos(db, spentOutpoints);
  const added = new Map<string, UtxosTable>();
  const spent: string[] = [];
  const spends: SpendsTable[] = [];
  const undo: SpentCoin[] = [];
  const unchecked: ScriptJob[] = [];
  let fees = 0;
  for (const [position, transaction] of block.transactions.entries()) {
    await pause();
    const { txid, tx, raw } = transaction;
    if (!isFinal(tx, height, tip.medianTime)) throw new BlockRejectedError('bad-txns-nonfinal', transaction);
    if (position > 0) {
      const rejection = checkTransaction(tx);
      if (rejection) throw new BlockRejectedError(rejection.reason, transaction);
      const coins: (Utxo & SpentCoin)[] = [];
      for (const [input, { txid: parent, vout }] of tx.inputs.entries()) {
        const outpoint = formatOutpoint({ txid: parent, vout });
        const coin = unspent.get(outpoint);
        if (coin === undefined) throw new BlockRejectedError('bad-txns-inputs-missingorspent', transaction);
        const taken = { txid: parent, vout, ...coin, height: coin.height ?? height };
        coins.push(taken);
        undo.push(taken);
        unspent.delete(outpoint);
        spends.push({ outpoint, spender: txid, input });
        // an output created and spent in the same block never enters the UTXO set
        if (!added.delete(outpoint)) spent.push(outpoint);
      }
      const fee = checkSpending(tx, coins, height);
      if (typeof fee !== 'number') throw new BlockRejectedError(fee.reason, transaction);
      fees += fee;
      if (options.isUnchecked?.(txid))
        unchecked.push({ txid, tx, raw, spent: coins, rules: options.ruleSets.inBlock(height, coins) });
    }
    for (const row of utxoRows(txid, tx, height, position === 0)) {
      added.set(row.outpoint, row);
      unspent.set(row.outpoint, {
        satoshis: row.satoshis as Satoshis,
        lockingScript: row.script,
        height,
        coinbase: position === 0,
      });
    }
  }
  const coinbase = block.transactions[0];
  if (coinbase) checkReward(coinbase, subsidyAt(height), fees);
  const failure = unchecked.length > 0 ? await options.runScripts?.(unchecked) : undefined;
  if (failure !== undefined) {
    const { transaction, reason } = failure;
    throw new BlockRejectedError('blk-bad-inputs', { ...transaction, reason: `blk-bad-inputs (${reason})` });
  }
  await deleteUtxos(db, spent);
  await insertRows(db, 'node_utxos', [...added.values()]);
  await insertRows(db, 'node_spends', spends, 'replace');
  await insertUndo(db, block.hash, options.arrival, encodeUndo(undo));
  return storeBlock(db, tip, block, options.arrival);
}

export interface DisconnectedBlock {
  /** The previous block, which is the new tip. */
  readonly tip: ChainTip;
  readonly block: NewBlock;
  /** Transactions that are no longer mined, in block order, with their fees. */
  readonly released: readonly (BlockTransaction & { readonly fee: Satoshis })[];
}

/**
 * Disconnects the tip: its outputs leave the UTXO set, the outputs it spent return, and it becomes a side block. The caller wraps it in a
 * database transaction.
 */
export async function disconnectBlock(db: NodeDb, tip: ChainTip): Promise<DisconnectedBlock> {
  const previous = await blockAtHeight(db, tip.height - 1);
  const raw = await rawBlock(db, tip.hash);
  if (previous === undefined || raw === undefined) throw new Error(`block ${tip.hash} cannot be taken off the chain`);
  const block = readBlock(raw);
  const own = new Set(block.transactions.map(({ txid }) => txid));
  const coins = await spentCoins(db, block, tip.height);
  const restored: UtxosTable[] = [];
  const released: (BlockTransaction & { fee: Satoshis })[] = [];
  let at = 0;
  for (const transaction of block.transactions.slice(1)) {
    let fee = 0;
    for (const input of transaction.tx.inputs) {
      const coin = coins[at++] as SpentCoin;
      fee += coin.satoshis;
      // outputs created and spent within the block were never in the set
      if (!own.has(input.txid)) restored.push(utxoRow(formatOutpoint(input), coin));
    }
    for (const output of transaction.tx.outputs) fee -= output.satoshis;
    released.push({ ...transaction, fee: satoshis(fee) });
  }
  await deleteUtxos(
    db,
    block.transactions.flatMap(({ txid, tx }) => tx.outputs.map((_, vout) => formatOutpoint({ txid, vout }))),
  );
  await insertRows(db, 'node_utxos', restored);
  await moveAside(db, tip.hash, tip.arrival);
  return { tip: await loadTip(db, previous), block, released };
}

/** The outputs that a block spent, from its undo data or, in an older store, from the blocks that created them. */
export async function spentCoins(db: NodeDb, block: NewBlock, height: number): Promise<SpentCoin[]> {
  const kept = await undoOf(db, block.hash);
  if (kept !== undefined) return decodeUndo(kept.undo);
  const own = new Map(block.transactions.map(({ txid, tx }) => [txid, tx]));
  const coins: SpentCoin[] = [];
  for (const { tx } of block.transactions.slice(1)) {
    for (const { txid, vout } of tx.inputs) {
      const at = own.has(txid) ? undefined : await locateTransaction(db, txid);
      const parent = own.get(txid) ?? (at && parseTx(await minedTransaction(db, at)));
      const output = parent?.outputs[vout];
      if (output === undefined) throw new Error(`what block ${block.hash} spent cannot be found`);
      coins.push({
        satoshis: output.satoshis,
        lockingScript: output.script,
        height: at?.height ?? height,
        coinbase: at?.position === 0,
      });
    }
  }
  return coins;
}

/** Parses a serialised block. @throws ChainError `block-malformed` */
export function readBlock(raw: Uint8Array): NewBlock {
  const { header, transactions } = parseBlock(raw);
  return {
    hash: headerHash(header),
    header,
    transactions: transactions.map((tx) => {
      const bytes = serializeTx(tx);
      return { txid: txidOf(bytes), tx, raw: bytes };
    }),
  };
}

/** Parses a block from outside. @returns undefined for malformed bytes */
export function blockFrom(raw: Uint8Array): NewBlock | undefined {
  try {
    return readBlock(raw);
  } catch (error) {
    if (error instanceof ChainError) return undefined;
    throw error;
  }
}

async function storeBlock(
  db: NodeDb,
  previous: ChainTip | undefined,
  block: NewBlock,
  arrival: number,
): Promise<ChainTip> {
  const { raw, starts } = serializeNewBlock(block);
  const tip = following(previous, block, arrival);
  await insertBlock(
    db,
    blockRow(tip, block, raw.length),
    raw,
    block.transactions.map((transaction, position) => ({
      txid: transaction.txid,
      block_hash: block.hash,
      height: tip.height,
      position,
      start: starts[position] as number,
      size: transaction.raw.length,
    })),
  );
  return tip;
}

export function following(previous: ChainTip | undefined, block: NewBlock, arrival: number): ChainTip {
  const { header, hash, transactions } = block;
  const times = [...(previous?.times ?? []), header.time].slice(-11);
  return {
    hash,
    height: (previous?.height ?? -1) + 1,
    time: header.time,
    times,
    medianTime: medianTime(times),
    chainwork: (previous?.chainwork ?? 0n) + workOf(header.bits),
    chainTransactions: (previous?.chainTransactions ?? 0) + transactions.length,
    arrival,
  };
}

export function blockRow(tip: ChainTip, { header, transactions }: NewBlock, size: number): BlockRow {
  return {
    hash: tip.hash,
    height: tip.height,
    previous_hash: header.previousHash,
    header: serializeHeader(header),
    chainwork: tip.chainwork.toString(16).padStart(64, '0'),
    time: header.time,
    median_time: tip.medianTime,
    size,
    transactions: transactions.length,
    chain_transactions: tip.chainTransactions,
  };
}

/** Blocks of a new chain: enough for the first twenty coinbases to mature. */
const FIRST_BLOCKS = 120;
const WALLET_BLOCKS = 10;
const FIRST_BLOCK_SPACING_S = 600;

/**
 * Builds the initial chain of a sandbox: the first ten blocks pay the wallet, the others the faucet. They are ten minutes apart and end
 * now. The caller wraps it in a database transaction.
 * @param now seconds
 */
export async function buildFirstChain(
  db: NodeDb,
  scripts: { wallet: Uint8Array; faucet: Uint8Array },
  now: number,
  ruleSets: RuleSets,
): Promise<ChainTip> {
  let tip = await connectGenesis(db);
  for (let height = 1; height <= FIRST_BLOCKS; height++) {
    const planned = now - (FIRST_BLOCKS - height) * FIRST_BLOCK_SPACING_S;
    const block = makeBlock({
      height,
      previousHash: tip.hash,
      // a clock before the genesis block must not stop the chain
      time: Math.max(planned, tip.time + 1),
      payTo: height <= WALLET_BLOCKS ? scripts.wallet : scripts.faucet,
      reward: subsidyAt(height),
      transactions: [],
    });
    tip = await connectBlock(db, tip, block, { arrival: height, ruleSets });
  }
  return tip;
}
