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
  /** Two tokens of one owner and one kind, each traced before (see {@link mergeSplit}), each from a transaction with fewer than 3 outputs. */
  readonly mergeTokens: readonly MergeToken[];
  /** One or two owners and amounts; together all the satoshis of both tokens. */
  readonly destinations: readonly TokenDestination[];
}

function plan(params: MergeSplitParams<VerifyingKey>): Plan {
  const ownerKey = requireKey(params.ownerKey, 'ownerKey');
  const pair = readMerge(params, ownerKey);
  const [{ token: first }, { token: second }] = pair;
  const tokens = readDestinations(params.destinations, first, { field: 'destinations', most: 2 });
  requireSum(
    tokens.reduce((sum, { satoshis }) => sum + satoshis, 0),
    first.utxo.satoshis + second.utxo.satoshis,
    'destinations',
  );
  return planMerge(params, ownerKey, pair, { tokens });
}

const forms = formsOf<MergeSplitParams<SigningKey>, MergeSplitParams<VerifyingKey>>(plan);

/**
 * Shares what two tokens hold out anew: outputs 0 and 1 are tokens, then change. Only tokens of version 2 can be merged.
 *
 * Trace both tokens with `traceToken` first: a lookalike that nobody issued merges as well, and makes the real token untraceable for ever.
 * @throws TokenError for whatever is wrong with the parameters, before anything is signed.
 * @example mergeSplit({ ownerKey, mergeTokens, destinations: [{ address, satoshis: 5 }, { address: own, satoshis: 20 }] })
 */
export const mergeSplit = forms.withKeys;

/** {@link mergeSplit} with the signatures made by callbacks. */
export const mergeSplitWithCallback = forms.withCallback;

/** {@link mergeSplit} for others to sign: see `finishTransaction`. */
export const unsignedMergeSplit = forms.unsigned;
