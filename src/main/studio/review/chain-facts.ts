import { parseTxInSteps, type Tx, type Utxo } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import { inTurns } from '../../pause.ts';
import type { BlockPlace, ChainData } from '../../ports/chain-data.ts';
import type { CoinFact } from './review-subject.ts';

export interface PlacedTx {
  readonly raw: Uint8Array;
  readonly tx: Tx;
  /** Null while it waits in the mempool, or where its block is not on the main chain. */
  readonly block: BlockPlace | null;
}

/** A transaction with the block that is said to hold it. @returns undefined where nobody knows it. @throws PlanchetError `upstream-*` */
export async function placedTransaction(chainData: ChainData, txid: string): Promise<PlacedTx | undefined> {
  const { value: placed } = await chainData.placed(txid);
  return placed && { ...placed, tx: await inTurns(parseTxInSteps(placed.raw)) };
}

/** Reads transactions as {@link placedTransaction} does, each once. The reader throws PlanchetError `not-found`. */
export function placedReader(chainData: ChainData): (txid: string) => Promise<PlacedTx> {
  const read = new Map<string, PlacedTx>();
  return async (txid) => {
    const placed = read.get(txid) ?? (await placedTransaction(chainData, txid));
    if (placed === undefined) throw new PlanchetError('token.transaction-unknown', { txid });
    read.set(txid, placed);
    return placed;
  };
}

/** @returns undefined where no public service answers */
async function orUnanswered<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof PlanchetError && error.id === 'chain.sources-unavailable') return undefined;
    throw error;
  }
}

/**
 * What is known of chosen coins. Values and scripts are read from the transactions that made them, whose bytes are proven by their
 * id. If nobody has such a transaction, or no public service answers, the coin counts as the wallet knows it; of the chain's answer only whether the
 * output is unspent is used then.
 * @throws PlanchetError `upstream-*`
 */
export async function coinFacts(chainData: ChainData, coins: readonly Utxo[]): Promise<CoinFact[]> {
  const sources = new Map<string, Tx | undefined>();
  const facts: CoinFact[] = [];
  for (const coin of coins) {
    const { txid, vout } = coin;
    const told = await orUnanswered(chainData.output(coin));
    if (told === undefined) {
      facts.push({ txid, vout, utxo: coin, unspent: true, isUnanswered: true });
      continue;
    }
    const unspent = told.value?.state === 'unspent';
    if (!sources.has(txid)) {
      const { value: raw } = await chainData.transaction(txid);
      sources.set(txid, raw && (await inTurns(parseTxInSteps(raw))));
    }
    const made = sources.get(txid)?.outputs[vout];
    const known = unspent ? coin : undefined;
    const utxo = made ? { txid, vout, satoshis: made.satoshis, lockingScript: made.script } : known;
    facts.push({ txid, vout, utxo, unspent });
  }
  return facts;
}
