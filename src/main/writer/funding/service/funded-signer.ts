import { parseTx, satoshis, serializeTx, txidOf } from '../../../../chain/index.ts';
import { PlanchetError } from '../../../../contract/index.ts';
import type { KeyRing } from '../../keys/key-ring.ts';
import type { WriteQueue } from '../../queue/queue.ts';
import { isSignedFormOf } from '../../sending/data-transaction.ts';
import type { TransactionRow } from '../../storage/document.ts';

/** Transactions signed in one go: a few milliseconds' work. */
const SIGNED_AT_ONCE = 32;

export interface FundedSignerOptions {
  queue: WriteQueue;
  keys: Pick<KeyRing, 'signable' | 'signer'>;
}

export interface SigningRound {
  /** Ids of the documents that are signed now. */
  readonly touched: readonly string[];
  /** Whether more may wait. */
  readonly more: boolean;
}

/**
 * Signs transactions that a service paid for. The key belongs to the API key and not to the service, so it does not matter which service
 * paid, nor who pays for new documents by now.
 * @throws PlanchetError `writer.other-transaction-signed` where the signed transaction is not the one that was checked
 */
export async function signFunded(options: FundedSignerOptions): Promise<SigningRound> {
  const { queue, keys } = options;
  const rows = await queue.claimTransactions('funded', SIGNED_AT_ONCE, (await keys.signable()).keyIds);
  try {
    return { touched: await signRows(rows, options), more: rows.length === SIGNED_AT_ONCE };
  } catch (error) {
    queue.abandoned.add(rows);
    throw error;
  }
}

/** @returns ids of the documents they write */
async function signRows(rows: readonly TransactionRow[], { queue, keys }: FundedSignerOptions): Promise<string[]> {
  const touched: string[] = [];
  for (const row of rows) {
    const { key } = keys.signer(row.key_id ?? '');
    const fee = parseTx(row.fee_tx ?? new Uint8Array()).outputs[0]?.satoshis ?? satoshis(0);
    const tx = parseTx(row.raw_tx);
    const [input] = tx.inputs;
    if (input === undefined) throw new Error(`transaction ${row.id} has no input`);
    const coin = { txid: input.txid, vout: input.vout, satoshis: fee, lockingScript: key.lockingScript };
    const signed = serializeTx(key.sign(tx, [coin]));
    if (!isSignedFormOf(signed, row.raw_tx)) throw wrongSignedForm();
    await queue.signed(row, signed, txidOf(signed));
    for (const { id } of await queue.documentsOf([row.id])) touched.push(id);
  }
  return touched;
}

/** @returns the refusal to go on with a signed transaction that differs from the one that was checked */
export function wrongSignedForm(): PlanchetError {
  return new PlanchetError('writer.other-transaction-signed');
}
