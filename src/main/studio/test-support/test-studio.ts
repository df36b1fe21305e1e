import { join } from 'node:path';
import { pino } from 'pino';
import { toHex, txidOf } from '../../../chain/index.ts';
import {
  type LiveEvent,
  PlanchetError,
  type Settings,
  settingsSchema,
  type Tip,
  type TrackedTransaction,
} from '../../../contract/index.ts';
import { createNodeChainData } from '../../chain-data/node/node-chain-data.ts';
import { systemClock } from '../../clock.ts';
import { forkPictures } from '../../pictures/fork-pictures.ts';
import { createPictures } from '../../pictures/pictures.ts';
import type { Inclusion, TipSource } from '../../ports/chain-data.ts';
import type { Clock } from '../../ports/clock.ts';
import type { FeeRate, Merchant, MinerPolicy } from '../../ports/merchant/merchant.ts';
import type { TrackRequest, TransactionChange, TransactionTracker } from '../../ports/merchant/transactions.ts';
import { type NodeRpc, NodeRpcError } from '../../ports/node.ts';
import type { Pictures } from '../../ports/pictures.ts';
import { openStore } from '../../store/store.ts';
import type { RunLimits } from '../runs/plan.ts';
import { Studio } from '../studio.ts';
import { type StudioTables, studioMigrations } from '../tables.ts';
import { FileWallet } from './file-wallet.ts';
import { API_KEY } from './test-service.ts';

async function post<T>(url: string, body: unknown, signal?: AbortSignal): Promise<T> {
  let answer: { result?: T; error?: { code: number; message: string } };
  try {
    const response = await fetch(url, { method: 'POST', body: JSON.stringify(body), ...(signal ? { signal } : {}) });
    answer = (await response.json()) as typeof answer;
    if (!response.ok && answer.error === undefined) {
      const code = response.status === 401 ? 'unauthorized' : 'upstream-error';
      throw new PlanchetError({ code, message: `It answered with status ${response.status}.` });
    }
  } catch (error) {
    if (error instanceof PlanchetError) throw error;
    throw new PlanchetError({ code: 'upstream-unreachable', message: 'Nothing listens there.' }, { cause: error });
  }
  if (answer.error) throw new NodeRpcError(answer.error.code, answer.error.message);
  return answer.result as T;
}

function httpNode(url: string): NodeRpc {
  return { call: (method, params = [], options = {}) => post(`${url}/rpc`, { method, params }, options.signal) };
}

function httpMerchant(url: string, quoted: () => FeeRate, policy: MinerPolicy | undefined): Merchant {
  return {
    feeQuote: async () => {
      await post(`${url}/miner/status`, { txid: '' });
      const rate = quoted();
      return { standard: rate, data: rate, expiresAt: Date.now() + 600_000, policy };
    },
    ...(policy && { terms: async () => [{ name: 'Test miner', standard: quoted(), data: quoted(), policy }] }),
    submit: async (rawTx) => {
      try {
        await post(`${url}/miner/submit`, { rawTx: toHex(rawTx) });
      } catch (error) {
        if (!(error instanceof NodeRpcError)) throw error;
        throw new PlanchetError({ code: 'rejected', message: error.message });
      }
      return { txid: txidOf(rawTx) };
    },
    status: async (txid) =>
      (await post<boolean>(`${url}/miner/status`, { txid }))
        ? { known: true, blockHash: null, blockHeight: null, confirmations: 0 }
        : { known: false, reason: 'Missing inputs' },
  };
}

