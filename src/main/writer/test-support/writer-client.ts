import { mkdtemp, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, inject } from 'vitest';
import { formatOutpoint, parseTx, toHex } from '../../../chain/index.ts';
import { type Settings, settingsSchema } from '../../../contract/index.ts';
import { createNodeChainData } from '../../chain-data/node/node-chain-data.ts';
import type { Clock } from '../../ports/clock.ts';
import type { NodeRpc } from '../../ports/node.ts';
import type { SecretStore } from '../../ports/secrets.ts';
import { documentScript } from '../sending/data-transaction.ts';
import { openWriterStore, type WriterStore } from '../storage/store.ts';
import { type WriterOptions, WriterService } from '../writer.ts';
import { poolKey, type TestHarness } from './harness.ts';
import { createDatabase, releaseDatabase } from './postgres.ts';

export const API_KEY = 'testnet_0123456789abcdef';
/** How long a test waits for what must happen, in milliseconds: far longer than it takes, on a machine with other work. */
export const PATIENCE_MS = 15_000;

const born = Date.now();
/** Time goes twenty times as fast as in life. */
export const fastClock: Clock = {
  now: () => Math.floor(born + (Date.now() - born) * 20),
  after: (ms, run) => {
    const timer = setTimeout(run, ms / 20);
    return () => clearTimeout(timer);
  },
};

export interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  json: Record<string, unknown>;
}

/** Where a writer's processes run one after the other: its folder, its vault, and what is to be cleaned up. */
export class WriterProcesses {
  readonly folder: string;
  readonly secrets = new Map<string, Uint8Array>([['apiKey:sandbox', Buffer.from(API_KEY)]]);
  readonly secretStore: SecretStore = {
    locked: false,
    get: (name) => this.secrets.get(name),
    set: async (name, value) => void this.secrets.set(name, value),
    delete: async (name) => void this.secrets.delete(name),
  };
  readonly #options: Partial<WriterOptions>;
  readonly #running: WriterService[] = [];
  #store: WriterStore | undefined;

  /** Setting of this name: a new database where the tests run on PostgreSQL, empty where they run on the built-in one. */
  readonly databaseUrl: string;

  readonly #isOwner: boolean;

  private constructor(folder: string, databaseUrl: string, isOwner: boolean, options: Partial<WriterOptions> = {}) {
    this.#options = options;
    this.#isOwner = isOwner;
    this.folder = folder;
    this.databaseUrl = databaseUrl;
  }

  /** @param options of every writer that it starts */
  static async open(options: Partial<WriterOptions> = {}): Promise<WriterProcesses> {
    const server = inject('postgres');
    const databaseUrl = server === undefined ? '' : await createDatabase(server);
    return new WriterProcesses(
      await mkdtemp(join(tmpdir(), 'planchet-writer-')),
      databaseUrl,
      databaseUrl !== '',
      options,
    );
  }

  /** Another machine with the same database: its folder and its vault are its own. */
  static async sharing({ databaseUrl }: WriterProcesses): Promise<WriterProcesses> {
    return new WriterProcesses(await mkdtemp(join(tmpdir(), 'planchet-writer-')), databaseUrl, false);
  }

