import type { Logger } from 'pino';
import type {
  AppInfo,
  ApprovalList,
  CallBodies,
  ConnectionTest,
  ConnectionTestInput,
  Diagnostics,
  DoctorFinding,
  ExternalWalletKey,
  Failure,
  GatewayConnection,
  GatewayKey,
  GatewayStatus,
  HeadersStatus,
  ImportedSetting,
  LiveEvent,
  LogStep,
  MethodHistory,
  Network,
  NetworkNeed,
  NetworkProfile,
  NetworkTestStep,
  NewGatewayKey,
  NodeCommand,
  OutputSpend,
  PairedOrigin,
  PairingDecision,
  PairingRequest,
  PortProbe,
  RelayResult,
  Remember,
  Replay,
  RivalTransaction,
  SandboxChain,
  SandboxClockSetting,
  SandboxFault,
  SandboxSnapshot,
  SandboxStatus,
  ServiceName,
  ServiceStatus,
  Session,
  SettingEntry,
  Snapshot,
  TokenHistory,
  TokenJob,
  TokenOverview,
  TokenRequest,
  Traffic,
  WaitingSetting,
  WalletAccount,
  WalletAddress,
  WalletBackup,
  WalletBalance,
  WalletCoin,
  WalletConsolidate,
  WalletHistoryEntry,
  WalletNotice,
  WalletSend,
  WalletSendRequest,
  WalletStatus,
  WalletSweep,
  WalletVault,
  WriterDocument,
  WriterDocumentPage,
  WriterKey,
  WriterRetryResult,
  WriterState,
  WriterStatus,
  WriterUsageHour,
  ZmqCounts,
  ZmqFeed,
} from '../../contract/index.ts';

import type { RehearsalsPort } from '../ports/rehearsals.ts';
import type { SearchPort } from '../ports/search.ts';
import type {
  CallbacksPort,
  MerchantKeysPort,
  MinerHistoryPort,
  MinersPort,
  MinerTesterPort,
  SubmissionPort,
  TransactionsPort,
  WebhookPort,
} from './merchant-ports.ts';
import type { NodePort } from './node-port.ts';
import type { StudioPort } from './studio-ports.ts';

type Awaitable<T> = T | Promise<T>;

/** What the handlers know of the application itself. */
interface AppPort {
  info(): AppInfo;
  snapshot(): Awaitable<Snapshot>;
  /** A one-time link to the console. @throws PlanchetError `not-running` where the console does not listen */
  createLink(): string;
  /** Milliseconds without use after which a page locks itself; 0 never. */
  lockAfter(): number;
  dismissNotice(id: string): void;
  /** The question of the first start is not asked again. */
  welcomed(): Awaitable<void>;
  setTheme(theme: Snapshot['theme']): Awaitable<void>;
}

/** Browsers that are signed in. */
interface SessionsPort {
  list(): Session[];
  end(id: string): boolean;
  endOthers(id: string | undefined): number;
}

/** What other programs ask for. */
interface ApprovalsPort {
  list(): ApprovalList;
  approve(input: { id: string; digest: string; remember?: Remember | undefined }): Promise<void>;
  deny(id: string): Promise<void>;
  revoke(id: string): Promise<void>;
}

interface ServicesPort {
  statuses(): ServiceStatus[];
  restart(name: ServiceName): Promise<ServiceStatus>;
}

/** Networks, their own addresses and keys, and the change from one to another: see `networksContract`. */
export interface NetworksPort {
  list(): Promise<NetworkProfile[]>;
  save(input: {
    network: Network;
    values: Readonly<Record<string, string | boolean>>;
    passphrase?: string | undefined;
  }): Promise<NetworkProfile>;
  test(input: { network: Network; passphrase?: string | undefined }): Promise<NetworkTestStep[]>;
  createWallet(input: { network: Network; passphrase?: string | undefined }): Promise<NetworkProfile>;
  createBackup(input: { network: Network; passphrase: string }): Promise<{ fileName: string; text: string }>;
  checkBackup(input: { network: Network; text: string; passphrase: string }): Promise<NetworkProfile>;
  switch(input: {
    network: Network;
    without: readonly NetworkNeed[];
    word: string;
  }): Promise<{ network: Network; missing: NetworkNeed[]; restarts: boolean }>;
}

