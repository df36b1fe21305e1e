import { parseTx, satoshis, serializeTx, txidOf } from '../../../../chain/index.ts';
import { PlanchetError } from '../../../../contract/index.ts';
import type { Merchant } from '../../../ports/merchant/merchant.ts';
import { minerTerms } from '../../../transaction-jobs/miner-limits.ts';
import { overPolicy } from '../../acceptance/policy.ts';
import type { KeyRing } from '../../keys/key-ring.ts';
import type { WriteQueue } from '../../queue/queue.ts';
import { isSignedFormOf } from '../../sending/data-transaction.ts';
import { idsOf, type TransactionRow } from '../../storage/document.ts';
import { backOff, type FundingRound } from '../funding.ts';

/** Transactions signed in one go: a few milliseconds' work. */
const SIGNED_AT_ONCE = 32;

export interface FundedSignerOptions {
  queue: WriteQueue;
  /** What a service paid for can be signed and sent by whoever has its API key alone. */
  keys: Pick<KeyRing, 'signable' | 'signer'>;
  /** Tells what miners take, before a signature. */
  merchant: Pick<Merchant, 'terms'>;
}

/**
 * Signs transactions that a service paid for. The key belongs to the API key and not to the service, so it does not matter which service
 * paid, nor who pays for new documents by now.
 * @throws PlanchetError `writer.other-transaction-signed` where the signed transaction is not the one that was checked
 */
export async function signFunded(options: FundedSignerOptions): Promise<Pick<FundingRound, 'touched' | 'more'>> {
  const { queue, keys } = options;
  const rows = await queue.claimTransactions('funded', SIGNED_AT_ONCE, (await keys.signable()).keyIds);
  try {
    return { touched: await signRows(rows, options), more: rows.length === SIGNED_AT_ONCE };
  } catch (error) {
    queue.abandoned.add(rows);
    throw error;
  }
}

/** Signs those that a miner in use takes now; the others wait for one. @returns ids of the documents they write */
async function signRows(
  rows: readonly TransactionRow[],
  { queue, keys, merchant }: FundedSignerOptions,
): Promise<string[]> {
  const touched: string[] = [];
  const terms = rows.length === 0 ? [] : await minerTerms(merchant);
  for (const row of rows) {
    const { key } = keys.signer(row.key_id ?? '');
    const fee = parseTx(row.fee_tx ?? new Uint8Array()).outputs[0]?.satoshis ?? satoshis(0);
    const tx = parseTx(row.raw_tx);
    const scripts = tx.outputs.map(({ script }) => script);
    const excess = overPolicy(terms, scripts);
    if (excess !== undefined) {
      await queue.postpone(row, excess.toFailure(), backOff(row.attempts, excess.code));
      continue;
    }
    const [input] = tx.inputs;
    if (input === undefined) throw new Error(`transaction ${row.id} has no input`);
    const coin = { txid: input.txid, vout: input.vout, satoshis: fee, lockingScript: key.lockingScript };
    const signed = serializeTx(key.sign(tx, [coin]));
    if (!isSignedFormOf(signed, row.raw_tx)) throw new PlanchetError('writer.other-transaction-signed');
    await queue.signed(row, signed, txidOf(signed));
    touched.push(...idsOf(await queue.documentsOf([row.id])));
  }
  return touched;
}
