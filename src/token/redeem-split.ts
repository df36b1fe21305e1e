import type { PrivateKey } from '@bsv/sdk';
import { satoshis, type Utxo } from '../chain/index.ts';
import { readDestinations, readOwnToken, requireIssuer, requireKey, requireSplittable } from './checks.ts';
import { RedemptionError } from './errors.ts';
import type { AnyKey, OwnerParams, PublicKeyBytes, TokenDestination } from './params.ts';
import {
  type BuiltTransaction,
  buildUnsigned,
  buildWithCallbacks,
  buildWithKeys,
  type SignCallbacks,
} from './signing.ts';
import { planSpend } from './spend.ts';
import type { Plan, UnsignedTransaction } from './transaction.ts';

export interface RedeemSplitParams<Key extends AnyKey> extends OwnerParams<Key> {
  readonly tokenUtxo: Utxo;
  /** Public key of the issuer; tokens are redeemed to its hash. */
  readonly contractPublicKey: PublicKeyBytes;
  /** Who keeps how much; the rest, at least one satoshi, is redeemed. */
  readonly destinations: readonly TokenDestination[];
}

function plan(params: RedeemSplitParams<PublicKeyBytes>): Plan {
  const ownerKey = requireKey(params.ownerKey, 'ownerKey');
  const issuerKey = requireKey(params.contractPublicKey, 'contractPublicKey');
  const token = readOwnToken(params.tokenUtxo, ownerKey, 'tokenUtxo', params.template);
  requireIssuer(token, issuerKey, 'contractPublicKey');
  requireSplittable(token, 'tokenUtxo');
  const most = token.template.maxOutputs;
  const tokens = readDestinations(params.destinations, token, { field: 'destinations', most });
  const kept = tokens.reduce((sum, destination) => sum + destination.satoshis, 0);
  const redeemed = token.utxo.satoshis - kept;
  if (redeemed < 1) {
    throw new RedemptionError(
      'redemption-invalid',
      'destinations',
      `The destinations take ${kept} of the token’s ${token.utxo.satoshis} satoshis: nothing is left to redeem.`,
      { kept, available: token.utxo.satoshis, redeemed },
    );
  }
  return planSpend(params, token, { redeemed: satoshis(redeemed), tokens });
}

/**
 * Redeems a part of a token: output 0 is P2PKH to the redemption hash, then one token for each destination, then change.
 * @throws TokenError for whatever is wrong with the parameters, before anything is signed.
 * @example redeemSplit({ ownerKey, contractPublicKey, tokenUtxo, destinations: [{ address, satoshis: 600 }] })
 */
export function redeemSplit(params: RedeemSplitParams<PrivateKey>): BuiltTransaction {
  return buildWithKeys(plan, params);
}

/** {@link redeemSplit} with the signatures made by callbacks. */
export function redeemSplitWithCallback(
  params: RedeemSplitParams<PublicKeyBytes>,
  callbacks: SignCallbacks,
): Promise<BuiltTransaction> {
  return buildWithCallbacks(plan, params, callbacks);
}

/** {@link redeemSplit} for others to sign: see `finishTransaction`. */
export function unsignedRedeemSplit(params: RedeemSplitParams<PublicKeyBytes>): UnsignedTransaction {
  return buildUnsigned(plan, params);
}
