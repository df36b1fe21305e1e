import type { NamedMigration } from '../../store/store.ts';
import { nullable, required } from '../columns.ts';

interface ImportRow {
  id: string;
  network: string;
  phase: string;
  /** JSON of what was brought: paths, or an upload. */
  source: string;
  /** JSON of the contract's `ImportOptions`. */
  options: string;
  /** JSON of the fields a person decided about. */
  fields: string;
  /** JSON of the problems found while reading. */
  findings: string;
  /** JSON of what is known of the tables and of the collection. */
  facts: string;
  done: number;
  total: number;
  project_uid: string | null;
  failure: string | null;
  created_at: number;
}

interface ImportFileRow {
  import_id: string;
  id: number;
  path: string;
  bytes: number;
  sha256: string | null;
  content_type: string | null;
  findings: string;
  origin: string | null;
  modified: number | null;
}

interface ImportRecordRow {
  import_id: string;
  id: number;
  /** Table, source, line, fields, traits and file as JSON. */
  record: string;
}

interface ImportEditRow {
  import_id: string;
  row: number;
  field: string;
  value: string;
}

/** Rows that were made into items: written together with the items, so that none is made twice. */
interface ImportItemRow {
  import_id: string;
  row: number;
  item_id: string;
}

/** What the columns of earlier imports into a project became. */
interface ImportMappingRow {
  network: string;
  project_uid: string;
  /** JSON of `[field, {target, trait}]`. */
  fields: string;
}

export interface ImportTables {
  studio_imports: ImportRow;
  studio_import_files: ImportFileRow;
  studio_import_records: ImportRecordRow;
  studio_import_edits: ImportEditRow;
  studio_import_items: ImportItemRow;
  studio_import_mappings: ImportMappingRow;
}

export const importMigration: NamedMigration = {
  name: 'studio-0003-imports',
  async up(db) {
    await db.schema
      .createTable('studio_imports')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .$call(required('text', 'network', 'phase', 'source', 'options', 'fields', 'findings', 'facts'))
      .$call(required('integer', 'done', 'total'))
      .$call(nullable('text', 'project_uid', 'failure'))
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('studio_import_files')
      .addColumn('import_id', 'text', (column) => column.notNull().references('studio_imports.id').onDelete('cascade'))
      .addColumn('id', 'integer', (column) => column.notNull())
      .addColumn('path', 'text', (column) => column.notNull())
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .$call(nullable('text', 'sha256', 'content_type'))
      .addColumn('findings', 'text', (column) => column.notNull())
      .addColumn('origin', 'text')
      .addColumn('modified', 'bigint')
      .addPrimaryKeyConstraint('studio_import_files_key', ['import_id', 'id'])
      .execute();
    await db.schema.createIndex('studio_import_files_by_hash').on('studio_import_files').column('sha256').execute();
    await db.schema
      .createTable('studio_import_records')
      .addColumn('import_id', 'text', (column) => column.notNull().references('studio_imports.id').onDelete('cascade'))
      .addColumn('id', 'integer', (column) => column.notNull())
      .addColumn('record', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('studio_import_records_key', ['import_id', 'id'])
      .execute();
    await db.schema
      .createTable('studio_import_edits')
      .addColumn('import_id', 'text', (column) => column.notNull().references('studio_imports.id').onDelete('cascade'))
      .addColumn('row', 'integer', (column) => column.notNull())
      .$call(required('text', 'field', 'value'))
      .addPrimaryKeyConstraint('studio_import_edits_key', ['import_id', 'row', 'field'])
      .execute();
    await db.schema
      .createTable('studio_import_items')
      .addColumn('import_id', 'text', (column) => column.notNull().references('studio_imports.id').onDelete('cascade'))
      .addColumn('row', 'integer', (column) => column.notNull())
      .addColumn('item_id', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('studio_import_items_key', ['import_id', 'row'])
      .execute();
  },
};

export const mappingMigration: NamedMigration = {
  name: 'studio-0010-import-mappings',
  async up(db) {
    await db.schema
      .createTable('studio_import_mappings')
      .$call(required('text', 'network', 'project_uid', 'fields'))
      .addPrimaryKeyConstraint('studio_import_mappings_key', ['network', 'project_uid'])
      .execute();
  },
};
