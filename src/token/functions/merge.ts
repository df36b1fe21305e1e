import { addSatoshis } from '../../chain/index.ts';
import { readOwner } from '../parameters/checks.ts';
import { requireKey } from '../parameters/keys.ts';
import type { AnyKey, MergeToken, OwnerParams, SigningKey, VerifyingKey } from '../parameters/params.ts';
import { formsOf } from '../transaction/signing.ts';
import { planMerge, readMerge } from '../transaction/spend.ts';
import type { Plan } from '../transaction/transaction.ts';

export interface MergeParams<Key extends AnyKey> extends OwnerParams<Key> {
  /** Two traced tokens of one owner and one kind (see {@link merge}), each from a transaction with fewer than 3 outputs. */
  readonly mergeTokens: readonly MergeToken[];
  /** Address of the owner of the merged token. */
  readonly destination: string;
}

function plan(params: MergeParams<VerifyingKey>): Plan {
  const ownerKey = requireKey(params.ownerKey, 'ownerKey');
  const pair = readMerge(params, ownerKey);
  const [{ token: first }, { token: second }] = pair;
  const owner = readOwner(params.destination, first.fields.redemption, 'destination');
  const satoshis = addSatoshis(first.utxo.satoshis, second.utxo.satoshis);
  return planMerge(params, ownerKey, pair, { tokens: [{ satoshis, owner }] });
}

const forms = formsOf<MergeParams<SigningKey>, MergeParams<VerifyingKey>>(plan);

/**
 * Merges two tokens into one: output 0 is the token, output 1 change. Only tokens of version 2 of the script can be merged.
 *
 * Trace both tokens with `traceToken` first: a counterfeit token can be merged too, and makes the real token permanently untraceable.
 * @throws TokenError if a parameter is invalid, before anything is signed.
 * @example merge({ ownerKey, mergeTokens: [{ utxo, previousTx }, { utxo: other, previousTx: otherTx }], destination })
 */
export const merge = forms.withKeys;

/** {@link merge}, signed by callbacks. */
export const mergeWithCallback = forms.withCallback;

/** {@link merge} without signatures: see `finishTransaction`. */
export const unsignedMerge = forms.unsigned;
