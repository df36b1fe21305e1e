import type { Failure, ImportOptions, importPhases, Network } from '../../../contract/index.ts';
import { pause } from '../../pause.ts';
import type { Store } from '../../ports/store.ts';
import type { StudioTables } from '../tables.ts';
import type { Finding, ImportFile, SourceRecord } from './model.ts';
import type { ReadResult, TableInfo } from './readers/read.ts';
import type { FieldChoice } from './rows/mapping.ts';

/** Rows of one INSERT: SQLite takes a limited number of values. */
const SLICE = 500;

export interface ImportHead {
  readonly id: string;
  phase: (typeof importPhases)[number];
  readonly source: {
    readonly paths: readonly string[];
    readonly uploadId: string | null;
    readonly table: string | null;
  };
  options: ImportOptions;
  fields: ReadonlyMap<string, FieldChoice>;
  findings: readonly Finding[];
  facts: { readonly tables: readonly TableInfo[]; readonly collection: ReadResult['collection'] };
  done: number;
  total: number;
  projectUid: string | null;
  failure: Failure | null;
  readonly createdAt: number;
}

export interface ImportBody {
  readonly files: readonly ImportFile[];
  readonly records: readonly SourceRecord[];
  readonly edits: ReadonlyMap<number, ReadonlyMap<string, string>>;
  readonly imported: ReadonlyMap<number, string>;
}

/** Imports in the database. What was read is written once; edits and made items are added as they come. */
export class ImportStore {
  readonly #network: Network;
  readonly #store: Store<StudioTables>;

  constructor(network: Network, store: Store<StudioTables>) {
    this.#network = network;
    this.#store = store;
  }

