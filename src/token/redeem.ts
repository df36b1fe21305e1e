import type { PrivateKey } from '@bsv/sdk';
import type { Utxo } from '../chain/index.ts';
import { readOwnToken, requireIssuer, requireKey } from './checks.ts';
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

export interface RedeemParams<Key extends AnyKey> extends OwnerParams<Key> {
  readonly tokenUtxo: Utxo;
  /** Public key of the issuer; tokens are redeemed to its hash. */
  readonly contractPublicKey: PublicKeyBytes;
}

function plan(params: RedeemParams<PublicKeyBytes>): Plan {
  const ownerKey = requireKey(params.ownerKey, 'ownerKey');
  const issuerKey = requireKey(params.contractPublicKey, 'contractPublicKey');
  const token = readOwnToken(params.tokenUtxo, ownerKey, 'tokenUtxo', params.template);
  requireIssuer(token, issuerKey, 'contractPublicKey');
  return planSpend(params, token, { redeemed: token.utxo.satoshis, tokens: [] });
}

/**
 * Gives a whole token back to its issuer: output 0 is P2PKH to the redemption hash with all the token's satoshis, output 1 change.
 * @throws TokenError for whatever is wrong with the parameters, before anything is signed.
 * @example redeem({ ownerKey, contractPublicKey, tokenUtxo, paymentUtxo, paymentKey })
 */
export function redeem(params: RedeemParams<PrivateKey>): BuiltTransaction {
  return buildWithKeys(plan, params);
}

/** {@link redeem} with the signatures made by callbacks. */
export function redeemWithCallback(
  params: RedeemParams<PublicKeyBytes>,
  callbacks: SignCallbacks,
): Promise<BuiltTransaction> {
  return buildWithCallbacks(plan, params, callbacks);
}

/** {@link redeem} for others to sign: see `finishTransaction`. */
export function unsignedRedeem(params: RedeemParams<PublicKeyBytes>): UnsignedTransaction {
  return buildUnsigned(plan, params);
}
