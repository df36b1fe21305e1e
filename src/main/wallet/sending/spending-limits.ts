import { keyLockOf, type Utxo } from '../../../chain/index.ts';
import { decodeContract } from '../../../token/index.ts';

/** Inputs of one payment at most: more would be slow to review and to check. */
export const MAX_INPUTS = 500;

/** Transactions of one payment at most; coins beyond stay for the next. */
export const MAX_PARTS = 20;

/** A plain move would lose the rules of a redeemable token, and the schema of a contract: everything else that a key can spend is moved. */
export function isMovable({ lockingScript }: Pick<Utxo, 'lockingScript'>): boolean {
  return keyLockOf(lockingScript)?.complete === true && decodeContract(lockingScript) === undefined;
}
