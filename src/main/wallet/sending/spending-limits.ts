import { keyLockOf, toHex, type Utxo } from '../../../chain/index.ts';
import { contractDesign } from '../../transaction-jobs/contract-design.ts';
import type { WalletKey } from '../keys/wallet-key.ts';

/** Hex digits of a compressed public key: the token library takes no other. */
const COMPRESSED_HEX = 66;

export interface PaymentLimits {
  /** Inputs of one transaction at most: more would be slow to review and to check. */
  readonly inputs: number;
  /** Transactions of one payment at most; coins beyond stay for the next. */
  readonly transactions: number;
  /** Tokens that one transaction moves at most, where many are sent: the rest of its inputs pay for it. */
  readonly tokens: number;
}

export const paymentLimits: PaymentLimits = { inputs: 500, transactions: 20, tokens: 400 };

/**
 * A plain move would lose the rules of a redeemable token, and the schema of a contract that can be shown and issued: everything else that a
 * key can spend is moved, unless it holds no satoshis.
 * @param key the own key of the account, which alone issues its contracts
 */
export function isMovable(
  { lockingScript, satoshis }: Pick<Utxo, 'lockingScript' | 'satoshis'>,
  key: Pick<WalletKey, 'pubKeyHash' | 'publicKey'>,
): boolean {
  if (satoshis === 0 || keyLockOf(lockingScript)?.complete !== true) return false;
  const contract = contractDesign(lockingScript);
  if (contract === undefined || contract.design === null) return true;
  return toHex(contract.issuer) !== key.pubKeyHash || key.publicKey.length !== COMPRESSED_HEX;
}
