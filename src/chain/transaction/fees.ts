import { varintSize } from '../encoding/bytes.ts';
import { ChainError } from '../errors.ts';
import { isDataOutput } from '../script/script.ts';
import { type Satoshis, satoshis } from './amount.ts';
import { type Tx, txSize } from './transaction.ts';

/** A fee rate: satoshis per number of bytes, e.g. 500 per 1,000. */
export interface Rate {
  readonly satoshis: number;
  readonly bytes: number;
}

/** The longest P2PKH unlocking script: a 72-byte DER signature, its hash type, a compressed key and two push opcodes. */
export const P2PKH_UNLOCK_BYTES = 107;

/** Maximum size that a signed P2PKH input adds to a transaction: outpoint, length, script, sequence. */
export const P2PKH_INPUT_BYTES = 36 + 1 + P2PKH_UNLOCK_BYTES + 4;

/** Size that a P2PKH output adds: value, length, script. */
export const P2PKH_OUTPUT_BYTES = 8 + 1 + 25;

function multiplied(bytes: number, rate: Rate): { whole: number; rest: number } {
  const product = bytes * rate.satoshis;
  const sane = Number.isSafeInteger(bytes) && Number.isSafeInteger(rate.satoshis) && Number.isSafeInteger(rate.bytes);
  if (!sane || bytes < 0 || rate.satoshis < 0 || rate.bytes < 1 || !Number.isSafeInteger(product)) {
    throw new ChainError('fee-invalid', 'A fee needs a size and a rate in whole numbers.', { size: bytes, rate });
  }
  const rest = product % rate.bytes;
  return { whole: (product - rest) / rate.bytes, rest };
}

/**
 * The fee for a number of bytes, rounded up so that it is never below the rate.
 * @throws ChainError `fee-invalid` for an invalid rate.
 * @example feeFor(193, { satoshis: 500, bytes: 1000 }) // 97
 */
export function feeFor(bytes: number, rate: Rate): Satoshis {
  const { whole, rest } = multiplied(bytes, rate);
  return satoshis(rest > 0 ? whole + 1 : whole);
}

/**
 * The minimum fee by a miner's quote: scripts of data outputs at the data rate, all other bytes at the standard rate, each rounded down
 * separately (mAPI reference).
 * @throws ChainError `fee-invalid`
 */
export function requiredFee(tx: Tx, quote: { readonly standard: Rate; readonly data: Rate }): Satoshis {
  let dataBytes = 0;
  for (const { script } of tx.outputs) if (isDataOutput(script)) dataBytes += script.length;
  return satoshis(multiplied(txSize(tx) - dataBytes, quote.standard).whole + multiplied(dataBytes, quote.data).whole);
}

/**
 * The maximum fee under a cap on the rate. Data and other bytes are rounded up separately, as fees are. An input with an empty script
 * counts as the longest P2PKH unlock, so that a fee that was valid before signing stays valid.
 * @param maxFeeRate satoshis per 1,000 bytes
 * @throws ChainError `fee-invalid`
 */
export function highestFee(tx: Tx, maxFeeRate: number): Satoshis {
  const rate = { satoshis: maxFeeRate, bytes: 1_000 };
  let dataBytes = 0;
  for (const { script } of tx.outputs) if (isDataOutput(script)) dataBytes += script.length;
  return satoshis(feeFor(predictSignedSize(tx) - dataBytes, rate) + feeFor(dataBytes, rate));
}

/** Whether a rate exceeds `maxFeeRate` satoshis per 1,000 bytes. Exact for all safe integers. */
export function isRateAbove(rate: Rate, maxFeeRate: number): boolean {
  return BigInt(rate.satoshis) * 1_000n > BigInt(maxFeeRate) * BigInt(rate.bytes);
}

/** Size of the transaction once signed; every empty input script counts as the longest P2PKH unlock. */
export function predictSignedSize(unsigned: Tx): number {
  const empty = unsigned.inputs.filter(({ script }) => script.length === 0).length;
  return txSize(unsigned) + empty * (P2PKH_UNLOCK_BYTES + varintSize(P2PKH_UNLOCK_BYTES) - 1);
}
