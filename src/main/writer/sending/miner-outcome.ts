import { type Failure, PlanchetError } from '../../../contract/index.ts';
import type { BatchMerchant } from '../../ports/merchant/merchant.ts';
import type { TransactionRow } from '../storage/document.ts';

/** What the miner, or the service in between, made of a transaction. */
export type SendOutcome =
  | { readonly kind: 'taken' }
  /** It was looked at and is not wanted. */
  | { readonly kind: 'refused'; readonly failure: Failure }
  /** Nobody could be asked, or the miner itself failed. */
  | { readonly kind: 'later'; readonly error: PlanchetError };

/** Sends transactions to the merchant API in one request. */
export async function sendToMiner(merchant: BatchMerchant, rows: readonly TransactionRow[]): Promise<SendOutcome[]> {
  const rawTxs = rows.map(({ raw_tx }) => raw_tx);
  const fees = rows.map(({ fee }) => Number(fee));
  const outcomes = await merchant.submitAll(rawTxs, fees).catch((error: unknown) => {
    if (error instanceof PlanchetError) return rows.map(() => error);
    throw error;
  });
  const checked: SendOutcome[] = [];
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome === undefined) checked.push({ kind: 'taken' });
    else if (outcome.code !== 'rejected') checked.push({ kind: 'later', error: outcome });
    else checked.push(await holdAgainstStatus(merchant, (rows[index] as TransactionRow).txid, outcome));
  }
  return checked;
}

/** A refusal counts only where the miner does not know the transaction: it may have taken it and answered badly. */
export async function holdAgainstStatus(
  merchant: BatchMerchant,
  txid: string,
  refusal: PlanchetError,
): Promise<SendOutcome> {
  try {
    return (await merchant.status(txid)).known ? { kind: 'taken' } : { kind: 'refused', failure: refusal.toFailure() };
  } catch (error) {
    if (error instanceof PlanchetError) return { kind: 'later', error };
    throw error;
  }
}
