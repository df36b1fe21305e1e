import { createHash, randomUUID } from 'node:crypto';
import { pino } from 'pino';
import {
  type AppInfo,
  type CallbackNotice,
  type FileInfo,
  type Item,
  type MintJob,
  type MintJobSummary,
  type MintState,
  type Notice,
  PlanchetError,
  type Project,
  type ServiceStatus,
  type SettingEntry,
  type Snapshot,
  type TransactionView,
  type WalletStatus,
} from '../../../contract/index.ts';
import type { ConsoleContext, NodePort, SandboxPort, StudioPort } from '../context.ts';
import { EventHub } from '../event-hub.ts';
import { createFakeGateway } from './fake-gateway.ts';
import { createFakeWallet } from './fake-wallet.ts';

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
    update: async (_projectUid, uid) => void found(this.#items, uid, 'output'),
    remove: async (_projectUid, uid) => void found(this.#items, uid, 'output'),
  };

  async removeItem({ id }: { id: string }): Promise<void> {
    found(this.#items, id, 'item');
    this.#items.delete(id);
  }

  async estimateMint({ itemIds }: { itemIds: string[] }): ReturnType<StudioPort['estimateMint']> {
    for (const id of itemIds) found(this.#items, id, 'item');
    const figures = { size: 500, fee: 25, total: 25 + itemIds.length, spendable: 1_000, quotaAvailable: 10 };
    return { tokens: itemIds.length, ...figures, problems: [] };
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
    facets: async () => ({ minted: 3, received: 0, projects: [], traits: [] }),
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

const info: AppInfo = {
  version: '0.1.0',
  network: 'sandbox',
  shell: 'terminal',
  safeMode: false,
  dataDir: '/data',
  platform: 'linux',
  startedAt: 1,
  endpoints: { console: null, rpc: null, zmq: null, writer: null, sandbox: null, baseUrl: null, mapi: null },
};

const walletStatus: WalletStatus = {
  state: 'ready',
  network: 'sandbox',
  address: OWN_ADDRESS,
  publicKey: `02${HASH}`,
  balance: { spendable: 1_000, confirmed: 1_000, unconfirmed: 0, reserved: 0, tokens: 0 },
  worthless: true,
};

/** Answers `echo` with its parameters, refuses what it does not know as a node does, and never answers `wait` until it is aborted. */
const node: NodePort = {
  async call(method, params, signal) {
    if (method === 'echo') return { result: params, error: null };
    if (method === 'fault') throw new TypeError('the password is hunter22');
    if (method === 'wait') {
      await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted'))));
    }
    return { result: null, error: { code: -32_601, message: 'Method not found' } };
  },
};

/** Blocks and money alone: all that the tests of the transports ask for. */
const sandbox = {
  mine: async (blocks: number) => Array.from({ length: blocks }, () => HASH),
  fund: async (address: string) => {
    if (address !== OWN_ADDRESS) throw new PlanchetError({ code: 'address-invalid', message: 'This is no address.' });
    return HASH;
  },
} as Pick<SandboxPort, 'mine' | 'fund'> as SandboxPort;

export interface FakeHost {
  readonly context: ConsoleContext;
  readonly hub: EventHub;
  readonly studio: FakeStudio;
  /** Lines the handlers logged. */
  readonly logs: string[];
  readonly notices: Notice[];
}

const noMiner = async (): Promise<never> => {
  throw new PlanchetError('merchant.miner-unknown', { id: 'none' });
};

/** Fakes of everything the handlers depend on. */
export function createFakeHost(options: { withSandbox?: boolean; queueLimit?: number } = {}): FakeHost {
  const hub = new EventHub(options.queueLimit === undefined ? {} : { queueLimit: options.queueLimit });
  const studio = new FakeStudio(hub);
  const logs: string[] = [];
  const notices: Notice[] = [{ id: 'n1', level: 'info', message: 'hello', at: 1 }];
  const services: ServiceStatus[] = [{ name: 'console', status: { state: 'running' }, since: 1 }];
  let theme: Snapshot['theme'] = 'system';
  const setting: SettingEntry = {
    key: 'logLevel',
    value: 'info',
    default: 'info',
    isSet: false,
    secret: false,
    origin: 'default',
    overridden: false,
    restarts: ['application'],
  };
  const context: ConsoleContext = {
    logger: pino({ level: 'debug' }, { write: (line: string) => void logs.push(line) }),
    events: hub,
    app: {
      info: () => (options.withSandbox === false ? { ...info, network: 'main' } : info),
      snapshot: async () => ({
        app: info,
        services,
        tip: null,
        wallet: walletStatus,
        quota: null,
        jobs: (await studio.listMints()).jobs,
        tokens: [],
        notices: [...notices],
        theme,
      }),
      createLink: () => 'http://localhost:1/#token=t',
      dismissNotice: (id) => {
        const at = notices.findIndex((notice) => notice.id === id);
        if (at >= 0) notices.splice(at, 1);
      },
      setTheme: (chosen) => {
        theme = chosen;
        hub.publish({ type: 'theme', theme });
      },
    },
    doubleSpends: { of: async () => [] },
    webhook: {
      status: async () => ({ url: '', hasSecret: false, waiting: 0, attempts: 0, failure: null }),
      setSecret: async () => ({ url: '', hasSecret: true, waiting: 0, attempts: 0, failure: null }),
    },
    callbacks: {
      async *watch(): AsyncGenerator<CallbackNotice, undefined, void> {
        yield {
          at: 1,
          minerId: 'default',
          miner: 'Default',
          kind: 'mapi',
          txid: HASH,
          status: 'doubleSpendAttempt',
          block: null,
          conflicts: ['ab'.repeat(32)],
          signature: 'valid',
        };
        return undefined;
      },
    },
    headers: {
      status: () => ({ chain: 'regtest', tip: null, target: null, bytes: 0, checkpoint: null, failure: null }),
    },
    miners: {
      list: async () => [],
      add: noMiner,
      update: noMiner,
      remove: noMiner,
      reorder: async () => [],
      refresh: noMiner,
    },
    minerHistory: { quotes: async () => [], hours: async () => [] },
    minerTester: { test: noMiner },
    transactions: {
      list: async () => ({ transactions: [], next: null, counts: {} }),
      detail: async (txid) => {
        throw new PlanchetError('merchant.transaction-unknown', { txid });
      },
      label: async (txid) => {
        throw new PlanchetError('merchant.transaction-unknown', { txid });
      },
    },
    submission: {
      upload: async () => ({ uploadId: 'u', bytes: 0 }),
      decode: async () => ({ total: 0, bytes: 0, transactions: [], unreadable: [] }),
      inscribed: async () => new Blob([]),
      submit: async () => [],
      retry: async () => [],
    },
    services: {
      statuses: () => services,
      restart: async (name) => {
        const status = services.find((service) => service.name === name);
        if (!status)
          throw new PlanchetError({ code: 'not-running', message: `There is no ${name} service on this network.` });
        return status;
      },
    },
    settings: {
      entries: () => [setting],
      set: (key, value) => {
        if (key !== setting.key)
          throw new PlanchetError({ code: 'settings-invalid', message: `There is no setting "${key}".` });
        return { ...setting, value };
      },
    },
    wallet: createFakeWallet(walletStatus, OWN_ADDRESS),
    studio,
    node,
    gateway: createFakeGateway(),
    ...(options.withSandbox === false ? {} : { sandbox }),
  };
  return { context, hub, studio, logs, notices };
}