interface ChangedSettings {
  entries: SettingEntry[];
  undo: string | null;
}

interface SettingsPort {
  entries(): Awaitable<SettingEntry[]>;
  /** Saves one value. @returns the new entry, without the value if that is a secret */
  set(
    key: string,
    value: string | number | boolean,
  ): Awaitable<{ entry: SettingEntry; restarts: string[]; undo: string | null }>;
  reset(keys?: readonly string[]): Promise<ChangedSettings>;
  undo(id: string): Promise<ChangedSettings>;
  export(): { fileName: string; text: string };
  preview(text: string): ImportedSetting[];
  import(text: string): Promise<ChangedSettings>;
  waiting(): WaitingSetting[];
  probePort(input: { key: string; value: string }): Promise<PortProbe>;
}

/** What helps where something does not work. */
interface SupportPort {
  doctor(): Promise<DoctorFinding[]>;
  followLog(signal: AbortSignal | undefined): AsyncIteratorObject<LogStep, undefined, void>;
  logFile(): Promise<Uint8Array<ArrayBuffer>>;
  previewDiagnostics(): Promise<Diagnostics>;
  zipDiagnostics(id: string): Uint8Array<ArrayBuffer>;
}

/** Accounts of the wallet. */
interface WalletAccountsPort {
  list(): Promise<WalletAccount[]>;
  create(input: { name: string }): Promise<WalletAccount>;
  watch(input: { name: string; xpub: string; birthHeight: number }): Promise<WalletAccount>;
  importKey(input: { name: string; wif: string; birthHeight: number }): Promise<WalletAccount>;
  rename(input: { id: string; name: string }): Promise<WalletAccount>;
  switch(input: { id: string }): Promise<WalletAccount>;
  remove(input: { id: string; loses: boolean }): Promise<void>;
}

/** The wallet as a person sees and uses it: see `walletContract`. */
export interface WalletPort {
  status(): WalletStatus;
  validateAddress(address: string): { valid: boolean; failure: Failure | null; own: boolean };
  balance(): WalletBalance;
  create(words: 12 | 15 | 18 | 21 | 24): Promise<WalletStatus>;
  restore(input: {
    words: string;
    passphrase?: string | undefined;
    birthHeight?: number | undefined;
  }): Promise<WalletStatus>;
  lock(): Promise<WalletStatus>;
  unlock(input: { passphrase: string; forJob?: boolean }): Promise<WalletStatus>;
  revealSeed(passphrase: string): Promise<{ words: string }>;
  external(): ExternalWalletKey | null;
  acceptExternal(input: { identityKey: string }): Promise<WalletStatus>;
  vault(): WalletVault;
  changePassphrase(input: { current: string; next: string }): Promise<WalletVault>;
  listAddresses(): Promise<WalletAddress[]>;
  nextAddress(label: string): Promise<WalletAddress>;
  labelAddress(input: { address: string; label: string }): Promise<void>;
  history(input: { limit: number; after?: string | undefined }): Promise<{
    entries: WalletHistoryEntry[];
    next: string | null;
  }>;
  exportHistory(format: 'csv' | 'json'): Promise<{ text: string }>;
  labelTransaction(input: { txid: string; label: string }): Promise<void>;
  notices(): Promise<WalletNotice[]>;
  dismissNotice(input: { id: string }): Promise<void>;
  listCoins(): Promise<WalletCoin[]>;
  freeze(input: { outpoints: string[]; frozen: boolean }): Promise<void>;
  labelCoin(input: { outpoint: string; label: string }): Promise<void>;
  prepareSend(input: { request: WalletSendRequest; idempotencyKey: string }): Promise<WalletSend>;
  prepareTokenSend(input: { outpoint: string; address: string; idempotencyKey: string }): Promise<WalletSend>;
  approveSend(input: { id: string; digest: string }): Promise<WalletSend>;
  cancelSend(input: { id: string }): Promise<WalletSend>;
  retrySend(input: { id: string }): Promise<WalletSend>;
  getSend(input: { id: string }): Promise<WalletSend>;
  listSends(): Promise<WalletSend[]>;
  consolidate(input: WalletConsolidate): Promise<WalletSend>;
  backupStatus(): Promise<WalletBackup>;
  createBackup(passphrase: string): Promise<{ fileName: string; text: string }>;
  checkBackup(input: { text: string; passphrase: string }): Promise<WalletBackup>;
  restoreBook(input: {
    text: string;
    passphrase: string;
  }): Promise<{ accounts: number; labels: number; frozen: number }>;
  readonly accounts: WalletAccountsPort;
  sweep(input: { account: string; feeRate?: number | undefined; idempotencyKey: string }): Promise<WalletSweep>;
}

