import { readDestinations, requireSum } from '../parameters/checks.ts';
import { requireKey } from '../parameters/keys.ts';
import type {
  AnyKey,
  MergeToken,
  OwnerParams,
  SigningKey,
  TokenDestination,
  VerifyingKey,
} from '../parameters/params.ts';
import { formsOf } from '../transaction/signing.ts';
import { planMerge, readMerge } from '../transaction/spend.ts';
import type { Plan } from '../transaction/transaction.ts';

export interface MergeSplitParams<Key extends AnyKey> extends OwnerParams<Key> {
  /** Two traced tokens of one owner and one kind (see {@link mergeSplit}), each from a transaction with fewer than 3 outputs. */
  readonly mergeTokens: readonly MergeToken[];
  /** One or two owners and amounts, which add up to the satoshis of both tokens. */
  readonly destinations: readonly TokenDestination[];
}

function plan(params: MergeSplitParams<VerifyingKey>): Plan {
  const ownerKey = requireKey(params.ownerKey, 'ownerKey');
  const pair = readMerge(params, ownerKey);
  const [{ token: first }, { token: second }] = pair;
  const tokens = readDestinations(params.destinations, first, { field: 'destinations', most: 2 });
  requireSum(tokens, first.utxo.satoshis + second.utxo.satoshis, 'destinations');
  return planMerge(params, ownerKey, pair, { tokens });
}

const forms = formsOf<MergeSplitParams<SigningKey>, MergeSplitParams<VerifyingKey>>(plan);

/**
 * Redistributes the amount of two tokens: outputs 0 and 1 are tokens, then change. Only tokens of version 2 can be merged.
 *
 * Trace both tokens with `traceToken` first: a counterfeit token can be merged too, and makes the real token permanently untraceable.
 * @throws TokenError if a parameter is invalid, before anything is signed.
 * @example mergeSplit({ ownerKey, mergeTokens, destinations: [{ address, satoshis: 5 }, { address: own, satoshis: 20 }] })
 */
export const mergeSplit = forms.withKeys;

/** {@link mergeSplit}, signed by callbacks. */
export const mergeSplitWithCallback = forms.withCallback;

/** {@link mergeSplit} without signatures: see `finishTransaction`. */
export const unsignedMergeSplit = forms.unsigned;
