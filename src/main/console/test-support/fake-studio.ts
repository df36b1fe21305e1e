import { createHash, randomUUID } from 'node:crypto';
import {
  type FileInfo,
  type Item,
  type MintJob,
  type MintJobSummary,
  type MintState,
  PlanchetError,
  type Project,
  type TransactionView,
} from '../../../contract/index.ts';
import type { EventHub } from '../event-hub.ts';
import type { StudioPort } from '../studio-ports.ts';

export const HASH = 'ab'.repeat(32);
export const OWN_ADDRESS = 'mfWxJ45yp2SFn7UciZyNpvDKrzbhyfKrY8';
const MAX_FILE_BYTES = 8_000_000;

/** A studio in memory: no chain, but real uploads, projects, items and states. */
export class FakeStudio implements StudioPort {
  get runs(): never {
    throw new Error('This studio has no mint runs.');
  }
  get imports(): never {
    throw new Error('This studio imports nothing.');
  }

  readonly #hub: EventHub;
  readonly #projects = new Map<string, Project>();
  readonly #uploads = new Map<string, { name: string; contentType: string; bytes: number; pieces: Uint8Array[] }>();
  readonly #files = new Map<string, { info: FileInfo; blob: Blob }>();
  readonly #items = new Map<string, Item>();
  readonly #removed = new Map<string, Item>();
  readonly #jobs = new Map<string, MintJob>();

  constructor(hub: EventHub) {
    this.#hub = hub;
  }

  get openUploads(): number {
    return this.#uploads.size;
  }

