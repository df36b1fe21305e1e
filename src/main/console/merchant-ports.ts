import type { z } from 'zod';
import type {
  CallbackNotice,
  DecodedPage,
  decodeInputSchema,
  MerchantKey,
  Miner,
  MinerChange,
  MinerHour,
  MinerTest,
  MinerTestInput,
  NewMiner,
  PastQuote,
  SubmittedTransaction,
  submissionInputSchema,
  TrackedCounts,
  TrackedDetail,
  TrackedPage,
  TrackedQuery,
  TrackedTransaction,
  TransactionSource,
  WebhookStatus,
} from '../../contract/index.ts';

/** The keys that sign the answers of merchant APIs. */
export interface MerchantKeysPort {
  list(): MerchantKey[];
  accept(input: { endpoint: string; publicKey: string | null }): Promise<MerchantKey>;
}

export interface MinersPort {
  /** In the order in which they are tried. */
  list(): Promise<Miner[]>;
  add(miner: NewMiner): Promise<Miner>;
  update(change: MinerChange): Promise<Miner>;
  remove(id: string): Promise<void>;
  restore(id: string): Promise<Miner>;
  reorder(ids: readonly string[]): Promise<Miner[]>;
  refresh(id: string): Promise<Miner>;
}

export interface MinerHistoryPort {
  quotes(id: string, since: number): Promise<PastQuote[]>;
  hours(id: string, since: number): Promise<MinerHour[]>;
}

export interface MinerTesterPort {
  test(input: MinerTestInput): Promise<MinerTest>;
}

export interface TransactionsPort {
  list(query: TrackedQuery): Promise<TrackedPage>;
  counts(): Promise<TrackedCounts>;
  detail(txid: string): Promise<TrackedDetail>;
  label(txid: string, label: string): Promise<TrackedTransaction>;
}

export interface WebhookPort {
  status(): Promise<WebhookStatus>;
  setSecret(input: { secret: string }): Promise<WebhookStatus>;
}

export interface CallbacksPort {
  watch(signal: AbortSignal | undefined): AsyncIteratorObject<CallbackNotice, undefined, void>;
}

export interface SubmissionPort {
  upload(input: { uploadId?: string | undefined; piece: Blob }): Promise<{ uploadId: string; bytes: number }>;
  decode(input: z.output<typeof decodeInputSchema>): Promise<DecodedPage>;
  inscribed(input: { source: TransactionSource; txid: string; output: number }): Promise<Blob>;
  submit(input: z.output<typeof submissionInputSchema>): Promise<SubmittedTransaction[]>;
  extended(txid: string): Promise<{ hex: string | null }>;
  retry(input: { txids: string[]; minerIds?: string[] | undefined }): Promise<SubmittedTransaction[]>;
}
