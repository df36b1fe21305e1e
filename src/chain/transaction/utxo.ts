import { parseP2pkh } from '../keys/address.ts';
import { ONE_SATOSHI, type Satoshis } from './amount.ts';
import type { Outpoint } from './outpoint.ts';

/** An unspent output and what is needed to spend it. */
export interface Utxo extends Outpoint {
  readonly satoshis: Satoshis;
  readonly lockingScript: Uint8Array;
}

declare const fundingBrand: unique symbol;

/** An output that may be spent as money, so never a token. Created only by {@link asFundingUtxo}. */
export type FundingUtxo = Utxo & { readonly [fundingBrand]: true };

/**
 * The only way to get a {@link FundingUtxo}: more than one satoshi and plain P2PKH. A one-satoshi output may be a token, and a script
 * with anything after the P2PKH may carry one, so neither can be selected as funding by mistake.
 * @returns undefined if the output must not be spent as money.
 */
export function asFundingUtxo(utxo: Utxo): FundingUtxo | undefined {
  if (utxo.satoshis <= ONE_SATOSHI || parseP2pkh(utxo.lockingScript) === undefined) return undefined;
  return utxo as FundingUtxo;
}
