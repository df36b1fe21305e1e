import { type Selectable, sql } from 'kysely';
import type { Failure, ImportOptions, importPhases, Network } from '../../../contract/index.ts';
import { chunks } from '../../chunks.ts';
import { pause } from '../../pause.ts';
import type { Store } from '../../ports/store.ts';
import type { StudioTables } from '../tables.ts';
import type { Finding, ImportFile, SourceRecord } from './model.ts';
import type { ReadResult, TableInfo } from './readers/read.ts';
import type { FieldChoice } from './rows/mapping.ts';

/** Rows of one INSERT: SQLite takes a limited number of values. */
const SLICE = 500;
/** Bytes of records that are read at once. */
const BYTES_AT_ONCE = 4_000_000;

/** How long an import that is done can still be looked at. */
const DONE_KEPT_MS = 24 * 3_600_000;

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

/** A part of what was read. Records are JSON as it is stored: they are parsed where they are needed. */
export type BodyPart =
  | { readonly files: readonly ImportFile[] }
  | { readonly records: readonly string[] }
  | { readonly edits: readonly { readonly row: number; readonly field: string; readonly value: string }[] }
  | { readonly imported: readonly (readonly [row: number, itemId: string])[] };

export interface ImportBody {
  readonly files: readonly ImportFile[];
  readonly records: readonly SourceRecord[];
  readonly edits: ReadonlyMap<number, ReadonlyMap<string, string>>;
  readonly imported: Map<number, string>;
}

/** Imports in the database. What was read is written once; edits and created items are added as they come. */
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
      // Imports of earlier versions lack `pairByOrder`.
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

  /** Removes imports that are done and older than a day: the files of rows that stayed out would be kept for ever. */
  async forgetDone(now: number): Promise<void> {
    await this.#store.db
      .deleteFrom('studio_imports')
      .where('network', '=', this.#network)
      .where('phase', '=', 'done')
      .where('created_at', '<', now - DONE_KEPT_MS)
      .execute();
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

  /** Deletes what an earlier reading wrote. */
  async clearBody(id: string): Promise<void> {
    const { db } = this.#store;
    for (const table of ['studio_import_files', 'studio_import_records'] as const) {
      for (let left = true; left; ) {
        await pause();
        const some = db.selectFrom(table).select('id').where('import_id', '=', id).orderBy('id').limit(SLICE);
        const last = (await some.execute()).at(-1)?.id;
        left = last !== undefined;
        if (left)
          await db
            .deleteFrom(table)
            .where('import_id', '=', id)
            .where('id', '<=', last as number)
            .execute();
      }
    }
  }

  /** Writes records as they are read. They are not used until the phase says that the reading is complete. */
  async addRecords(id: string, records: readonly SourceRecord[]): Promise<void> {
    for (const some of chunks(records, SLICE)) {
      await pause();
      const values = some.map((record) => ({ import_id: id, id: record.id, record: JSON.stringify(record) }));
      await this.#store.db.insertInto('studio_import_records').values(values).execute();
    }
  }

  async addFiles(id: string, files: readonly ImportFile[]): Promise<void> {
    for (const some of chunks(files, SLICE)) {
      await pause();
      const values = some.map((file) => ({
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
      await this.#store.db.insertInto('studio_import_files').values(values).execute();
    }
  }

  async hasFile(importId: string, id: number): Promise<boolean> {
    const files = this.#store.db.selectFrom('studio_import_files').select('id').where('import_id', '=', importId);
    return (await files.where('id', '=', id).executeTakeFirst()) !== undefined;
  }

  /** Everything that was read, changed and made, some at a time. */
  async *body(id: string): AsyncGenerator<BodyPart> {
    const { db } = this.#store;
    for (let after = -1; ; ) {
      await pause();
      const rows = await db
        .selectFrom('studio_import_files')
        .selectAll()
        .where('import_id', '=', id)
        .where('id', '>', after)
        .orderBy('id')
        .limit(SLICE)
        .execute();
      const last = rows.at(-1);
      if (last === undefined) break;
      after = last.id;
      yield { files: rows.map(toFile) };
    }
    for (let after = -1; ; ) {
      await pause();
      const sizes = await db
        .selectFrom('studio_import_records')
        .select(['id', sql<number>`octet_length(record)`.as('bytes')])
        .where('import_id', '=', id)
        .where('id', '>', after)
        .orderBy('id')
        .limit(SLICE)
        .execute();
      let bytes = 0;
      const last = sizes.find((row, index) => {
        bytes += row.bytes;
        return bytes >= BYTES_AT_ONCE || index === sizes.length - 1;
      });
      if (last === undefined) break;
      const rows = await db
        .selectFrom('studio_import_records')
        .select('record')
        .where('import_id', '=', id)
        .where('id', '>', after)
        .where('id', '<=', last.id)
        .orderBy('id')
        .execute();
      after = last.id;
      yield { records: rows.map(({ record }) => record) };
    }
    const edits = db.selectFrom('studio_import_edits').select(['row', 'field', 'value']).where('import_id', '=', id);
    yield { edits: await edits.execute() };
    const items = db.selectFrom('studio_import_items').select(['row', 'item_id']).where('import_id', '=', id);
    yield { imported: (await items.execute()).map(({ row, item_id }): [number, string] => [row, item_id]) };
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

function toFile(row: Selectable<StudioTables['studio_import_files']>): ImportFile {
  return {
    id: row.id,
    path: row.path,
    bytes: Number(row.bytes),
    sha256: row.sha256,
    contentType: row.content_type,
    findings: JSON.parse(row.findings) as Finding[],
    origin: row.origin === null ? null : { path: row.origin, modified: Number(row.modified) },
  };
}
