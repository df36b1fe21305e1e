import {
  feeFor,
  highestFee,
  isRateAbove,
  LEAST_CHANGE,
  P2PKH_INPUT_BYTES,
  P2PKH_OUTPUT_BYTES,
  type Rate,
  SERVICE_FEE_TOLERANCE,
  type Tx,
} from '../../../chain/index.ts';
import { type Phrase, phrase, quoteSignerPhrase, type ReviewCheck, reviewCheck } from '../../../contract/index.ts';
import type { Subject } from './review-subject.ts';

/** Checks that the fee is enough for the miner, about its price, and within the limits of the settings. */
export function feeChecks({ request, tx, fee, leastFee, quotedFee }: Subject): ReviewCheck[] {
  const { quote, maxFeeRate } = request;
  const unknown = phrase('review.fee.unknown');
  // Change too small for an output of its own goes into the fee.
  const dropped = tx.outputs.length > request.items.length ? 0 : LEAST_CHANGE;
  const most = SERVICE_FEE_TOLERANCE * quotedFee + dropped;
  const dust = dropped === 0 || fee === undefined ? [] : dustPhrases(fee - quotedFee, quote.standard);
  return [
    reviewCheck(
      'fee-minimum',
      fee === undefined
        ? [unknown]
        : fee >= leastFee
          ? []
          : [phrase('review.fee-minimum.below', { fee, least: leastFee })],
      phrase('review.fee-minimum', { fee: fee ?? 0 }),
    ),
    reviewCheck(
      'fee-maximum',
      fee === undefined
        ? [unknown]
        : fee <= most
          ? []
          : [phrase('review.fee-maximum.above', { fee, times: SERVICE_FEE_TOLERANCE, quote: quotedFee })],
      phrase('review.fee-maximum', { times: SERVICE_FEE_TOLERANCE, quote: quotedFee }),
    ),
    reviewCheck(
      'fee-limit',
      fee === undefined
        ? [unknown]
        : fee <= request.maxFee
          ? []
          : [
              phrase('review.fee-limit.above', { fee, limit: request.maxFee }),
              ...(quotedFee <= request.maxFee ? dust : []),
            ],
      phrase('review.fee-limit', { limit: request.maxFee }),
    ),
    reviewCheck(
      'fee-rate',
      [
        ...[quote.standard, quote.data]
          .filter((rate) => isRateAbove(rate, maxFeeRate))
          .slice(0, 1)
          .map(({ satoshis, bytes }) => phrase('review.fee-rate.quote', { satoshis, bytes, rate: maxFeeRate })),
        ...rateDifferences(tx, { fee, quotedFee }, maxFeeRate, dust),
      ],
      phrase('review.fee-rate', { rate: maxFeeRate }),
    ),
    // Never fails: an answer of an unexpected signer is refused before it becomes a quote.
    ...(quote.source === undefined ? [] : [reviewCheck('quote-signer', [], quoteSignerPhrase(quote.source))]),
  ];
}

/**
 * Says that change was too small for an output and went into the fee, and how many satoshis more would give a change output.
 * @param extra satoshis above the price, more than none where a limit is above the price and below the fee
 */
function dustPhrases(extra: number, rate: Rate): Phrase[] {
  // One more input, and an output for the change.
  const missing = LEAST_CHANGE - extra + feeFor(P2PKH_INPUT_BYTES + P2PKH_OUTPUT_BYTES, rate);
  return extra < LEAST_CHANGE ? [phrase('review.fee.dust', { satoshis: extra, missing })] : [];
}

/** @param dust said where the price alone is within the limit */
function rateDifferences(
  tx: Tx,
  { fee, quotedFee }: Pick<Subject, 'fee' | 'quotedFee'>,
  maxFeeRate: number,
  dust: readonly Phrase[],
): Phrase[] {
  if (fee === undefined) return [phrase('review.fee-rate.unknown')];
  const unsigned = { ...tx, inputs: tx.inputs.map((input) => ({ ...input, script: new Uint8Array(0) })) };
  const most = highestFee(unsigned, maxFeeRate);
  if (fee <= most) return [];
  return [phrase('review.fee-rate.above', { fee, most, rate: maxFeeRate }), ...(quotedFee <= most ? dust : [])];
}
