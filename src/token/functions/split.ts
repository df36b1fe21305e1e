import { AmountError } from '../errors.ts';
import { readDestinations, readOwnToken, requireSplittable, requireSum } from '../parameters/checks.ts';
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
import { numberOf } from '../values/values.ts';

export interface SplitParams<Key extends AnyKey> extends OwnerParams<Key> {
  readonly tokenUtxo: UtxoLike;
  /** Owners and amounts, which add up to the token's satoshis. */
  readonly destinations: readonly TokenDestination[];
  /** Maximum destinations: 2 by default, at most what the script supports (4 for this project's). */
  readonly maxDestinations?: number;
}

function plan(params: SplitParams<VerifyingKey>): Plan {
  const ownerKey = requireKey(params.ownerKey, 'ownerKey');
  const token = readOwnToken(params.tokenUtxo, ownerKey, 'tokenUtxo', params.template);
  requireSplittable(token);
  const most = params.maxDestinations ?? 2;
  if (!Number.isInteger(most) || most < 1 || most > token.template.maxOutputs) {
    throw new AmountError(
      'amount-invalid',
      'maxDestinations',
      'maxDestinations must be from 1 to {most}, the maximum of the script.',
      { given: numberOf(most), most: token.template.maxOutputs },
    );
  }
  const tokens = readDestinations(params.destinations, token, { field: 'destinations', most });
  requireSum(tokens, token.utxo.satoshis, 'destinations');
  return planSpend(params, ownerKey, token, { tokens });
}

const forms = formsOf<SplitParams<SigningKey>, SplitParams<VerifyingKey>>(plan);

/**
 * Splits a token: one output for each destination, in order, then change.
 * @throws TokenError if a parameter is invalid, before anything is signed.
 * @example split({ ownerKey, tokenUtxo, destinations: [{ address, satoshis: 300 }, { address: own, satoshis: 700 }] })
 */
export const split = forms.withKeys;

/** {@link split}, signed by callbacks. */
export const splitWithCallback = forms.withCallback;

/** {@link split} without signatures: see `finishTransaction`. */
export const unsignedSplit = forms.unsigned;
