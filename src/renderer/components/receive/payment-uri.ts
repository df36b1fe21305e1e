import { bsvDecimal } from '../../lib/money/money.ts';

/**
 * What the code for a payment says: the address alone, which every wallet reads, or with an amount the form of BIP21 with the mark of
 * Bitcoin SV.
 * @param satoshis what to ask for; undefined leaves it to the payer
 */
export function paymentUri(address: string, satoshis: number | undefined): string {
  if (satoshis === undefined) return address;
  return `bitcoin:${address}?sv&amount=${bsvDecimal(satoshis)}`;
}
