import type { Logger } from 'pino';
import type {
  CallBodies,
  ConnectionTest,
  ConnectionTestInput,
  Contract,
  callbacksContract,
  doubleSpendsContract,
  ExternalWalletKey,
  Failure,
  GatewayConnection,
  GatewayKey,
  GatewayStatus,
  LiveEvent,
  MethodHistory,
  minerHistoryContract,
  minerListContract,
  minerTestContract,
  Network,
  NewGatewayKey,
  NodeCommand,
  PairedOrigin,
  PairingDecision,
  PairingRequest,
  RelayResult,
  Replay,
  SandboxChain,
  SandboxClockSetting,
  SandboxFault,
  SandboxSnapshot,
  SandboxStatus,
  Serves,
  Session,
  Snapshot,
  spendersContract,
  submissionContract,
  Traffic,
  trackedContract,
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

import type { StudioPort } from './studio-ports.ts';

type Awaitable<T> = T | Promise<T>;

/** Browsers that are signed in. */
interface SessionsPort {
  list(): Session[];
  end(id: string): boolean;
  endOthers(id: string | undefined): number;
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

/** Groups that one object serves whole. */
export type Served =
  | 'app'
  | 'approvals'
  | 'services'
  | 'settings'
  | 'search'
  | 'networks'
  | 'doctor'
  | 'logs'
  | 'diagnostics'
  | 'node'
  | 'tokenBench'
  | 'merchant'
  | 'headers'
  | 'webhook';

/** Groups that are not served everywhere: see `absent` in the router. */
export type NotEverywhere = 'rehearsals';

/** Everything the handlers of the contract depend on; the composition root fills it with the real services. */
export interface ConsoleContext
  extends Pick<Serves<Contract>, Served>,
    Partial<Pick<Serves<Contract>, NotEverywhere>>,
    Record<never, never> {
  logger: Logger;
  network: Network;
  sessions: SessionsPort;
  /** Id of the session that asks; undefined for the window and the command line. */
  session?: string | undefined;
  /** Whether a page asks, in the window or in a browser: it names no files of the machine to be read. */
  isPage?: boolean;
  /** Milliseconds without use after which a page locks itself; 0 never. */
  lockAfter(): number;
  events: EventSource;
  wallet: WalletPort;
  studio: StudioPort;
  miners: Serves<typeof minerListContract>;
  minerTester: Serves<typeof minerTestContract>;
  minerHistory: Serves<typeof minerHistoryContract>;
  transactions: Serves<typeof trackedContract>;
  callbacks: Serves<typeof callbacksContract>;
  submission: Serves<typeof submissionContract>;
  doubleSpends: Serves<typeof doubleSpendsContract>;
  spenders: Serves<typeof spendersContract>;
  /** Absent if the process has no clients to serve. */
  gateway?: GatewayPort | undefined;
  /** Starts the writer without a port where only a command needs it. */
  writer?: (() => Promise<WriterPort>) | undefined;
  /** Absent on the test and main networks. */
  sandbox?: SandboxPort | undefined;
}
