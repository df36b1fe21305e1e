import type { Utxo } from '../../chain/index.ts';
import { fromHex, satoshis, toHex } from '../../chain/index.ts';
import {
  type TokenJob,
  type TokenRequest,
  type TokenReview,
  tokenRequestSchema,
  tokenReviewSchema,
} from '../../contract/index.ts';
import type { UnsignedTransaction } from '../../token/index.ts';
import { shownJob } from '../transaction-jobs/job-row.ts';
import type { Draft } from './build.ts';
import type { JobRow } from './tables.ts';

/** A stored job as the contract shows it. */
export function jobOf(row: JobRow): TokenJob {
  const review = reviewOf(row);
  return { ...shownJob(row, review), request: requestOf(row), symbol: row.symbol, review };
}

export function requestOf(row: JobRow): TokenRequest {
  return tokenRequestSchema.parse(JSON.parse(row.request));
}

export function reviewOf(row: JobRow): TokenReview {
  return tokenReviewSchema.parse(JSON.parse(row.review ?? 'null'));
}

export function storedDraft({ unsigned, spent }: Draft): string {
  return JSON.stringify({
    unsigned,
    spent: spent.map(({ lockingScript, ...rest }) => ({ ...rest, lockingScript: toHex(lockingScript) })),
  });
}

export function draftOf(row: JobRow): Draft {
  const { unsigned, spent } = JSON.parse(row.unsigned ?? 'null') as {
    unsigned: UnsignedTransaction;
    spent: { txid: string; vout: number; satoshis: number; lockingScript: string }[];
  };
  const outputs: Utxo[] = spent.map(({ satoshis: amount, lockingScript, ...outpoint }) => ({
    ...outpoint,
    satoshis: satoshis(amount),
    lockingScript: fromHex(lockingScript),
  }));
  return { unsigned, spent: outputs, symbol: row.symbol };
}
