import type { Logger } from 'pino';
import type { z } from 'zod';
import type {
  AppInfo,
  BundleInput,
  CallbackNotice,
  ConnectionTest,
  ConnectionTestInput,
  DecodedPage,
  decodeInputSchema,
  Failure,
  FileInfo,
  GatewayConnection,
  GatewayKey,
  GatewayStatus,
  HeadersStatus,
  ImportFileView,
  ImportMapping,
  ImportRow,
  ImportStatus,
  ImportTraits,
  Item,
  ItemMetadata,
  importEditInputSchema,
  importFilesInputSchema,
  importMappingInputSchema,
  importOpenInputSchema,
  importRowsInputSchema,
  LedgerRow,
  LiveEvent,
  MerchantKey,
  MethodHistory,
  Miner,
  MinerChange,
  MinerHour,
  MinerTest,
  MinerTestInput,
  MintEstimate,
  MintJob,
  MintJobSummary,
  NewGatewayKey,
  NewMiner,
  NodeCommand,
  OutputFilter,
  PairedOrigin,
  PairingDecision,
  PairingRequest,
  PastQuote,
  Project,
  Quota,
  RelayResult,
  RivalTransaction,
  Run,
  RunItem,
  RunPlan,
  SandboxClockSetting,
  SandboxFault,
  SandboxSnapshot,
  SandboxStatus,
  ServiceName,
  ServiceOutput,
  ServiceStatus,
  SettingEntry,
  Snapshot,
  SubmittedTransaction,
  submissionInputSchema,
  TokenCard,
  TokenDetail,
  TokenFacets,
  TokenHistory,
  TokenJob,
  TokenOverview,
  TokenQuery,
  TokenRequest,
  TrackedDetail,
  TrackedPage,
  TrackedQuery,
  TrackedTransaction,
  Traffic,
  TransactionSource,
  TransactionView,
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
  WebhookStatus,
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

type Awaitable<T> = T | Promise<T>;

/** What the handlers know of the application itself. */
interface AppPort {
  info(): AppInfo;
  snapshot(): Awaitable<Snapshot>;
  /** A one-time link to the console. @throws PlanchetError `not-running` where the console does not listen */
  createLink(): string;
  dismissNotice(id: string): void;
  setTheme(theme: Snapshot['theme']): Awaitable<void>;
}

interface ServicesPort {
  statuses(): ServiceStatus[];
  restart(name: ServiceName): Promise<ServiceStatus>;
}

interface SettingsPort {
  entries(): Awaitable<SettingEntry[]>;
  /** Saves one value. @returns the new entry, without the value if that is a secret */
  set(key: string, value: string | number | boolean): Awaitable<SettingEntry>;
}

/** Accounts of the wallet. */
interface WalletAccountsPort {
  list(): Promise<WalletAccount[]>;
  create(input: { name: string }): Promise<WalletAccount>;
  watch(input: { name: string; xpub: string; birthHeight: number }): Promise<WalletAccount>;
  importKey(input: { name: string; wif: string; birthHeight: number }): Promise<WalletAccount>;
  rename(input: { id: string; name: string }): Promise<WalletAccount>;
  switch(input: { id: string }): Promise<WalletAccount>;
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
  approveSend(input: { id: string; digest: string }): Promise<WalletSend>;
  cancelSend(input: { id: string }): Promise<WalletSend>;
  retrySend(input: { id: string }): Promise<WalletSend>;
  getSend(input: { id: string }): Promise<WalletSend>;
  listSends(): Promise<WalletSend[]>;
  consolidate(input: WalletConsolidate): Promise<WalletSend>;
  backupStatus(): Promise<WalletBackup>;
  createBackup(passphrase: string): Promise<{ fileName: string; text: string }>;
  checkBackup(input: { text: string; passphrase: string }): Promise<WalletBackup>;
  readonly accounts: WalletAccountsPort;
  sweep(input: { account: string; feeRate?: number | undefined; idempotencyKey: string }): Promise<WalletSweep>;
}

/** Projects, files, items, mints, tokens, the quota and transactions. */
export interface StudioPort {
  listProjects(): Promise<Project[]>;
  createProject(input: { name: string; type: Project['type'] }): Promise<Project>;
  getProject(input: { uid: string }): Promise<Project>;
  beginUpload(input: { name: string; bytes: number; contentType: string }): Promise<{ uploadId: string }>;
  appendUpload(input: { uploadId: string; offset: number; piece: Blob }): Promise<{ received: number }>;
  finishUpload(input: { uploadId: string }): Promise<FileInfo>;
  abortUpload(input: { uploadId: string }): Promise<void>;
  readFile(input: { sha256: string }): Promise<Blob>;
  thumbnail(input: { sha256: string }): Promise<Blob | null>;
  listItems(input: { projectUid: string; after?: number | undefined; limit?: number | undefined }): Promise<Item[]>;
  createItem(input: {
    projectUid: string;
    sha256: string;
    fileName: string;
    metadata: ItemMetadata;
    subType?: Item['subType'] | undefined;
  }): Promise<Item>;
  updateItem(input: { id: string; metadata: ItemMetadata }): Promise<Item>;
  updateItems(input: { changes: readonly { id: string; metadata: ItemMetadata }[] }): Promise<Item[]>;
  reorderItems(input: { projectUid: string; ids: readonly string[]; renumber: boolean }): Promise<void>;
  removeItem(input: { id: string }): Promise<void>;
  estimateMint(input: { itemIds: string[]; destination: string }): Promise<MintEstimate>;
  createMint(input: { itemIds: string[]; destination: string; idempotencyKey: string }): Promise<MintJob>;
  listMints(input: {
    limit: number;
    after?: string | undefined;
  }): Promise<{ jobs: MintJobSummary[]; next: string | null }>;
  getMint(input: { id: string }): Promise<MintJob>;
  approveMint(input: { id: string; digest: string }): Promise<MintJob>;
  cancelMint(input: { id: string }): Promise<MintJob>;
  retryMint(input: { id: string }): Promise<MintJob>;
  quota(): Promise<Quota>;
  transaction(input: { txid: string; output?: number | undefined }): Promise<TransactionView>;
  inscribed(input: { txid: string; index: number }): Promise<Blob>;
  readonly gallery: GalleryPort;
  readonly outputs: OutputsPort;
  readonly imports: ImportsPort;
  readonly runs: RunsPort;
}

/** What the token service holds of the projects. */
interface OutputsPort {
  list(projectUid: string, filter?: OutputFilter): Promise<ServiceOutput[]>;
  update(projectUid: string, uid: string, name: string): Promise<void>;
  remove(projectUid: string, uid: string): Promise<void>;
}

/** Tokens of all projects, and those that the wallet received. */
interface GalleryPort {
  list(query: TokenQuery): Promise<{ tokens: TokenCard[]; total: number }>;
  get(input: { outpoint: string }): Promise<TokenDetail>;
  facets(input: { projectUid?: string | undefined }): Promise<TokenFacets>;
  ledger(input: { projectUid: string; offset: number; limit: number }): Promise<{ rows: LedgerRow[]; total: number }>;
  exportLedger(input: { projectUid: string; format: 'json' | 'csv' }): Promise<Blob>;
  certificate(input: { outpoint: string }): Promise<Blob>;
  bundle(input: BundleInput): Promise<{ bundle: Blob; tokens: number }>;
}

/** Folders, archives and tables on their way to items. */
interface ImportsPort {
  readonly uploads: {
    begin(): Promise<{ uploadId: string }>;
    append(input: { uploadId: string; name: string; offset: number; piece: Uint8Array }): Promise<{ received: number }>;
    remove(uploadId: string): Promise<void>;
  };
  open(input: z.output<typeof importOpenInputSchema>): Promise<ImportStatus>;
  list(): Promise<ImportStatus[]>;
  status(id: string): Promise<ImportStatus>;
  mapping(id: string): Promise<ImportMapping>;
  setMapping(input: z.output<typeof importMappingInputSchema>): Promise<ImportMapping>;
  rows(input: z.output<typeof importRowsInputSchema>): Promise<{ rows: ImportRow[]; total: number }>;
  files(input: z.output<typeof importFilesInputSchema>): Promise<{ files: ImportFileView[]; total: number }>;
  traits(id: string): Promise<ImportTraits>;
  edit(input: z.output<typeof importEditInputSchema>): Promise<{ rows: ImportRow[]; total: number }>;
  commit(id: string): Promise<ImportStatus>;
  discard(id: string): Promise<void>;
}

/** Mint runs: whole projects under one approval. */
interface RunsPort {
  plan(input: { projectUid: string; destination: string }): Promise<RunPlan>;
  create(input: { projectUid: string; destination: string; idempotencyKey: string }): Promise<Run>;
  get(id: string): Promise<{ run: Run; plan: RunPlan }>;
  list(input: { limit: number; after?: string | undefined }): Promise<{ runs: Run[]; next: string | null }>;
  items(input: { id: string; offset: number; limit: number }): Promise<{ items: RunItem[]; next: number | null }>;
  approve(id: string, digest: string): Promise<Run>;
  pause(id: string): Promise<Run>;
  resume(id: string): Promise<Run>;
  cancel(id: string): Promise<Run>;
  retry(id: string): Promise<Run>;
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

export interface NodePort {
  /** One call under the gateway's rules; a refusal of the node itself is returned in `error`. */
  call(
    method: string,
    params: unknown[],
    signal: AbortSignal | undefined,
  ): Promise<{ result: unknown; error: { code: number; message: string } | null }>;
}

/** The gateway as its views see it. */
export interface GatewayPort {
  status(): Awaitable<GatewayStatus>;
  traffic(signal: AbortSignal | undefined): AsyncIteratorObject<Traffic, undefined, void>;
  callParams(number: number): { params: string };
  history(): MethodHistory;
  commands(): NodeCommand[];
  listKeys(): Promise<GatewayKey[]>;
  createKey(wanted: NewGatewayKey): Promise<{ key: GatewayKey; username: string; password: string }>;
  revokeKey(id: string): Promise<GatewayKey>;
  listOrigins(): Promise<PairedOrigin[]>;
  pairOrigin(origin: string): Promise<PairedOrigin>;
  unpairOrigin(origin: string): Promise<void>;
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

/** The keys that sign the answers of merchant APIs. */
export interface MerchantKeysPort {
  list(): MerchantKey[];
  accept(input: { endpoint: string; publicKey: string | null }): Promise<MerchantKey>;
}

/** Controls of the embedded network. */
export interface SandboxPort {
  /** @returns hashes of the new blocks, oldest first */
  mine(blocks: number): Promise<string[]>;
  /** @returns the txid */
  fund(address: string, satoshis: number): Promise<string>;
  status(): Promise<SandboxStatus>;
  /** @returns hashes of the new blocks, oldest first */
  reorg(depth: number): Promise<string[]>;
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

interface MinersPort {
  /** In the order in which they are tried. */
  list(): Promise<Miner[]>;
  add(miner: NewMiner): Promise<Miner>;
  update(change: MinerChange): Promise<Miner>;
  remove(id: string): Promise<void>;
  reorder(ids: readonly string[]): Promise<Miner[]>;
  refresh(id: string): Promise<Miner>;
}

interface MinerHistoryPort {
  quotes(id: string, since: number): Promise<PastQuote[]>;
  hours(id: string, since: number): Promise<MinerHour[]>;
}

interface MinerTesterPort {
  test(input: MinerTestInput): Promise<MinerTest>;
}

interface TransactionsPort {
  list(query: TrackedQuery): Promise<TrackedPage>;
  detail(txid: string): Promise<TrackedDetail>;
  label(txid: string, label: string): Promise<TrackedTransaction>;
}

interface WebhookPort {
  status(): Promise<WebhookStatus>;
  setSecret(input: { secret: string }): Promise<WebhookStatus>;
}

interface CallbacksPort {
  watch(signal: AbortSignal | undefined): AsyncIteratorObject<CallbackNotice, undefined, void>;
}

interface SubmissionPort {
  upload(input: { uploadId?: string | undefined; piece: Blob }): Promise<{ uploadId: string; bytes: number }>;
  decode(input: z.output<typeof decodeInputSchema>): Promise<DecodedPage>;
  inscribed(input: { source: TransactionSource; txid: string; output: number }): Promise<Blob>;
  submit(input: z.output<typeof submissionInputSchema>): Promise<SubmittedTransaction[]>;
  retry(input: { txids: string[]; minerIds?: string[] | undefined }): Promise<SubmittedTransaction[]>;
}

interface EventSource {
  subscribe(snapshot: () => Awaitable<Snapshot>, signal?: AbortSignal): AsyncIteratorObject<LiveEvent, undefined, void>;
}

/** Everything the handlers of the contract depend on; the composition root fills it with the real services. */
export interface ConsoleContext extends Record<never, never> {
  logger: Logger;
  app: AppPort;
  events: EventSource;
  services: ServicesPort;
  settings: SettingsPort;
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
  doubleSpends: { of(txid: string): Promise<RivalTransaction[]> };
  /** Absent if the process has no clients to serve. */
  gateway?: GatewayPort | undefined;
  /** Starts the writer without a port where only a command needs it. */
  writer?: (() => Promise<WriterPort>) | undefined;
  /** Absent on the test and main networks. */
  sandbox?: SandboxPort | undefined;
}
