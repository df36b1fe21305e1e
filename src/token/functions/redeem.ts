import { readOwnToken, requireIssuer } from '../parameters/checks.ts';
import { requireKey } from '../parameters/keys.ts';
import type { AnyKey, OwnerParams, SigningKey, UtxoLike, VerifyingKey } from '../parameters/params.ts';
import { formsOf } from '../transaction/signing.ts';
import { planSpend } from '../transaction/spend.ts';
import type { Plan } from '../transaction/transaction.ts';

export interface RedeemParams<Key extends AnyKey> extends OwnerParams<Key> {
  readonly tokenUtxo: UtxoLike;
  /** Public key of the issuer; tokens are redeemed to its hash. */
  readonly contractPublicKey: VerifyingKey;
}

function plan(params: RedeemParams<VerifyingKey>): Plan {
  const ownerKey = requireKey(params.ownerKey, 'ownerKey');
  const issuerKey = requireKey(params.contractPublicKey, 'contractPublicKey');
  const token = readOwnToken(params.tokenUtxo, ownerKey, 'tokenUtxo', params.template);
  requireIssuer(token, issuerKey);
  return planSpend(params, ownerKey, token, { redeemed: token.utxo.satoshis, tokens: [] });
}

const forms = formsOf<RedeemParams<SigningKey>, RedeemParams<VerifyingKey>>(plan);

/**
 * Redeems a complete token: output 0 is P2PKH to the redemption hash with all the token's satoshis, output 1 change.
 * @throws TokenError if a parameter is invalid, before anything is signed.
 * @example redeem({ ownerKey, contractPublicKey, tokenUtxo, paymentUtxo, paymentKey })
 */
export const redeem = forms.withKeys;

/** {@link redeem}, signed by callbacks. */
export const redeemWithCallback = forms.withCallback;

/** {@link redeem} without signatures: see `finishTransaction`. */
export const unsignedRedeem = forms.unsigned;
