import { createHash, randomUUID } from 'node:crypto';
import {
  type Contract,
  type FileInfo,
  type Item,
  type MintJob,
  type MintJobSummary,
  type MintState,
  PlanchetError,
  type Project,
  type Serves,
} from '../../../contract/index.ts';
import type { EventHub } from '../event-hub.ts';

export const HASH = 'ab'.repeat(32);
export const OWN_ADDRESS = 'mfWxJ45yp2SFn7UciZyNpvDKrzbhyfKrY8';
const MAX_FILE_BYTES = 8_000_000;

type Served = Serves<Contract>;

/** A studio in memory: no chain, but real uploads, projects, items and states. */
export class FakeStudio {
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

  readonly projects: Served['projects'] = {
    list: async () => {
      return [...this.#projects.values()];
    },
    create: async ({ name, type }) => {
      const fixed = {
        network: 'sandbox',
        service: 'sandbox',
        direct: false,
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
    },
    get: async ({ uid }) => {
      return found(this.#projects, uid, 'project');
    },
  };

  readonly files: Served['files'] = {
    begin: async (input) => {
      if (input.bytes > MAX_FILE_BYTES)
        throw new PlanchetError({ code: 'file-too-large', message: 'The file is too large.' });
      const uploadId = randomUUID();
      this.#uploads.set(uploadId, { ...input, pieces: [] });
      return { uploadId };
    },
    append: async (input) => {
      const upload = found(this.#uploads, input.uploadId, 'upload');
      const received = sizeOf(upload.pieces);
      if (input.offset !== received)
        throw new PlanchetError({ code: 'conflict', message: `The next piece begins at ${received}.` });
      upload.pieces.push(new Uint8Array(await input.piece.arrayBuffer()));
      return { received: sizeOf(upload.pieces) };
    },
    finish: async ({ uploadId }) => {
      const { name, contentType, pieces } = found(this.#uploads, uploadId, 'upload');
      const bytes = Buffer.concat(pieces);
      const info = { sha256: createHash('sha256').update(bytes).digest('hex'), name, contentType, bytes: bytes.length };
      this.#files.set(info.sha256, { info, blob: new Blob([bytes], { type: contentType }) });
      this.#uploads.delete(uploadId);
      return info;
    },
    abort: async ({ uploadId }) => {
      if (!this.#uploads.delete(uploadId))
        throw new PlanchetError({ code: 'not-found', message: 'There is no such upload.' });
    },
    read: async ({ sha256 }) => {
      return found(this.#files, sha256, 'file').blob;
    },
    thumbnail: async ({ sha256 }) => {
      const { blob } = found(this.#files, sha256, 'file');
      return blob.type.startsWith('image/') ? blob : null;
    },
  };

  readonly items: Served['items'] = {
    list: async ({ projectUid }) => {
      return [...this.#items.values()].filter((item) => item.projectUid === projectUid);
    },
    create: async (input) => {
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
    },
    update: async ({ id, metadata }) => {
      const item = { ...found(this.#items, id, 'item'), metadata };
      this.#items.set(id, item);
      return item;
    },
    updateMany: async ({ changes }) => Promise.all(changes.map((change) => this.items.update(change))),
    reorder: async ({ ids }) => {
      for (const [position, id] of ids.entries()) this.#items.set(id, { ...found(this.#items, id, 'item'), position });
    },
    replaceFiles: async ({ changes }) =>
      changes.map(({ id, sha256, fileName }) => {
        const item = found(this.#items, id, 'item');
        const file = { ...found(this.#files, sha256, 'file').info, name: fileName };
        const replaced = { ...item, file, original: item.file };
        this.#items.set(id, replaced);
        return replaced;
      }),
    putOriginals: async ({ ids }) =>
      ids.map((id) => {
        const { original, ...item } = found(this.#items, id, 'item');
        const back = { ...item, file: original ?? item.file };
        this.#items.set(id, back);
        return back;
      }),
    makeEdition: async ({ id, count }) => {
      const item = found(this.#items, id, 'item');
      return Array.from({ length: count }, () => item);
    },
    remove: async ({ ids }) => {
      for (const id of ids) {
        this.#removed.set(id, found(this.#items, id, 'item'));
        this.#items.delete(id);
      }
    },
    restore: async ({ ids }) => {
      for (const id of ids) this.#items.set(id, found(this.#removed, id, 'item'));
    },
    undo: async ({ projectUid }) => {
      found(this.#projects, projectUid, 'project');
      return { what: 'edited', items: 1, at: 1 };
    },
    history: {
      get: async () => ({ last: { what: 'edited', items: 1, at: 1 }, inBin: this.#removed.size }),
      bin: async () => [...this.#removed.values()].map((item) => ({ item, removedAt: 1 })),
      emptyBin: async () => this.#removed.clear(),
    },
  };

  readonly projectMoves: Served['projectMoves'] = {
    preview: async () => ({
      ...{ name: 'Gallery', type: 'single' as const, items: 1, contentBytes: 100 },
      ...{ nameTaken: false, royalties: [], miners: [] },
    }),
    copy: async () => ({ projectUid: randomUUID(), items: 1 }),
  };

  readonly outputs: Served['outputs'] = {
    list: async () => [],
    create: async ({ sha256 }) => ({ uid: sha256 }),
    update: async ({ uid }) => void found(this.#items, uid, 'output'),
    remove: async ({ uid }) => void found(this.#items, uid, 'output'),
  };

  readonly mint: Served['mint'] = {
    estimate: async ({ itemIds }) => {
      for (const id of itemIds) found(this.#items, id, 'item');
      const figures = {
        repeats: [],
        size: 500,
        fee: 25,
        total: 25 + itemIds.length,
        spendable: 1_000,
        direct: false,
        quotaAvailable: 10,
      };
      return { tokens: itemIds.length, ...figures, royalties: [], problems: [] };
    },
    create: async (input) => {
      const first = found(this.#items, input.itemIds[0] as string, 'item');
      const job: MintJob = {
        id: randomUUID(),
        projectUid: first.projectUid,
        itemIds: input.itemIds,
        destination: input.destination,
        direct: false,
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
    },
    list: async () => this.jobs(),
    get: async ({ id }) => {
      return found(this.#jobs, id, 'job');
    },
    approve: async ({ id, digest }) => {
      if (digest !== HASH)
        throw new PlanchetError({ code: 'conflict', message: 'The review was of another transaction.' });
      return this.#moved(id, 'signed');
    },
    cancel: async ({ id }) => {
      return this.#moved(id, 'cancelled');
    },
    retry: async ({ id }) => {
      found(this.#jobs, id, 'job');
      throw new PlanchetError({ code: 'conflict', message: 'Nothing failed.' });
    },
  };

  readonly tokens: Omit<Served['tokens'], 'send'> = {
    list: async ({ offset, limit }) => ({
      tokens: [0, 1, 2].slice(offset, offset + limit).map((index) => ({
        outpoint: `${HASH}_${index}`,
        origin: `${HASH}_${index}`,
        name: `token ${index}`,
        number: index,
        rank: null,
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
    outpoints: async () => ({ outpoints: [0, 1, 2].map((index) => `${HASH}_${index}`) }),
    get: async ({ outpoint }) => {
      throw new PlanchetError('tokens.missing', { outpoint });
    },
    blocks: async () => [],
    facets: async () => ({ minted: 3, received: 0, elsewhere: 0, projects: [], traits: [] }),
    sendMany: {
      read: async () => ({ rows: [], left: [], pairedBy: 'order' }),
      prepare: async ({ moves }) => {
        throw new PlanchetError('wallet.send-no-token', { outpoint: moves[0]?.outpoint ?? '' });
      },
    },
    ledger: async () => ({ rows: [], total: 0 }),
    exportLedger: async () => new Blob(['[]']),
    certificate: async () => new Blob(['png'], { type: 'image/png' }),
    bundle: async () => ({ bundle: new Blob(['<!doctype html>']), tokens: 1 }),
    publishing: {
      plan: async () => ({ id: 'folder', name: 'Project', tokens: 1, parts: 1 }),
      part: async () => ({ files: [{ path: 'token/0001.html', bytes: 15 }], content: new Blob(['<!doctype html>']) }),
      address: async () => ({ baseUrl: null }),
      setAddress: async ({ baseUrl }) => ({ baseUrl }),
      link: async () => ({ url: 'https://moons.example/token/0001.html' }),
    },
  };

  readonly quota: Served['quota'] = {
    get: async () => {
      return { monthlyMintLimit: 10, totalUsed: 1, available: 9, startDate: '2026-11-01', endDate: '2026-11-30' };
    },
  };

  readonly transactions: Served['transactions'] = {
    get: async ({ txid }) => {
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
    },
    spenders: async ({ outputs }) => outputs.map((index) => ({ index, state: 'unspent', by: null })),
    ancestors: async () => ({ txids: [HASH], isComplete: true }),
    forms: async () => ({ ef: null, beef: '0100beef', bump: null, header: null, json: '{}' }),
    content: async ({ index }) => {
      if (index > 0) throw new PlanchetError({ code: 'not-found', message: 'Nothing is inscribed in this output.' });
      return new Blob(['inscribed'], { type: 'text/plain' });
    },
  };

  jobs(): { jobs: MintJobSummary[]; next: null } {
    return { jobs: [...this.#jobs.values()].map(summaryOf), next: null };
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