  /** All imports, newest first. */
  async heads(): Promise<ImportHead[]> {
    const rows = await this.#store.db
      .selectFrom('studio_imports')
      .selectAll()
      .where('network', '=', this.#network)
      .orderBy('created_at', 'desc')
      .execute();
    return rows.map((row) => ({
      id: row.id,
      phase: row.phase as ImportHead['phase'],
      source: JSON.parse(row.source) as ImportHead['source'],
      // Imports of earlier versions lack it.
      options: { pairByOrder: false, ...JSON.parse(row.options) } as ImportOptions,
      fields: new Map(JSON.parse(row.fields) as [string, FieldChoice][]),
      findings: JSON.parse(row.findings) as Finding[],
      facts: JSON.parse(row.facts) as ImportHead['facts'],
      done: row.done,
      total: row.total,
      projectUid: row.project_uid,
      failure: row.failure === null ? null : (JSON.parse(row.failure) as Failure),
      createdAt: Number(row.created_at),
    }));
  }

  async saveHead(head: ImportHead): Promise<void> {
    const values = {
      id: head.id,
      network: this.#network,
      phase: head.phase,
      source: JSON.stringify(head.source),
      options: JSON.stringify(head.options),
      fields: JSON.stringify([...head.fields]),
      findings: JSON.stringify(head.findings),
      facts: JSON.stringify(head.facts),
      done: head.done,
      total: head.total,
      project_uid: head.projectUid,
      failure: head.failure === null ? null : JSON.stringify(head.failure),
      created_at: head.createdAt,
    };
    const { id: _, created_at: __, ...changes } = values;
    await this.#store.db
      .insertInto('studio_imports')
      .values(values)
      .onConflict((conflict) => conflict.column('id').doUpdateSet(changes))
      .execute();
  }

  /** Writes what was read in place of an earlier reading. */
  async saveBody(id: string, files: readonly ImportFile[], records: readonly SourceRecord[]): Promise<void> {
    await this.#store.db.transaction().execute(async (db) => {
      await db.deleteFrom('studio_import_files').where('import_id', '=', id).execute();
      await db.deleteFrom('studio_import_records').where('import_id', '=', id).execute();
      for (let at = 0; at < files.length; at += SLICE) {
        const values = files.slice(at, at + SLICE).map((file) => ({
          import_id: id,
          id: file.id,
          path: file.path,
          bytes: file.bytes,
          sha256: file.sha256,
          content_type: file.contentType,
          findings: JSON.stringify(file.findings),
          origin: file.origin?.path ?? null,
          modified: file.origin?.modified ?? null,
        }));
        await pause();
        await db.insertInto('studio_import_files').values(values).execute();
      }
      for (let at = 0; at < records.length; at += SLICE) {
        const values = records
          .slice(at, at + SLICE)
          .map((record) => ({ import_id: id, id: record.id, record: JSON.stringify(record) }));
        await pause();
        await db.insertInto('studio_import_records').values(values).execute();
      }
    });
  }

  async body(id: string): Promise<ImportBody> {
    const { db } = this.#store;
    const files = await db
      .selectFrom('studio_import_files')
      .selectAll()
      .where('import_id', '=', id)
      .orderBy('id')
      .execute();
    const records: SourceRecord[] = [];
    for (let read = SLICE; read === SLICE; ) {
      await pause();
      const some = await db
        .selectFrom('studio_import_records')
        .select('record')
        .where('import_id', '=', id)
        .where('id', '>', records.at(-1)?.id ?? -1)
        .orderBy('id')
        .limit(SLICE)
        .execute();
      for (const { record } of some) records.push(JSON.parse(record) as SourceRecord);
      read = some.length;
    }
    const edits = new Map<number, Map<string, string>>();
    for (const { row, field, value } of await db
      .selectFrom('studio_import_edits')
      .selectAll()
      .where('import_id', '=', id)
      .execute()) {
      const cells = edits.get(row) ?? new Map<string, string>();
      edits.set(row, cells.set(field, value));
    }
    const items = await db.selectFrom('studio_import_items').selectAll().where('import_id', '=', id).execute();
    return {
      files: files.map((file) => ({
        id: file.id,
        path: file.path,
        bytes: Number(file.bytes),
        sha256: file.sha256,
        contentType: file.content_type,
        findings: JSON.parse(file.findings) as Finding[],
        origin: file.origin === null ? null : { path: file.origin, modified: Number(file.modified) },
      })),
      records,
      edits,
      imported: new Map(items.map(({ row, item_id }) => [row, item_id])),
    };
  }

  /** @param changes null takes a cell's change back */
  async saveEdits(id: string, changes: readonly { row: number; field: string; value: string | null }[]): Promise<void> {
    await this.#store.db.transaction().execute(async (db) => {
      for (const { row, field, value } of changes) {
        if (value === null) {
          await db
            .deleteFrom('studio_import_edits')
            .where('import_id', '=', id)
            .where('row', '=', row)
            .where('field', '=', field)
            .execute();
          continue;
        }
        await db
          .insertInto('studio_import_edits')
          .values({ import_id: id, row, field, value })
          .onConflict((conflict) => conflict.columns(['import_id', 'row', 'field']).doUpdateSet({ value }))
          .execute();
      }
    });
  }

  /** What the fields of earlier imports into a project became, by field. */
  async fieldsOf(projectUid: string): Promise<ReadonlyMap<string, FieldChoice>> {
    const row = await this.#store.db
      .selectFrom('studio_import_mappings')
      .select('fields')
      .where('network', '=', this.#network)
      .where('project_uid', '=', projectUid)
      .executeTakeFirst();
    return new Map(row === undefined ? [] : (JSON.parse(row.fields) as [string, FieldChoice][]));
  }

  /** Remembers with a project what the fields of an import into it became. */
  async saveFieldsOf(projectUid: string, fields: ReadonlyMap<string, FieldChoice>): Promise<void> {
    const values = { network: this.#network, project_uid: projectUid, fields: JSON.stringify([...fields]) };
    await this.#store.db
      .insertInto('studio_import_mappings')
      .values(values)
      .onConflict((conflict) => conflict.columns(['network', 'project_uid']).doUpdateSet({ fields: values.fields }))
      .execute();
  }

  async remove(id: string): Promise<void> {
    await this.#store.db.deleteFrom('studio_imports').where('id', '=', id).execute();
  }
}
