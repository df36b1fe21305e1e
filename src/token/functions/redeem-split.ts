import { satoshis } from '../../chain/index.ts';
import { RedemptionError } from '../errors.ts';
import { readDestinations, readOwnToken, requireIssuer, requireSplittable } from '../parameters/checks.ts';
import { requireKey } from '../parameters/keys.ts';
import type {
  AnyKey,
  OwnerParams,
  SigningKey,
  TokenDestination,
  UtxoLike,
  VerifyingKey,
} from '../parameters/params.ts';
import { formsOf } from '../transaction/signing.ts';
import { planSpend } from '../transaction/spend.ts';
import type { Plan } from '../transaction/transaction.ts';

export interface RedeemSplitParams<Key extends AnyKey> extends OwnerParams<Key> {
  readonly tokenUtxo: UtxoLike;
  /** Public key of the issuer; tokens are redeemed to its hash. */
  readonly contractPublicKey: VerifyingKey;
  /** Remaining owners and amounts; the rest, at least one satoshi, is redeemed. */
  readonly destinations: readonly TokenDestination[];
}

function plan(params: RedeemSplitParams<VerifyingKey>): Plan {
  const ownerKey = requireKey(params.ownerKey, 'ownerKey');
  const issuerKey = requireKey(params.contractPublicKey, 'contractPublicKey');
  const token = readOwnToken(params.tokenUtxo, ownerKey, 'tokenUtxo', params.template);
  requireIssuer(token, issuerKey);
  requireSplittable(token);
  const most = token.template.maxOutputs;
  const tokens = readDestinations(params.destinations, token, { field: 'destinations', most });
  const kept = tokens.reduce((sum, destination) => sum + destination.satoshis, 0);
  const redeemed = token.utxo.satoshis - kept;
  if (redeemed < 1) {
    throw new RedemptionError(
      'redemption-invalid',
      'destinations',
      'The destinations receive {kept} of the token’s {available} satoshis: nothing is left to redeem.',
      { kept, available: token.utxo.satoshis, redeemed },
    );
  }
  return planSpend(params, ownerKey, token, { redeemed: satoshis(redeemed), tokens });
}

const forms = formsOf<RedeemSplitParams<SigningKey>, RedeemSplitParams<VerifyingKey>>(plan);

/**
 * Redeems part of a token: output 0 is P2PKH to the redemption hash, then one token for each destination, then change.
 * @throws TokenError if a parameter is invalid, before anything is signed.
 * @example redeemSplit({ ownerKey, contractPublicKey, tokenUtxo, destinations: [{ address, satoshis: 600 }] })
 */
export const redeemSplit = forms.withKeys;

/** {@link redeemSplit}, signed by callbacks. */
export const redeemSplitWithCallback = forms.withCallback;

/** {@link redeemSplit} without signatures: see `finishTransaction`. */
export const unsignedRedeemSplit = forms.unsigned;