/** Announces blocks when it is told to. */
export class TestTip implements TipSource {
  readonly #listeners = new Set<(tip: Tip) => void>();
  current(): null {
    return null;
  }
  onTip(listener: (tip: Tip) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
  announce(): void {
    for (const listener of this.#listeners) listener({ hash: '0'.repeat(64), height: 1, time: 0 });
  }
}

/** Reports the present state of transactions at the node; publishes changes with every announced block. */
class TestTracker implements TransactionTracker {
  /** Proofs from another source than the node, by txid. */
  readonly proofs = new Map<string, Inclusion>();
  readonly #node: NodeRpc;
  readonly #known = new Set<string>();
  readonly #listeners = new Set<(change: TransactionChange) => void>();

  constructor(node: NodeRpc, tip: TestTip) {
    this.#node = node;
    tip.onTip(() => void this.#tell());
  }

  async track(requests: readonly TrackRequest[]): Promise<void> {
    for (const { rawTx } of requests) this.#known.add(txidOf(rawTx));
  }

  async keepBack(): Promise<void> {}

  async answered(): Promise<void> {}

  async get(txid: string): Promise<TrackedTransaction> {
    this.#known.add(txid);
    const found = await this.#node
      .call<{ blockhash?: string; blockheight?: number }>('getrawtransaction', [txid, true])
      .catch((error: unknown) => {
        if (error instanceof NodeRpcError) return undefined;
        throw error;
      });
    const { blockhash: hash, blockheight: height } = found ?? {};
    const block = hash === undefined || height === undefined ? null : { hash, height };
    const state = block ? 'mined' : found ? 'seen' : 'evicted';
    const rest = { label: '', bytes: 0, fee: null, createdAt: 0, updatedAt: 0, confirmations: 0 };
    return { ...rest, txid, state, block, origin: 'mint', reason: null, doubleSpentBy: null, answers: [] };
  }

  async proofOf(txid: string): Promise<Inclusion | undefined> {
    return this.proofs.get(txid);
  }

  onChange(listener: (change: TransactionChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #tell(): Promise<void> {
    for (const txid of this.#known) {
      const transaction = await this.get(txid).catch(() => undefined);
      if (transaction) for (const listener of this.#listeners) listener({ txid, from: 'seen', transaction });
    }
  }
}

export interface TestStudioOptions {
  dataDir: string;
  url: string;
  settings?: Partial<Settings>;
  /** Address of the token service, on the test network; empty for none. Left out, the studio is on the sandbox, which has one. */
  baseUrl?: string;
  apiKey?: string;
  clock?: Clock;
  random?: () => number;
  crashPoint?: (where: string) => void;
  runLimits?: RunLimits;
  importHeapMb?: number;
  /** The policy that the miner publishes. */
  policy?: MinerPolicy;
  /** Left out, the studio starts a picture process of its own, which ends with it. */
  pictures?: Pictures;
}

/** A studio over a test service, with its store, wallet and what it published. */
export async function openStudio(options: TestStudioOptions) {
  const { dataDir, url } = options;
  const store = await openStore<StudioTables>({ file: join(dataDir, 'planchet.db'), migrations: studioMigrations });
  const wallet = new FileWallet(dataDir);
  const tip = new TestTip();
  const tracker = new TestTracker(httpNode(url), tip);
  const events: LiveEvent[] = [];
  let rate: FeeRate = { satoshis: 500, bytes: 1_000 };
  const settings = settingsSchema.parse({ ...options.settings });
  const apiKey = Buffer.from(options.apiKey ?? API_KEY);
  const studio = new Studio({
    network: options.baseUrl === undefined ? 'sandbox' : 'test',
    dataDir,
    store,
    settings: { current: () => settings, onChange: () => () => {} },
    endpoints: {
      baseUrl: options.baseUrl ?? `${url}/token/v1`,
      consoleBaseUrl: options.baseUrl === '' ? '' : `${url}/console/v1`,
      mapiUrl: `${url}/miner`,
      bitcoinRpcUrl: `${url}/rpc`,
      bitcoinZmqUrl: '',
    },
    secrets: { locked: false, get: () => apiKey, set: async () => {}, delete: async () => {} },
    wallet,
    tokensOf: wallet,
    chainData: createNodeChainData(httpNode(url)),
    merchant: httpMerchant(url, () => rate, options.policy),
    tracker,
    tip,
    headers: { tip: null, isActive: () => true, refresh: async () => {} },
    pictures: options.pictures ?? createPictures({ start: forkPictures(), clock: systemClock }),
    events: { publish: (event) => void events.push(event) },
    clock: options.clock ?? systemClock,
    logger: pino({ level: 'silent' }),
    ...(options.runLimits ? { runLimits: options.runLimits } : {}),
    ...(options.importHeapMb ? { importHeapMb: options.importHeapMb } : {}),
    ...(options.random ? { random: options.random } : {}),
    ...(options.crashPoint ? { crashPoint: options.crashPoint } : {}),
  });
  await studio.start();
  return {
    studio,
    wallet,
    tip,
    proofs: tracker.proofs,
    events,
    store,
    settings,
    /** The miner asks this from now on. */
    quote: (wanted: FeeRate) => {
      rate = wanted;
    },
    close: async () => {
      await studio.stop();
      await store.close();
    },
  };
}
export type TestStudio = Awaited<ReturnType<typeof openStudio>>;

/** Uploads bytes and makes a draft of them. */
export async function addItem(
  { studio }: TestStudio,
  projectUid: string,
  content: Uint8Array,
  name = 'Moon',
  fileName = 'moon.png',
) {
  const { uploadId } = await studio.files.begin({ name: fileName, bytes: content.length, contentType: '' });
  await studio.files.append({ uploadId, offset: 0, piece: new Blob([new Uint8Array(content)]) });
  const { sha256 } = await studio.files.finish({ uploadId });
  const metadata = { name, description: '', traits: [{ name: 'eyes', value: 'green' }] };
  return studio.items.create({ projectUid, sha256, fileName, metadata });
}
