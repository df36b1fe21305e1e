import type { PrivateKey } from '@bsv/sdk';
import type { Utxo } from '../chain/index.ts';
import { readOwner, readOwnToken, requireKey } from './checks.ts';
import type { AnyKey, OwnerParams, PublicKeyBytes } from './params.ts';
import {
  type BuiltTransaction,
  buildUnsigned,
  buildWithCallbacks,
  buildWithKeys,
  type SignCallbacks,
} from './signing.ts';
import { planSpend } from './spend.ts';
import type { Plan, UnsignedTransaction } from './transaction.ts';

export interface TransferParams<Key extends AnyKey> extends OwnerParams<Key> {
  readonly tokenUtxo: Utxo;
  /** Address of the new owner. */
  readonly destination: string;
}

function plan(params: TransferParams<PublicKeyBytes>): Plan {
  const ownerKey = requireKey(params.ownerKey, 'ownerKey');
  const token = readOwnToken(params.tokenUtxo, ownerKey, 'tokenUtxo', params.template);
  const owner = readOwner(params.destination, token.fields.redemption, 'destination');
  return planSpend(params, token, { tokens: [{ satoshis: token.utxo.satoshis, owner }] });
}

/**
 * Gives a whole token to another owner: output 0 is the token, output 1 change.
 * @throws TokenError for whatever is wrong with the parameters, before anything is signed.
 * @example transfer({ ownerKey, tokenUtxo, destination, paymentUtxo, paymentKey }).outputs[0]
 */
export function transfer(params: TransferParams<PrivateKey>): BuiltTransaction {
  return buildWithKeys(plan, params);
}

/** {@link transfer} with the signatures made by callbacks. */
export function transferWithCallback(
  params: TransferParams<PublicKeyBytes>,
  callbacks: SignCallbacks,
): Promise<BuiltTransaction> {
  return buildWithCallbacks(plan, params, callbacks);
}

/** {@link transfer} for others to sign: see `finishTransaction`. */
export function unsignedTransfer(params: TransferParams<PublicKeyBytes>): UnsignedTransaction {
  return buildUnsigned(plan, params);
}
