import { ChainError } from '../errors.ts';

/** An output of a transaction. */
export interface Outpoint {
  /** Display-order lower-case hex. */
  readonly txid: string;
  readonly vout: number;
}

const OUTPOINT = /^([0-9a-f]{64})_(0|[1-9][0-9]{0,9})$/;

/** @example formatOutpoint({ txid: 'ab…', vout: 0 }) // 'ab…_0', the format of a collection id */
export function formatOutpoint(outpoint: Outpoint): string {
  return `${outpoint.txid}_${outpoint.vout}`;
}

/** Reads exactly what {@link formatOutpoint} writes. @throws ChainError `outpoint-invalid` */
export function parseOutpoint(text: string): Outpoint {
  const match = OUTPOINT.exec(text);
  const vout = Number(match?.[2]);
  if (!match?.[1] || vout > 0xffffffff) {
    throw new ChainError(
      'outpoint-invalid',
      'An outpoint is a txid of 64 lower-case hex digits, "_" and an output number.',
      {
        text: text.slice(0, 100),
      },
    );
  }
  return { txid: match[1], vout };
}
