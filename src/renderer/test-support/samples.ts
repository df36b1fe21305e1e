import type {
  AppInfo,
  Item,
  MintJob,
  MintJobSummary,
  Project,
  Review,
  Run,
  RunItem,
  RunPlan,
  TrackedTransaction,
} from '../../contract/index.ts';

export const TXID = 'ab'.repeat(32);
export const DIGEST = 'cd'.repeat(32);
export const ADDRESS = 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn';
const NOON = Date.UTC(2026, 0, 31, 12);

export const appInfo: AppInfo = {
  version: '0.1.0',
  network: 'sandbox',
  shell: 'terminal',
  safeMode: false,
  dataDir: '/data',
  platform: 'linux',
  firstStart: false,
  startedAt: NOON,
  endpoints: { console: null, rpc: null, zmq: null, writer: null, sandbox: null, baseUrl: null, mapi: null },
};

export const project: Project = {
  uid: 'p1',
  service: 'sandbox',
  direct: false,
  name: 'Gallery',
  type: 'single',
  network: 'sandbox',
  tokenProtocol: 'ordinal',
  createdAt: NOON,
  itemCount: 1,
  mintedCount: 0,
  art: [],
};

export const item: Item = {
  id: 'i1',
  projectUid: 'p1',
  position: 0,
  subType: 'single',
  file: { sha256: 'ef'.repeat(32), name: 'moon.png', contentType: 'image/png', bytes: 100 },
  metadata: { name: 'Copper moon', description: '', traits: [] },
  state: 'draft',
  jobId: null,
  outpoint: null,
  failure: null,
  createdAt: NOON,
};

export const review: Review = {
  digest: DIGEST,
  ok: true,
  checks: [
    { id: 'destination', passed: true, text: 'The token goes to the chosen address.' },
    { id: 'fee-limit', passed: true, text: 'The fee is within your limit.' },
  ],
  inputs: [{ txid: TXID, vout: 0, satoshis: 1_000, address: ADDRESS }],
  outputs: [
    {
      index: 0,
      satoshis: 1,
      kind: 'token',
      address: ADDRESS,
      itemId: 'i1',
      contentType: 'image/png',
      contentBytes: 100,
      contentSha256: 'ef'.repeat(32),
    },
  ],
  fee: 50,
  size: 500,
  destination: ADDRESS,
  network: 'sandbox',
};

export const job: MintJob = {
  id: 'j1',
  projectUid: 'p1',
  itemIds: ['i1'],
  art: [{ name: 'Copper moon', file: item.file }],
  destination: ADDRESS,
  direct: false,
  state: 'reviewed',
  awaitingApproval: true,
  canApprove: true,
  canCancel: true,
  canRetry: false,
  active: false,
  failure: null,
  retryAt: null,
  review,
  txid: null,
  blockHash: null,
  blockHeight: null,
  fee: 50,
  proof: null,
  createdAt: NOON,
  updatedAt: NOON,
  history: [{ state: 'draft', at: NOON }],
};

/** A job without its review, as lists and events contain it. */
export function summaryOf({ itemIds, review: _review, proof: _proof, ...rest }: MintJob): MintJobSummary {
  return { ...rest, tokenCount: itemIds.length };
}

export const runPlan: RunPlan = {
  projectUid: 'p1',
  destination: ADDRESS,
  network: 'sandbox',
  digest: DIGEST,
  contentDigest: DIGEST,
  direct: false,
  tokens: 3,
  contentBytes: 300,
  split: { outputs: 2, size: 200, fee: 20 },
  transactionCount: 3,
  transactions: [
    { kind: 'collection', tokens: 1, contentBytes: 100, size: 400, fee: 30, maxFee: 35 },
    { kind: 'items', tokens: 2, contentBytes: 200, size: 600, fee: 50, maxFee: 62 },
  ],
  rate: { satoshis: 100, bytes: 1_000 },
  size: 1_200,
  policy: { maxTxBytes: 10_000_000, maxSigops: null, maxAncestors: 100 },
  quote: null,
  fee: 100,
  total: 103,
  maxTotal: 120,
  needed: 130,
  spendable: 1_000,
  quotaAvailable: null,
  royalties: [],
  repeats: [],
  problems: [],
};

export const run: Run = {
  id: 'r1',
  projectUid: 'p1',
  projectName: 'Gallery',
  art: [{ name: 'Copper moon', file: item.file }],
  destination: ADDRESS,
  direct: false,
  state: 'planned',
  failure: null,
  items: 3,
  minted: 0,
  failed: 0,
  cancelled: 0,
  byState: { draft: 3 },
  transactions: { total: 2, submitted: 0, proven: 0, failed: 0 },
  splitTxid: null,
  fee: 0,
  plannedFee: 100,
  maxTotal: 120,
  rate: null,
  millisecondsLeft: null,
  digest: DIGEST,
  canApprove: true,
  canPause: false,
  waits: false,
  canResume: false,
  canCancel: true,
  canRetry: false,
  createdAt: NOON,
  approvedAt: null,
  endedAt: null,
};

export const runItem: RunItem = {
  id: 'i1',
  name: 'Moon 1',
  subType: 'collectionItem',
  sha256: 'ef'.repeat(32),
  contentType: 'image/png',
  jobId: 'j1',
  state: 'draft',
  uploaded: false,
  failure: null,
  outpoint: null,
};

/** A submitted transaction. */
export const tracked: TrackedTransaction = {
  txid: TXID,
  state: 'seen',
  origin: 'wallet',
  label: '',
  bytes: 226,
  fee: 12,
  createdAt: NOON,
  updatedAt: NOON,
  block: null,
  confirmations: 0,
  reason: null,
  doubleSpentBy: null,
  answers: [],
};