  async listProjects(): Promise<Project[]> {
    return [...this.#projects.values()];
  }

  async createProject({ name, type }: { name: string; type: Project['type'] }): Promise<Project> {
    const fixed = {
      network: 'sandbox',
      tokenProtocol: '1satordinals',
      createdAt: 1,
      itemCount: 0,
      mintedCount: 0,
      art: [],
    };
    const project: Project = { uid: randomUUID(), name, type, ...fixed };
    this.#projects.set(project.uid, project);
    this.#hub.publish({ type: 'project', project });
    return project;
  }

  async getProject({ uid }: { uid: string }): Promise<Project> {
    return found(this.#projects, uid, 'project');
  }

  async beginUpload(input: { name: string; bytes: number; contentType: string }): Promise<{ uploadId: string }> {
    if (input.bytes > MAX_FILE_BYTES)
      throw new PlanchetError({ code: 'file-too-large', message: 'The file is too large.' });
    const uploadId = randomUUID();
    this.#uploads.set(uploadId, { ...input, pieces: [] });
    return { uploadId };
  }

  async appendUpload(input: { uploadId: string; offset: number; piece: Blob }): Promise<{ received: number }> {
    const upload = found(this.#uploads, input.uploadId, 'upload');
    const received = sizeOf(upload.pieces);
    if (input.offset !== received)
      throw new PlanchetError({ code: 'conflict', message: `The next piece begins at ${received}.` });
    upload.pieces.push(new Uint8Array(await input.piece.arrayBuffer()));
    return { received: sizeOf(upload.pieces) };
  }

  async finishUpload({ uploadId }: { uploadId: string }): Promise<FileInfo> {
    const { name, contentType, pieces } = found(this.#uploads, uploadId, 'upload');
    const bytes = Buffer.concat(pieces);
    const info = { sha256: createHash('sha256').update(bytes).digest('hex'), name, contentType, bytes: bytes.length };
    this.#files.set(info.sha256, { info, blob: new Blob([bytes], { type: contentType }) });
    this.#uploads.delete(uploadId);
    return info;
  }

  async abortUpload({ uploadId }: { uploadId: string }): Promise<void> {
    if (!this.#uploads.delete(uploadId))
      throw new PlanchetError({ code: 'not-found', message: 'There is no such upload.' });
  }

  async readFile({ sha256 }: { sha256: string }): Promise<Blob> {
    return found(this.#files, sha256, 'file').blob;
  }

  async thumbnail({ sha256 }: { sha256: string }): Promise<Blob | null> {
    const { blob } = found(this.#files, sha256, 'file');
    return blob.type.startsWith('image/') ? blob : null;
  }

  async listItems({ projectUid }: { projectUid: string }): Promise<Item[]> {
    return [...this.#items.values()].filter((item) => item.projectUid === projectUid);
  }

  async createItem(input: Parameters<StudioPort['createItem']>[0]): Promise<Item> {
    found(this.#projects, input.projectUid, 'project');
    const item: Item = {
      id: randomUUID(),
      projectUid: input.projectUid,
      subType: input.subType ?? 'single',
      position: this.#items.size,
      file: { ...found(this.#files, input.sha256, 'file').info, name: input.fileName },
      metadata: input.metadata,
      state: 'draft',
      jobId: null,
      outpoint: null,
      failure: null,
      createdAt: 1,
    };
    this.#items.set(item.id, item);
    return item;
  }

  async updateItem({ id, metadata }: { id: string; metadata: Item['metadata'] }): Promise<Item> {
    const item = { ...found(this.#items, id, 'item'), metadata };
    this.#items.set(id, item);
    return item;
  }

  async updateItems({ changes }: Parameters<StudioPort['updateItems']>[0]): Promise<Item[]> {
    return Promise.all(changes.map((change) => this.updateItem(change)));
  }

  async reorderItems({ ids }: Parameters<StudioPort['reorderItems']>[0]): Promise<void> {
    for (const [position, id] of ids.entries()) this.#items.set(id, { ...found(this.#items, id, 'item'), position });
  }

  readonly outputs: StudioPort['outputs'] = {
    list: async () => [],
    create: async ({ sha256 }) => ({ uid: sha256 }),
    update: async (_projectUid, uid) => void found(this.#items, uid, 'output'),
    remove: async (_projectUid, uid) => void found(this.#items, uid, 'output'),
  };

  async removeItem({ id }: { id: string }): Promise<void> {
    this.#removed.set(id, found(this.#items, id, 'item'));
    this.#items.delete(id);
  }

  async restoreItems({ ids }: { ids: readonly string[] }): Promise<void> {
    for (const id of ids) this.#items.set(id, found(this.#removed, id, 'item'));
  }

  async estimateMint({ itemIds }: { itemIds: string[] }): ReturnType<StudioPort['estimateMint']> {
    for (const id of itemIds) found(this.#items, id, 'item');
    const figures = {
      repeats: [],
      size: 500,
      fee: 25,
      total: 25 + itemIds.length,
      spendable: 1_000,
      quotaAvailable: 10,
    };
    return { tokens: itemIds.length, ...figures, royalties: [], problems: [] };
  }

  async createMint(input: { itemIds: string[]; destination: string; idempotencyKey: string }): Promise<MintJob> {
    const first = found(this.#items, input.itemIds[0] as string, 'item');
    const job: MintJob = {
      id: randomUUID(),
      projectUid: first.projectUid,
      itemIds: input.itemIds,
      destination: input.destination,
      state: 'reviewed',
      awaitingApproval: true,
      canApprove: false,
      canCancel: true,
      canRetry: false,
      active: false,
      failure: null,
      retryAt: null,
      review: null,
      txid: null,
      blockHash: null,
      blockHeight: null,
      fee: null,
      proof: null,
      createdAt: 1,
      updatedAt: 1,
      history: [{ state: 'reviewed', at: 1 }],
      art: [],
    };
    this.#jobs.set(job.id, job);
    this.#hub.publish({ type: 'job', job: summaryOf(job) });
    return job;
  }

  async listMints(): Promise<{ jobs: MintJobSummary[]; next: null }> {
    return { jobs: [...this.#jobs.values()].map(summaryOf), next: null };
  }

  async getMint({ id }: { id: string }): Promise<MintJob> {
    return found(this.#jobs, id, 'job');
  }

  async approveMint({ id, digest }: { id: string; digest: string }): Promise<MintJob> {
    if (digest !== HASH)
      throw new PlanchetError({ code: 'conflict', message: 'The review was of another transaction.' });
    return this.#moved(id, 'signed');
  }

  async cancelMint({ id }: { id: string }): Promise<MintJob> {
    return this.#moved(id, 'cancelled');
  }

  async retryMint({ id }: { id: string }): Promise<MintJob> {
    found(this.#jobs, id, 'job');
    throw new PlanchetError({ code: 'conflict', message: 'Nothing failed.' });
  }

  readonly gallery: StudioPort['gallery'] = {
    list: async ({ offset, limit }) => ({
      tokens: [0, 1, 2].slice(offset, offset + limit).map((index) => ({
        outpoint: `${HASH}_${index}`,
        origin: `${HASH}_${index}`,
        name: `token ${index}`,
        source: 'minted',
        owned: true,
        address: null,
        read: true,
        projectUid: 'p',
        projectName: 'Project',
        itemId: 'i',
        collectionId: null,
        content: { sha256: HASH, contentType: 'image/png', bytes: 3, stored: true, fileName: 'a.png' },
        traits: [],
        state: 'mined',
        blockHeight: 7,
        at: 1,
      })),
      total: 3,
    }),
    get: async ({ outpoint }) => {
      throw new PlanchetError('tokens.missing', { outpoint });
    },
    blocks: async () => [],
    facets: async () => ({ minted: 3, received: 0, elsewhere: 0, projects: [], traits: [] }),
    ledger: async () => ({ rows: [], total: 0 }),
    exportLedger: async () => new Blob(['[]']),
    certificate: async () => new Blob(['png'], { type: 'image/png' }),
    bundle: async () => ({ bundle: new Blob(['<!doctype html>']), tokens: 1 }),
  };

  async quota(): ReturnType<StudioPort['quota']> {
    return { monthlyMintLimit: 10, totalUsed: 1, available: 9, startDate: '2026-11-01', endDate: '2026-11-30' };
  }

  async transaction({ txid }: { txid: string }): Promise<TransactionView> {
    if (txid !== HASH)
      throw new PlanchetError({ code: 'not-found', message: 'The node does not know this transaction.' });
    const place = { blockHash: null, blockHeight: null, confirmations: 0 };
    const chronicle = { version: 1, isMalleable: false, originalDigest: [], computing: [] };
    return {
      txid,
      ...chronicle,
      hex: '00',
      size: 1,
      fee: null,
      ...place,
      inputCount: 0,
      outputCount: 0,
      inputs: [],
      outputs: [],
    };
  }

  async inscribed({ index }: { index: number }): Promise<Blob> {
    if (index > 0) throw new PlanchetError({ code: 'not-found', message: 'Nothing is inscribed in this output.' });
    return new Blob(['inscribed'], { type: 'text/plain' });
  }

  #moved(id: string, state: MintState): MintJob {
    const job = { ...found(this.#jobs, id, 'job'), state, awaitingApproval: false };
    this.#jobs.set(id, job);
    this.#hub.publish({ type: 'job', job: summaryOf(job) });
    return job;
  }
}

function summaryOf({ itemIds, review, proof, ...summary }: MintJob): MintJobSummary {
  return { ...summary, tokenCount: itemIds.length };
}

function found<T>(map: ReadonlyMap<string, T>, id: string, what: string): T {
  const value = map.get(id);
  if (value === undefined)
    throw new PlanchetError({ code: 'not-found', message: `There is no such ${what}.`, hint: 'Look at the list.' });
  return value;
}

function sizeOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0);
}
