import { bsvDecimal } from '../../lib/money/money.ts';

/**
 * The content of a payment code: the address alone, which every wallet reads, or with an amount a BIP21 URI with the marker of
 * Bitcoin SV.
 * @param satoshis the requested amount; undefined leaves it to the payer
 */
export function paymentUri(address: string, satoshis: number | undefined): string {
  if (satoshis === undefined) return address;
  return `bitcoin:${address}?sv&amount=${bsvDecimal(satoshis)}`;
}
