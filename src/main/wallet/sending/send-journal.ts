import {
  type Review,
  reviewSchema,
  type WalletSend,
  type WalletSendRequest,
  walletSendRequestSchema,
} from '../../../contract/index.ts';
import { type JobRow, shownJob } from '../../transaction-jobs/job-row.ts';

export function requestOf(row: JobRow): WalletSendRequest {
  return walletSendRequestSchema.parse(JSON.parse(row.request));
}

export function reviewOf(row: JobRow): Review {
  return reviewSchema.parse(JSON.parse(row.review ?? 'null'));
}

/** A stored payment as the contract shows it. */
export function sendOf(row: JobRow): WalletSend {
  const review = reviewOf(row);
  return { ...shownJob(row, review), canPause: false, request: requestOf(row), review };
}