interface Histogram {
  readonly name: string;
  /** Calls in each bucket alone, and above the last bound. */
  readonly counts: readonly number[];
  /** Seconds. */
  readonly sum: number;
}

export interface CallHistograms {
  /** Upper bounds of the buckets, in seconds. */
  readonly bounds: readonly number[];
  readonly byCommand: readonly Histogram[];
  readonly byKey: readonly Histogram[];
}

/** The gateway as its views see it. */
export interface GatewayPort {
  status(): Awaitable<GatewayStatus>;
  traffic(signal: AbortSignal | undefined): AsyncIteratorObject<Traffic, undefined, void>;
  callParams(number: number): { params: string };
  callBodies(number: number): CallBodies;
  replayCall(number: number, signal: AbortSignal | undefined): Promise<Replay>;
  history(): MethodHistory;
  commands(): NodeCommand[];
  listKeys(): Promise<GatewayKey[]>;
  createKey(wanted: NewGatewayKey): Promise<{ key: GatewayKey; username: string; password: string }>;
  revokeKey(id: string): Promise<GatewayKey>;
  restoreKey(id: string): Promise<GatewayKey>;
  listOrigins(): Promise<PairedOrigin[]>;
  pairOrigin(origin: string): Promise<PairedOrigin>;
  unpairOrigin(origin: string): Promise<void>;
  restoreOrigin(origin: string): Promise<PairedOrigin>;
  pairingRequests(): Promise<PairingRequest[]>;
  decidePairing(decision: PairingDecision): Promise<void>;
  test(input: ConnectionTestInput): Promise<ConnectionTest[]>;
  connection(): GatewayConnection;
  revealPassword(): { password: string };
  rotatePassword(): Promise<{ password: string }>;
  /** How long calls took, for the metrics. */
  histograms(): CallHistograms;
  zmqCounts(): ZmqCounts;
  zmqFeed(signal: AbortSignal | undefined): AsyncIteratorObject<ZmqFeed, undefined, void>;
}

/** The data writer: its queue, its documents and its keys. */
export interface WriterPort {
  status(): Promise<WriterStatus>;
  list(query: {
    keyId?: string | undefined;
    tag?: string | undefined;
    state?: WriterState | undefined;
    since?: number | undefined;
    cursor?: string | undefined;
    order: 'asc' | 'desc';
    limit: number;
  }): Promise<WriterDocumentPage>;
  get(id: string): Promise<WriterDocument>;
  retryDead(ids: readonly string[] | undefined): Promise<WriterRetryResult>;
  keys(): Promise<WriterKey[]>;
  register(apiKey: string): Promise<WriterKey>;
  revoke(keyId: string): Promise<void>;
  usage(): Promise<WriterUsageHour[]>;
  write(input: {
    body: string;
    contentType: string;
    tag?: string | undefined;
    mode: 'raw' | 'hash' | 'encrypt';
    keyId?: string | undefined;
    idempotencyKey?: string | undefined;
    wait: 'accepted' | 'submitted' | 'mined';
    waitMs: number;
  }): Promise<WriterDocument>;
}

