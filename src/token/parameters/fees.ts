import { ChainError, feeFor, P2PKH_UNLOCK_BYTES, type Rate, type Satoshis } from '../../chain/index.ts';
import { AmountError } from '../errors.ts';

/** 500 satoshis for 1,000 bytes (spec 8.6). */
export const DEFAULT_FEE_RATE: Rate = { satoshis: 500, bytes: 1000 };

/** Maximum size of a signature and a compressed public key in an unlocking script. */
export const SIGNATURE_BYTES = P2PKH_UNLOCK_BYTES;

/** The fee for a transaction of this size, rounded up. @throws TokenError `fee-invalid` for an invalid rate. */
export function tokenFee(bytes: number, rate: Rate): Satoshis {
  try {
    return feeFor(bytes, rate);
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    throw new AmountError(
      'fee-invalid',
      'feeRate',
      '{satoshis} satoshis for {bytes} bytes is not a valid fee rate: both must be whole numbers, the second at least 1.',
      { satoshis: rate.satoshis, bytes: rate.bytes },
      { cause: error },
    );
  }
}
