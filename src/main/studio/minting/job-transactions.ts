import { fromHex } from '../../../chain/index.ts';
import type { Store } from '../../ports/store.ts';
import { packed, unpacked } from '../review/unsigned.ts';
import type { JobTransactionRow, StudioTables } from '../tables.ts';

type Stored = string | Uint8Array;

/** As many as a run builds side by side. */
const MAX_AT_HAND = 4;

/** The transactions of mint jobs. The journal writes them; a step reads the one it needs. */
export class JobTransactions {
  readonly #store: Store<StudioTables>;
  /** Unsigned transactions that were built a moment ago. */
  readonly #unsigned = new Map<string, unknown>();

  constructor(store: Store<StudioTables>) {
    this.#store = store;
  }

  async signed(jobId: string): Promise<Uint8Array> {
    const raw = (await this.#row(jobId, 'raw_tx')).raw_tx as Stored;
    return typeof raw === 'string' ? fromHex(raw) : raw;
  }

  /** The unsigned transaction as a review takes it. */
  async unsigned(jobId: string): Promise<unknown> {
    return this.#unsigned.get(jobId) ?? unpacked((await this.#row(jobId, 'tx_obj')).tx_obj as Stored);
  }

  /** What to journal for an unsigned transaction. It stays at hand for the steps that come next. */
  keepUnsigned(jobId: string, txObj: unknown): { tx_obj: Stored } {
    const { stored, read } = packed(txObj);
    this.#unsigned.delete(jobId);
    this.#unsigned.set(jobId, read);
    const [oldest] = this.#unsigned.keys();
    if (this.#unsigned.size > MAX_AT_HAND && oldest !== undefined) this.#unsigned.delete(oldest);
    return { tx_obj: stored };
  }

  /** The journal no longer holds it. */
  forgetUnsigned(jobId: string): void {
    this.#unsigned.delete(jobId);
  }

  #row<Column extends 'tx_obj' | 'raw_tx'>(jobId: string, column: Column): Promise<Pick<JobTransactionRow, Column>> {
    const query = this.#store.db.selectFrom('studio_job_transactions').where('job_id', '=', jobId);
    return query.select(column).executeTakeFirstOrThrow() as unknown as Promise<Pick<JobTransactionRow, Column>>;
  }
}
