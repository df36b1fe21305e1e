import type { AppInfo, Item, MintJob, MintJobSummary, Project, Review } from '../../contract/index.ts';

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
  startedAt: NOON,
  endpoints: { console: null, rpc: null, zmq: null, writer: null, sandbox: null, baseUrl: null, mapi: null },
};

export const project: Project = {
  uid: 'p1',
  name: 'Gallery',
  type: 'single',
  network: 'sandbox',
  tokenProtocol: 'ordinal',
  createdAt: NOON,
  itemCount: 1,
  mintedCount: 0,
};

export const item: Item = {
  id: 'i1',
  projectUid: 'p1',
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

/** A job as lists and events carry it. */
export function summaryOf({ itemIds, review: _review, proof: _proof, ...rest }: MintJob): MintJobSummary {
  return { ...rest, tokenCount: itemIds.length };
}
