import { pino } from 'pino';
import {
  type AppInfo,
  type CallbackNotice,
  type Contract,
  type HeadersStatus,
  type Notice,
  PlanchetError,
  type Serves,
  type ServiceStatus,
  type SettingEntry,
  type Snapshot,
  type WalletStatus,
  type ZmqFeed,
} from '../../../contract/index.ts';
import type { ConsoleContext } from '../context.ts';
import { EventHub } from '../event-hub.ts';
import { createFakeGateway } from './fake-gateway.ts';
import { createFakeNetworks } from './fake-networks.ts';
import { FakeStudio, HASH, OWN_ADDRESS } from './fake-studio.ts';
import { createFakeWallet } from './fake-wallet.ts';

const info: AppInfo = {
  version: '0.1.0',
  network: 'sandbox',
  shell: 'terminal',
  safeMode: false,
  dataDir: '/data',
  platform: 'linux',
  startedAt: 1,
  firstStart: false,
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

/**
 * Answers `echo` with its parameters, refuses what it does not know as a node does, and never answers `wait` until it is aborted.
 * @param onWait called when such a call has arrived
 */
const fakeNode = (onWait: () => void): Serves<Contract['node']> => ({
  async call({ method, params }, signal) {
    if (method === 'echo') return { result: params, error: null };
    if (method === 'fault') throw new TypeError('the password is hunter22');
    if (method === 'wait') {
      const aborted = new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted'))));
      onWait();
      await aborted;
    }
    return { result: null, error: { code: -32_601, message: 'Method not found' } };
  },
});

/** Blocks and money alone: all that the tests of the transports ask for. */
const sandbox = {
  mine: async ({ blocks }) => ({ hashes: Array.from({ length: blocks }, () => HASH) }),
  fund: async ({ address }) => {
    if (address !== OWN_ADDRESS) throw new PlanchetError({ code: 'address-invalid', message: 'This is no address.' });
    return { txid: HASH };
  },
} satisfies Partial<Serves<Contract['sandbox']>>;

/** What tests over transports ask for; the rest is tested over the real host. */
type SomeOf<Part> = {
  [Name in keyof Part]?: Part[Name] extends (...given: never) => unknown ? Part[Name] : SomeOf<Part[Name]>;
};

const noHeaders: HeadersStatus = {
  chain: 'regtest',
  tip: null,
  lowest: 0,
  target: null,
  downTo: null,
  work: null,
  isAgreed: true,
  sources: [],
  isReading: false,
  bytes: 0,
  checkpoint: null,
  failure: null,
};

export interface FakeHost {
  readonly context: ConsoleContext;
  readonly hub: EventHub;
  readonly studio: FakeStudio;
  /** Lines the handlers logged. */
  readonly logs: string[];
  readonly notices: Notice[];
  /** Resolves when the node has received a call of `wait`. */
  readonly waits: Promise<void>;
}

const noMiner = async (): Promise<never> => {
  throw new PlanchetError('merchant.miner-unknown', { id: 'none' });
};

/** Fakes of everything the handlers depend on. */
export function createFakeHost(options: { withSandbox?: boolean; queueLimit?: number } = {}): FakeHost {
  const hub = new EventHub(options.queueLimit === undefined ? {} : { queueLimit: options.queueLimit });
  const studio = new FakeStudio(hub);
  const logs: string[] = [];
  const waits = Promise.withResolvers<void>();
  const past: Notice[] = [];
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
  const context: SomeOf<ConsoleContext> = {
    logger: pino({ level: 'debug' }, { write: (line: string) => void logs.push(line) }),
    network: options.withSandbox === false ? 'main' : 'sandbox',
    lockAfter: () => 0,
    events: hub,
    app: {
      info: () => (options.withSandbox === false ? { ...info, network: 'main' } : info),
      snapshot: async () => ({
        app: info,
        services,
        tip: null,
        wallet: walletStatus,
        quota: null,
        jobs: studio.jobs().jobs,
        tokens: [],
        notices: [...notices],
        faults: [],
        theme,
        language: 'system',
      }),
      createLink: () => ({ url: 'http://localhost:1/#token=t' }),
      dismissNotice: ({ id }) => {
        const at = notices.findIndex((notice) => notice.id === id);
        if (at >= 0) past.unshift(...notices.splice(at, 1));
      },
      pastNotices: () => past,
      welcomed: () => undefined,
      setTheme: (chosen) => {
        theme = chosen.theme;
        hub.publish({ type: 'theme', theme });
      },
    },
    sessions: { list: () => [], end: () => false, endOthers: () => 0 },
    approvals: {
      list: () => ({ waiting: [], permissions: [], records: [] }),
      approve: () => Promise.reject(new PlanchetError('approvals.gone')),
      deny: () => Promise.reject(new PlanchetError('approvals.gone')),
      revoke: () => Promise.reject(new PlanchetError('approvals.permission-missing')),
    },
    search: { find: async () => ({ hits: [], tried: [] }), names: async () => ({}) },
    doubleSpends: { doubleSpends: async () => [] },
    webhook: {
      status: async () => ({ url: '', hasSecret: false, waiting: 0, attempts: 0, failure: null }),
      setSecret: async () => ({ url: '', hasSecret: true, waiting: 0, attempts: 0, failure: null }),
    },
    callbacks: {
      async *callbacks(): AsyncGenerator<CallbackNotice, undefined, void> {
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
      status: () => noHeaders,
      sync: () => noHeaders,
    },
    miners: {
      list: async () => [],
      add: noMiner,
      update: noMiner,
      remove: noMiner,
      restore: noMiner,
      reorder: async () => [],
      refresh: noMiner,
    },
    minerHistory: { quotes: async () => [], hours: async () => [] },
    minerTester: { test: noMiner },
    tracked: {
      list: async () => ({ transactions: [], next: null }),
      counts: async () => ({}),
      get: async ({ txid }) => {
        throw new PlanchetError('merchant.transaction-unknown', { txid });
      },
      label: async ({ txid }) => {
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
      list: () => services,
      restart: async ({ name }) => {
        const status = services.find((service) => service.name === name);
        if (!status)
          throw new PlanchetError({ code: 'not-running', message: `There is no ${name} service on this network.` });
        return status;
      },
    },
    settings: {
      list: () => [setting],
      set: ({ key, value }) => {
        if (key !== setting.key)
          throw new PlanchetError({ code: 'settings-invalid', message: `There is no setting "${key}".` });
        return { entry: { ...setting, value }, restarts: setting.restarts, undo: null };
      },
      // Files, resets and ports are tested over the real host.
    },
    networks: createFakeNetworks(),
    wallet: createFakeWallet(walletStatus, OWN_ADDRESS),
    projects: studio.projects,
    files: studio.files,
    items: studio.items,
    projectMoves: studio.projectMoves,
    outputs: studio.outputs,
    mint: studio.mint,
    quota: studio.quota,
    transactions: studio.transactions,
    tokens: studio.tokens,
    import: {},
    node: fakeNode(waits.resolve),
    gateway: createFakeGateway(),
    zmq: {
      counts: () => ({ source: 'none', degraded: null, topics: [], subscribers: 0, waiting: 0, dropped: 0 }),
      async *feed(): AsyncGenerator<ZmqFeed, undefined, void> {
        yield { messages: [], skipped: 0 };
        return undefined;
      },
    },
    histograms: () => ({
      bounds: [0.01, 0.1],
      byCommand: [{ name: 'getinfo', counts: [1, 1, 1], sum: 1.5 }],
      byKey: [{ name: 'a "key"', counts: [3, 0, 0], sum: 0.01 }],
    }),
    ...(options.withSandbox === false ? {} : { sandbox }),
  };
  return { context: context as ConsoleContext, hub, studio, logs, notices, waits: waits.promise };
}