/** The token library over the wallet. */
export interface TokenBenchPort {
  overview(): Promise<TokenOverview>;
  prepare(input: { request: TokenRequest; idempotencyKey: string }): Promise<TokenJob>;
  get(id: string): Promise<TokenJob>;
  approve(input: { id: string; digest: string }): Promise<TokenJob>;
  cancel(input: { id: string }): Promise<TokenJob>;
  retry(input: { id: string }): Promise<TokenJob>;
  history(input: { outpoint: string }): Promise<TokenHistory>;
}

/** Controls of the embedded network. */
export interface SandboxPort {
  /** @returns hashes of the new blocks, oldest first */
  mine(blocks: number): Promise<string[]>;
  /** @returns the txid */
  fund(address: string, satoshis: number): Promise<string>;
  status(): Promise<SandboxStatus>;
  chain(limit: number): Promise<SandboxChain>;
  /** @returns hashes of the new blocks, oldest first */
  reorg(depth: number): Promise<string[]>;
  /** @param hash first block of the branch that a reorganisation made */
  undoReorg(hash: string): Promise<void>;
  doubleSpend(request: { txid: string; mined: boolean }): Promise<{ txid: string }>;
  relay(request: { rawTx: string }): Promise<RelayResult>;
  setFault(fault: SandboxFault): void;
  clearFault(name?: SandboxFault['name']): void;
  setClock(setting: SandboxClockSetting): Promise<void>;
  createKey(options: { newUser: boolean }): Promise<string>;
  snapshot(name: string): Promise<SandboxSnapshot>;
  revert(name: string): Promise<void>;
  removeSnapshot(name: string): Promise<void>;
  reset(options: { seed?: string | undefined }): Promise<void>;
  exportTo(file: string): Promise<{ bytes: number }>;
  importFrom(file: string): Promise<void>;
}

interface EventSource {
  subscribe(snapshot: () => Awaitable<Snapshot>, signal?: AbortSignal): AsyncIteratorObject<LiveEvent, undefined, void>;
}

/** Everything the handlers of the contract depend on; the composition root fills it with the real services. */
export interface ConsoleContext extends Record<never, never> {
  logger: Logger;
  app: AppPort;
  approvals: ApprovalsPort;
  sessions: SessionsPort;
  /** Id of the session that asks; undefined for the window and the command line. */
  session?: string | undefined;
  /** Whether a page asks, in the window or in a browser: it names no files of the machine to be read. */
  isPage?: boolean;
  events: EventSource;
  services: ServicesPort;
  settings: SettingsPort;
  search: SearchPort;
  networks: NetworksPort;
  support: SupportPort;
  wallet: WalletPort;
  studio: StudioPort;
  /** Absent in a rehearsal. */
  rehearsals?: RehearsalsPort | undefined;
  node: NodePort;
  /** Absent if there is no wallet. */
  tokenBench?: TokenBenchPort | undefined;
  /** Absent if no merchant API is used. */
  merchantKeys?: MerchantKeysPort | undefined;
  miners: MinersPort;
  headers: { status(): HeadersStatus };
  minerHistory: MinerHistoryPort;
  minerTester: MinerTesterPort;
  transactions: TransactionsPort;
  callbacks: CallbacksPort;
  webhook: WebhookPort;
  submission: SubmissionPort;
  spenders: { of(input: { txid: string; outputs: readonly number[] }): Promise<OutputSpend[]> };
  doubleSpends: { of(txid: string): Promise<RivalTransaction[]> };
  /** Absent if the process has no clients to serve. */
  gateway?: GatewayPort | undefined;
  /** Starts the writer without a port where only a command needs it. */
  writer?: (() => Promise<WriterPort>) | undefined;
  /** Absent on the test and main networks. */
  sandbox?: SandboxPort | undefined;
}
