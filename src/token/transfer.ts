import type { PrivateKey } from '@bsv/sdk';
import type { Utxo } from '../chain/index.ts';
import { readOwner, readOwnToken, requireKey } from './checks.ts';
import type { AnyKey, OwnerParams, PublicKeyBytes } from './params.ts';
import { formsOf } from './signing.ts';
import { planSpend } from './spend.ts';
import type { Plan } from './transaction.ts';

export interface TransferParams<Key extends AnyKey> extends OwnerParams<Key> {
  readonly tokenUtxo: Utxo;
  /** Address of the new owner. */
  readonly destination: string;
}

function plan(params: TransferParams<PublicKeyBytes>): Plan {
  const ownerKey = requireKey(params.ownerKey, 'ownerKey');
  const token = readOwnToken(params.tokenUtxo, ownerKey, 'tokenUtxo', params.template);
  const owner = readOwner(params.destination, token.fields.redemption, 'destination');
  return planSpend(params, token, { tokens: [{ satoshis: token.utxo.satoshis, owner }] });
}

const forms = formsOf<TransferParams<PrivateKey>, TransferParams<PublicKeyBytes>>(plan);

/**
 * Gives a whole token to another owner: output 0 is the token, output 1 change.
 * @throws TokenError for whatever is wrong with the parameters, before anything is signed.
 * @example transfer({ ownerKey, tokenUtxo, destination, paymentUtxo, paymentKey }).outputs[0]
 */
export const transfer = forms.withKeys;

/** {@link transfer} with the signatures made by callbacks. */
export const transferWithCallback = forms.withCallback;

/** {@link transfer} for others to sign: see `finishTransaction`. */
export const unsignedTransfer = forms.unsigned;
