import {
  addressNetwork,
  bumpOfPath,
  isCoinbase,
  parseHeader,
  parseTxInSteps,
  scanSingleTx,
  serializeBeef,
  serializeExtended,
  type Tx,
  type TxOutput,
  toHex,
} from '../../../chain/index.ts';
import { type Ancestors, type Network, PlanchetError, type TransactionForms } from '../../../contract/index.ts';
import { chunks } from '../../chunks.ts';
import { jsonInSteps } from '../../node-format/json.ts';
import { txView } from '../../node-format/views.ts';
import { inTurns } from '../../pause.ts';
import type { ChainData, Inclusion } from '../../ports/chain-data.ts';
import { beefOf } from '../../wallet/coins/coin-beef.ts';

/** Transactions that are asked about on the way to the ancestors of one. */
const MAX_ASKED = 200;
/** Questions to the chain at once. */
const TOGETHER = 10;
/** Bytes of a transaction that is written in other forms: its JSON may take twenty times as many characters, which the page gets as one answer. */
const MOST_BYTES = 1_000_000;

/** Who may have a transaction: Planchet itself, which submitted it, or the chain. */
export interface TransactionSources {
  readonly chainData: ChainData;
  readonly tracked: {
    rawOf(txids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
    proofOf(txid: string): Promise<Inclusion | undefined>;
  };
}

/**
 * A transaction in the forms that other tools take.
 * @throws PlanchetError `file-too-large`, `not-found`, `upstream-*`
 */
export async function formsOf(
  sources: TransactionSources,
  { txid, network }: { txid: string; network: Network },
  signal?: AbortSignal,
): Promise<TransactionForms> {
  const from = until(sources, signal);
  const raw = await rawOf(from, txid);
  if (raw.length > MOST_BYTES)
    throw new PlanchetError('chain.transaction-too-large', { bytes: raw.length, limit: MOST_BYTES });
  const tx = await parsed(raw);
  const spent = await spentBy(from, tx);
  const proof = (await from.tracked.proofOf(txid)) ?? (await from.chainData.inclusion(txid, undefined, raw)).value;
  const json = await jsonOf(from.chainData, raw, proof, network);
  const bump = proof === undefined ? null : bumpOfPath(proof.height, proof.path);
  const beef = bump === null ? await withAncestors(from.chainData, raw) : serializeBeef([{ rawTx: raw, bump }]);
  return {
    ef: spent === undefined ? null : toHex(serializeExtended({ tx, spent })),
    beef: beef === null ? null : toHex(beef),
    bump: bump === null ? null : toHex(bump),
    header: proof === undefined ? null : toHex(proof.header),
    json,
  };
}

/**
 * What a transaction builds on that waits for a block as well, the nearest first.
 * @throws PlanchetError `not-found`, `upstream-*`
 */
export async function ancestorsOf(sources: TransactionSources, txid: string, signal?: AbortSignal): Promise<Ancestors> {
  const from = until(sources, signal);
  const found: string[] = [];
  const asked = new Set([txid]);
  let level: readonly Uint8Array[] = [await rawOf(from, txid)];
  while (level.length > 0) {
    const txs: Tx[] = [];
    for (const raw of level) txs.push(await parsed(raw));
    const parents = [...new Set(txs.flatMap(parentsOf))].filter((parent) => !asked.has(parent));
    const room = MAX_ASKED - asked.size;
    const waiting = await inMempool(from.chainData, parents.slice(0, room));
    for (const parent of parents) asked.add(parent);
    found.push(...waiting);
    if (parents.length > room) return { txids: found, isComplete: false };
    level = [...(await from.chainData.transactions(waiting)).values()];
  }
  return { txids: found, isComplete: true };
}

function until({ chainData, tracked }: TransactionSources, signal: AbortSignal | undefined): TransactionSources {
  return { chainData: signal === undefined ? chainData : chainData.until(signal), tracked };
}

async function rawOf({ chainData, tracked }: TransactionSources, txid: string): Promise<Uint8Array> {
  const raw = (await tracked.rawOf([txid])).get(txid) ?? (await chainData.transaction(txid)).value;
  if (raw === undefined) throw new PlanchetError('mint.transaction-unknown');
  return raw;
}

function parsed(raw: Uint8Array): Promise<Tx> {
  return inTurns(parseTxInSteps(raw));
}

function parentsOf(tx: Tx): string[] {
  return isCoinbase(tx) ? [] : tx.inputs.map(({ txid }) => txid);
}

async function jsonOf(
  chainData: ChainData,
  raw: Uint8Array,
  proof: Inclusion | undefined,
  network: Network,
): Promise<string> {
  const rules = { network: addressNetwork(network), beforeGenesis: false };
  const tx = await inTurns(scanSingleTx(raw));
  if (proof === undefined) return inTurns(jsonInSteps(txView(tx, undefined, rules)));
  const { hash, height, header } = proof;
  const confirmations = Math.max(1, (await chainData.tip()).value.height - height + 1);
  const details = { confirmations, time: parseHeader(header).time, height };
  return inTurns(jsonInSteps(txView(tx, { hash, details }, rules)));
}

/** @returns undefined where one of them is not known, and for a transaction that makes new coins */
async function spentBy({ chainData, tracked }: TransactionSources, tx: Tx): Promise<TxOutput[] | undefined> {
  const parents = [...new Set(parentsOf(tx))];
  if (parents.length === 0) return undefined;
  const own = await tracked.rawOf(parents);
  const others = await chainData.transactions(parents.filter((parent) => !own.has(parent)));
  const outputs = new Map<string, readonly TxOutput[]>();
  for (const [parent, bytes] of [...own, ...others]) outputs.set(parent, (await parsed(bytes)).outputs);
  const spent: TxOutput[] = [];
  for (const { txid, vout } of tx.inputs) {
    const output = outputs.get(txid)?.[vout];
    if (output === undefined) return undefined;
    spent.push(output);
  }
  return spent;
}

/** @returns null if one of its ancestors cannot be found */
async function withAncestors(chainData: ChainData, raw: Uint8Array): Promise<Uint8Array | null> {
  try {
    return await beefOf(raw, chainData);
  } catch (error) {
    if (error instanceof PlanchetError && error.code === 'not-found') return null;
    throw error;
  }
}

async function inMempool(chainData: ChainData, txids: readonly string[]): Promise<string[]> {
  const waiting: string[] = [];
  for (const part of chunks(txids, TOGETHER)) {
    const answers = await Promise.all(part.map((txid) => chainData.isInMempool(txid)));
    waiting.push(...part.filter((_, index) => answers[index]?.value === true));
  }
  return waiting;
}
