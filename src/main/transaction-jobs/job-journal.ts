import type { Kysely } from 'kysely';
import type { JobRow } from './job-row.ts';

/** Any table of jobs, by the name it has here. */
interface JobTables<Row extends JobRow> {
  jobs: Row;
}

/** The jobs of one network, or of one account of it, in the store. */
export class JobJournal<Row extends JobRow> {
  readonly #db: Kysely<JobTables<JobRow>>;
  readonly #table: 'jobs';
  readonly #scope: string;

  /** @param table has the columns of `jobColumns`, and perhaps more; its column `network` holds the scope */
  constructor({ db }: { readonly db: unknown }, table: string, scope: string) {
    this.#db = db as Kysely<JobTables<JobRow>>;
    this.#table = table as 'jobs';
    this.#scope = scope;
  }

  insert(row: Row): Promise<unknown> {
    const whole: JobRow = row;
    return this.#db.insertInto(this.#table).values(whole).execute();
  }

  update(id: string, values: Partial<Row>): Promise<unknown> {
    const rows = this.#db.updateTable(this.#table).where('id', '=', id);
    return rows.set(values as Partial<JobRow>).execute();
  }

  remove(id: string): Promise<unknown> {
    return this.#db.deleteFrom(this.#table).where('id', '=', id).execute();
  }

  async find(id: string): Promise<Row | undefined> {
    return (await this.#own().where('id', '=', id).executeTakeFirst()) as Row | undefined;
  }

  /** One that is still being built, or could not be, is none. */
  async byKey(key: string): Promise<Row | undefined> {
    const rows = this.#own().where('idempotency_key', '=', key).where('state', '!=', 'draft');
    return (await rows.executeTakeFirst()) as Row | undefined;
  }

  async inState(...states: JobRow['state'][]): Promise<Row[]> {
    return (await this.#own().where('state', 'in', states).orderBy('created_at').execute()) as Row[];
  }

  async byTxid(txid: string): Promise<Row | undefined> {
    return (await this.#own().where('txid', '=', txid).executeTakeFirst()) as Row | undefined;
  }

  /** The submitted and mined jobs with this failure. */
  async acceptedWith(failureId: string): Promise<Row[]> {
    const rows = this.#own().where('state', 'in', ['submitted', 'mined']);
    return (await rows.where('failure', 'like', `%"${failureId}"%`).execute()) as Row[];
  }

  async minedAmong(txids: readonly string[]): Promise<Row[]> {
    return (await this.#own().where('state', '=', 'mined').where('txid', 'in', txids).execute()) as Row[];
  }

  /** Newest first. */
  async newest(limit: number): Promise<Row[]> {
    const rows = this.#own().where('state', '!=', 'draft').orderBy('created_at', 'desc').limit(limit);
    return (await rows.execute()) as Row[];
  }

  /** Every transaction that was signed here. */
  async txids(): Promise<string[]> {
    const rows = await this.#own().where('txid', 'is not', null).orderBy('created_at').execute();
    return rows.flatMap(({ txid }) => txid ?? []);
  }

  #own() {
    return this.#db.selectFrom(this.#table).selectAll().where('network', '=', this.#scope);
  }
}