  async close(): Promise<void> {
    for (const service of this.#running.splice(0)) await service.stop();
    if (this.#isOwner) releaseDatabase(this.databaseUrl);
    await rm(this.folder, { recursive: true, force: true });
  }

  /** The journal of the writer that was started last. */
  get db(): WriterStore['db'] {
    if (this.#store === undefined) throw new Error('no writer was started');
    return this.#store.db;
  }

  /** Outpoints of the writer's own coins that are free, by its journal. */
  async freeCoins(): Promise<string[]> {
    const free = this.db.selectFrom('writer_coins').select(['txid', 'vout']).where('held_by', 'is', null);
    return (await free.execute()).map(formatOutpoint).sort();
  }

  /** Starts a writer that uses the wallet, the merchant API and the node of the given harness. */
  async start(
    harness: TestHarness,
    changes: { settings?: Partial<Settings>; options?: Partial<WriterOptions> & { node?: NodeRpc } } = {},
  ): Promise<WriterClient> {
    // Answers wait for what becomes of a document, however busy the machine is; a test of an answer that comes sooner says so.
    let settings = settingsSchema.parse({
      writerBind: ':0',
      writerWait: '10m',
      databaseUrl: this.databaseUrl,
      ...changes.settings,
    });
    const { node, ...others } = changes.options ?? {};
    const options = { ...this.#options, ...others };
    const { openStore = openWriterStore } = options;
    const listeners = new Set<(settings: Settings, changed: readonly (keyof Settings)[]) => void>();
    const service = new WriterService({
      network: 'sandbox',
      settings: {
        current: () => settings,
        onChange: (listener) => {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
      },
      dataDir: this.folder,
      wallet: harness.wallet,
      poolKey: () => poolKey.slice(),
      merchant: harness.merchant,
      tracker: { proofOf: async () => undefined },
      chainData: node === undefined ? harness.chainData : createNodeChainData(node, harness.headers),
      tips: harness.tips,
      endpoints: () => ({ baseUrl: '', consoleBaseUrl: '', mapiUrl: '', bitcoinRpcUrl: '', bitcoinZmqUrl: '' }),
      events: { publish: () => {} },
      secrets: this.secretStore,
      clock: fastClock,
      logger: pino({ level: 'silent' }),
      ...options,
      openStore: async (...args) => {
        this.#store = await openStore(...args);
        return this.#store;
      },
    });
    this.#running.push(service);
    const { address = '' } = await service.start();
    return new WriterClient(address, service, (more) => {
      settings = settingsSchema.parse({ ...settings, ...more });
      for (const listener of listeners) listener(settings, Object.keys(more) as (keyof Settings)[]);
    });
  }
}

/** Talks to a writer as a program of its user would. */
export class WriterClient {
  readonly address: string;
  readonly port: number;
  readonly service: WriterService;
  /** Changes settings while it runs. */
  readonly set: (changes: Partial<Settings>) => void;

  constructor(address: string, service: WriterService, set: (changes: Partial<Settings>) => void) {
    this.address = address;
    this.port = Number(new URL(address).port);
    this.service = service;
    this.set = set;
  }

  async send(
    method: string,
    path: string,
    body: string | Buffer = '',
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    const all = {
      authorization: `Bearer ${API_KEY}`,
      ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
      ...headers,
    };
    const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
    return new Promise((resolve, reject) => {
      const request = httpRequest({ host: '127.0.0.1', port: this.port, method, path, headers: given, agent: false });
      request.on('error', reject);
      request.on('response', (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(pieces).toString('utf8');
          const isJson = String(response.headers['content-type']).startsWith('application/json');
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            json: isJson ? (JSON.parse(text) as Record<string, unknown>) : {},
          });
        });
      });
      // Node encodes headers as UTF-8 where they leave together with a text body.
      request.end(Buffer.from(body));
    });
  }

  write(body: string | Buffer, headers: Record<string, string> = {}): Promise<Reply> {
    return this.send('POST', '/api/v1/write', body, headers);
  }

  /** Hands a document over without waiting for more. @returns its id */
  async accept(body: string): Promise<string> {
    const { json } = await this.send('POST', '/api/v1/write?wait=accepted', body);
    expect(json.status).toBe(202);
    return String(json.id);
  }

  async untilState(id: string, ...states: string[]): Promise<Record<string, unknown>> {
    const end = performance.now() + PATIENCE_MS;
    for (;;) {
      const { json } = await this.send('GET', `/api/v1/writes/${id}`);
      if (states.includes(String(json.state))) return json;
      if (performance.now() > end) throw new Error(`still ${String(json.state)}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

/** The data scripts the miner took, in order. */
export function written(harness: TestHarness): string[] {
  return harness
    .everything()
    .flatMap((rawTx) => parseTx(rawTx).outputs)
    .flatMap(({ satoshis, script }) => (satoshis === 0 ? [toHex(script)] : []));
}

/** The output script of a JSON document. */
export function scriptOf(body: string, tag?: string): string {
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  return toHex(
    documentScript({
      tag: tag === undefined ? undefined : bytes(tag),
      contentType: 'application/json',
      body: bytes(body),
    }),
  );
}
