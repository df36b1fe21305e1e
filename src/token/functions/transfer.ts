import { readOwner, readOwnToken } from '../parameters/checks.ts';
import { requireKey } from '../parameters/keys.ts';
import type { AnyKey, OwnerParams, SigningKey, UtxoLike, VerifyingKey } from '../parameters/params.ts';
import { formsOf } from '../transaction/signing.ts';
import { planSpend } from '../transaction/spend.ts';
import type { Plan } from '../transaction/transaction.ts';

export interface TransferParams<Key extends AnyKey> extends OwnerParams<Key> {
  readonly tokenUtxo: UtxoLike;
  /** Address of the new owner. */
  readonly destination: string;
}

function plan(params: TransferParams<VerifyingKey>): Plan {
  const ownerKey = requireKey(params.ownerKey, 'ownerKey');
  const token = readOwnToken(params.tokenUtxo, ownerKey, 'tokenUtxo', params.template);
  const owner = readOwner(params.destination, token.fields.redemption, 'destination');
  return planSpend(params, ownerKey, token, { tokens: [{ satoshis: token.utxo.satoshis, owner }] });
}

const forms = formsOf<TransferParams<SigningKey>, TransferParams<VerifyingKey>>(plan);

/**
 * Transfers a complete token to another owner: output 0 is the token, output 1 change.
 * @throws TokenError if a parameter is invalid, before anything is signed.
 * @example transfer({ ownerKey, tokenUtxo, destination, paymentUtxo, paymentKey }).outputs[0]
 */
export const transfer = forms.withKeys;

/** {@link transfer}, signed by callbacks. */
export const transferWithCallback = forms.withCallback;

/** {@link transfer} without signatures: see `finishTransaction`. */
export const unsignedTransfer = forms.unsigned;
