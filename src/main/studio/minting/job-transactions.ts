import { fromHex, parseTx, serializeTx, toHex } from '../../../chain/index.ts';
import type { Store } from '../../ports/store.ts';
import { packed, readTransaction, unpacked } from '../review/unsigned.ts';
import type { JobRow, JobTransactionRow, StudioTables } from '../tables.ts';

type Stored = string | Uint8Array;

/** A run builds this many transactions at the same time. */
const MAX_AT_HAND = 4;

/** The transactions of mint jobs. The journal writes them; a step reads the one it needs. */
export class JobTransactions {
  readonly #store: Store<StudioTables>;
  /** Transactions that were just built or signed, by job. */
  readonly #atHand = new Map<string, { readonly unsigned: unknown } | { readonly signed: Uint8Array }>();

  constructor(store: Store<StudioTables>) {
    this.#store = store;
  }

  /** The signed bytes. */
  async signed(jobId: string): Promise<Uint8Array> {
    const known = this.#atHand.get(jobId);
    if (known !== undefined && 'signed' in known) return known.signed;
    const { raw_tx: raw, tx_obj: txObj, unlocks } = await this.#row(jobId);
    if (unlocks !== null) {
      const { tx } = readTransaction(unpacked(txObj as Stored));
      const scripts = JSON.parse(unlocks) as string[];
      const inputs = tx.inputs.map((input, i) => ({ ...input, script: fromHex(scripts[i] as string) }));
      return serializeTx({ ...tx, inputs });
    }
    return typeof raw === 'string' ? fromHex(raw) : (raw as Uint8Array);
  }

  /** The unsigned transaction as a review takes it. */
  async unsigned(jobId: string): Promise<unknown> {
    const known = this.#atHand.get(jobId);
    if (known !== undefined && 'unsigned' in known) return known.unsigned;
    return unpacked((await this.#row(jobId)).tx_obj as Stored);
  }

  /** What to journal for an unsigned transaction. It is cached for the next steps. */
  keepUnsigned(jobId: string, txObj: unknown): { tx_obj: Stored } {
    const { stored, read } = packed(txObj);
    this.#keep(jobId, { unsigned: read });
    return { tx_obj: stored };
  }

  /**
   * Caches the signed form of the journalled unsigned transaction until it is sent.
   * @returns its unlocking scripts, which are all that is left to journal of it
   */
  keepSigned(jobId: string, signed: Uint8Array): string {
    this.#keep(jobId, { signed });
    return JSON.stringify(parseTx(signed, true).inputs.map(({ script }) => toHex(script)));
  }

  /** Drops the cached transaction of a job. */
  forget(jobId: string): void {
    this.#atHand.delete(jobId);
  }

  #keep(jobId: string, transaction: { readonly unsigned: unknown } | { readonly signed: Uint8Array }): void {
    this.#atHand.delete(jobId);
    this.#atHand.set(jobId, transaction);
    const [oldest] = this.#atHand.keys();
    if (this.#atHand.size > MAX_AT_HAND && oldest !== undefined) this.#atHand.delete(oldest);
  }

  #row(jobId: string): Promise<JobTransactionRow & Pick<JobRow, 'unlocks'>> {
    return this.#store.db
      .selectFrom('studio_job_transactions')
      .innerJoin('studio_jobs', 'studio_jobs.id', 'studio_job_transactions.job_id')
      .selectAll('studio_job_transactions')
      .select('studio_jobs.unlocks')
      .where('job_id', '=', jobId)
      .executeTakeFirstOrThrow();
  }
}
