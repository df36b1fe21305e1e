import type { z } from 'zod';
import type {
  BundleInput,
  FileInfo,
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
  MintEstimate,
  MintJob,
  MintJobSummary,
  NewServiceOutput,
  OutputFilter,
  Project,
  Quota,
  Run,
  RunItem,
  RunPlan,
  ServiceOutput,
  TokenCard,
  TokenDetail,
  TokenFacets,
  TokenQuery,
  TransactionView,
} from '../../contract/index.ts';

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
    idempotencyKey?: string | undefined;
  }): Promise<Item>;
  updateItem(input: { id: string; metadata: ItemMetadata }): Promise<Item>;
  updateItems(input: { changes: readonly { id: string; metadata: ItemMetadata }[] }): Promise<Item[]>;
  reorderItems(input: { projectUid: string; ids: readonly string[]; renumber: boolean }): Promise<void>;
  removeItem(input: { id: string }): Promise<void>;
  restoreItems(input: { ids: readonly string[] }): Promise<void>;
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
  create(input: NewServiceOutput): Promise<{ uid: string }>;
  list(projectUid: string, filter?: OutputFilter): Promise<ServiceOutput[]>;
  update(projectUid: string, uid: string, name: string): Promise<void>;
  remove(projectUid: string, uid: string): Promise<void>;
}

/** Tokens of all projects, and those that the wallet received. */
interface GalleryPort {
  list(query: TokenQuery): Promise<{ tokens: TokenCard[]; total: number }>;
  get(input: { outpoint: string }): Promise<TokenDetail>;
  facets(input: { projectUid?: string | undefined }): Promise<TokenFacets>;
  blocks(): Promise<{ height: number; tokens: number }[]>;
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
  retry(id: string, jobId?: string): Promise<Run>;
}
