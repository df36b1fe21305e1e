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
  /** Owners and amounts; together all the token's satoshis. */
  readonly destinations: readonly TokenDestination[];
  /** Destinations allowed: 2 where absent, at most what the script proves (4 for this project's). */
  readonly maxDestinations?: number;
}

function plan(params: SplitParams<VerifyingKey>): Plan {
  const ownerKey = requireKey(params.ownerKey, 'ownerKey');
  const token = readOwnToken(params.tokenUtxo, ownerKey, 'tokenUtxo', params.template);
  requireSplittable(token, 'tokenUtxo');
  const most = params.maxDestinations ?? 2;
  if (!Number.isInteger(most) || most < 1 || most > token.template.maxOutputs) {
    throw new AmountError(
      'amount-invalid',
      'maxDestinations',
      `maxDestinations is from 1 to ${token.template.maxOutputs}, what the script proves.`,
      { given: numberOf(most), most: token.template.maxOutputs },
    );
  }
  const tokens = readDestinations(params.destinations, token, { field: 'destinations', most });
  requireSum(
    tokens.reduce((sum, { satoshis }) => sum + satoshis, 0),
    token.utxo.satoshis,
    'destinations',
  );
  return planSpend(params, ownerKey, token, { tokens });
}

const forms = formsOf<SplitParams<SigningKey>, SplitParams<VerifyingKey>>(plan);

/**
 * Divides a token: one output for each destination, in order, then change.
 * @throws TokenError for whatever is wrong with the parameters, before anything is signed.
 * @example split({ ownerKey, tokenUtxo, destinations: [{ address, satoshis: 300 }, { address: own, satoshis: 700 }] })
 */
export const split = forms.withKeys;

/** {@link split} with the signatures made by callbacks. */
export const splitWithCallback = forms.withCallback;

/** {@link split} for others to sign: see `finishTransaction`. */
export const unsignedSplit = forms.unsigned;
