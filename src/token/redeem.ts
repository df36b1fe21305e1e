import type { PrivateKey } from '@bsv/sdk';
import type { Utxo } from '../chain/index.ts';
import { readOwnToken, requireIssuer, requireKey } from './checks.ts';
import type { AnyKey, OwnerParams, PublicKeyBytes } from './params.ts';
import { formsOf } from './signing.ts';
import { planSpend } from './spend.ts';
import type { Plan } from './transaction.ts';

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

const forms = formsOf<RedeemParams<PrivateKey>, RedeemParams<PublicKeyBytes>>(plan);

/**
 * Gives a whole token back to its issuer: output 0 is P2PKH to the redemption hash with all the token's satoshis, output 1 change.
 * @throws TokenError for whatever is wrong with the parameters, before anything is signed.
 * @example redeem({ ownerKey, contractPublicKey, tokenUtxo, paymentUtxo, paymentKey })
 */
export const redeem = forms.withKeys;

/** {@link redeem} with the signatures made by callbacks. */
export const redeemWithCallback = forms.withCallback;

/** {@link redeem} for others to sign: see `finishTransaction`. */
export const unsignedRedeem = forms.unsigned;
