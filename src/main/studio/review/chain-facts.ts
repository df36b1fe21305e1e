import { z } from 'zod';
import { ChainError, fromHex, parseTx, type Tx, txidOf, type Utxo } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import { isNotKnown, type NodeRpc } from '../../ports/node.ts';
import type { CoinFact } from './review-subject.ts';

/** Whole bytes in hex. */
export const bytesSchema = z.hex().refine(({ length }) => length % 2 === 0);
const txOutSchema = z.looseObject({}).nullable();
const placedTxSchema = z.object({
  hex: z.string(),
  blockhash: z.string().optional(),
  blockheight: z.number().int().optional(),
  confirmations: z.number().int().optional(),
});

export interface PlacedTx {
  readonly raw: Uint8Array;
  readonly tx: Tx;
  /** Null while it waits in the mempool, or where its block is not on the main chain. */
  readonly block: { hash: string; height: number | undefined; confirmations: number } | null;
}

/** Asks the node and reads the answer as `schema`. @throws NodeRpcError | PlanchetError `upstream-*` */
export async function ask<T extends z.ZodType>(
  node: NodeRpc,
  schema: T,
  method: string,
  params: readonly unknown[],
  signal?: AbortSignal,
): Promise<z.infer<T>> {
  const answer = await node.call<unknown>(method, params, signal === undefined ? {} : { signal });
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new PlanchetError('mint.node-answer-malformed', { method });
}

/** @returns undefined where the node does not know the transaction; otherwise its bytes, proven by their hash */
export async function rawTransaction(
  node: NodeRpc,
  txid: string,
  signal?: AbortSignal,
): Promise<Uint8Array | undefined> {
  const hex = await unlessUnknown(ask(node, z.string(), 'getrawtransaction', [txid, false], signal));
  return hex === undefined ? undefined : provenBytes(hex, txid);
}

/** A transaction with the block that holds it. @returns undefined where the node does not know it */
export async function placedTransaction(
  node: NodeRpc,
  txid: string,
  signal?: AbortSignal,
): Promise<PlacedTx | undefined> {
  const found = await unlessUnknown(ask(node, placedTxSchema, 'getrawtransaction', [txid, true], signal));
  if (found === undefined) return undefined;
  const raw = provenBytes(found.hex, txid);
  const { blockhash: hash, blockheight: height, confirmations = 0 } = found;
  const block = hash === undefined || confirmations < 1 ? null : { hash, height, confirmations };
  return { raw, tx: parseTx(raw), block };
}

/**
 * What is known of chosen coins. Values and scripts are taken from the bytes of the transactions that made them, which prove themselves
 * by their id. A node without that index is asked whether the output is unspent; the rest of its answer proves nothing, and the wallet's own coin counts.
 * @throws NodeRpcError | PlanchetError `upstream-*`
 */
export async function coinFacts(node: NodeRpc, coins: readonly Utxo[], signal?: AbortSignal): Promise<CoinFact[]> {
  const sources = new Map<string, Tx | undefined>();
  const facts: CoinFact[] = [];
  for (const coin of coins) {
    const { txid, vout } = coin;
    const out = await unlessUnknown(ask(node, txOutSchema, 'gettxout', [txid, vout, true], signal));
    if (!sources.has(txid)) {
      const raw = await rawTransaction(node, txid, signal);
      sources.set(txid, raw && parseTx(raw));
    }
    const made = sources.get(txid)?.outputs[vout];
    const utxo: Utxo | undefined = made
      ? { txid, vout, satoshis: made.satoshis, lockingScript: made.script }
      : out
        ? coin
        : undefined;
    facts.push({ txid, vout, utxo, unspent: out !== null && out !== undefined });
  }
  return facts;
}

function provenBytes(hex: string, txid: string): Uint8Array {
  try {
    const raw = fromHex(hex);
    if (txidOf(raw) === txid) return raw;
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
  }
  throw new PlanchetError('mint.node-transaction-differs', { txid });
}

async function unlessUnknown<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isNotKnown(error)) return undefined;
    throw error;
  }
}
