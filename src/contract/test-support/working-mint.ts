import type { MintJobSummary } from '../index.ts';

/** A mint at work, as live events carry it. */
export const workingMint: MintJobSummary = {
  id: 'j1',
  projectUid: 'p1',
  art: [],
  destination: 'd',
  direct: false,
  state: 'built',
  awaitingApproval: false,
  canApprove: false,
  canCancel: true,
  canRetry: false,
  active: true,
  failure: null,
  retryAt: null,
  txid: null,
  blockHash: null,
  blockHeight: null,
  fee: null,
  createdAt: 1,
  updatedAt: 1,
  history: [],
  tokenCount: 1,
};
