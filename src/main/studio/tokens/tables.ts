import { sql } from 'kysely';
import type { NamedMigration } from '../../store/store.ts';
import { required } from '../columns.ts';

/** What was read of a one-satoshi output that no item here was minted into. A transaction never changes, so neither does this. */
export interface ReadTokenRow {
  outpoint: string;
  network: string;
  /** Where the inscription stands; null where there is none, so that the output is no token. */
  origin: string | null;
  content_type: string;
  sha256: string;
  bytes: number;
  metadata: string;
  read_at: number;
}

/** Where the folder of a project's published pages stands; null while nobody said it. */
interface PublicationRow {
  project_uid: string;
  base_url: string | null;
}

/** The page of a token in the folder that was published last. */
interface PublishedPageRow {
  /** Where the token was inscribed. */
  origin: string;
  project_uid: string;
  path: string;
}

export interface TokenTables {
  studio_read_tokens: ReadTokenRow;
  studio_publications: PublicationRow;
  studio_published_pages: PublishedPageRow;
}

export const tokensMigration: NamedMigration = {
  name: 'studio-0005-read-tokens',
  async up(db) {
    await db.schema
      .createTable('studio_read_tokens')
      .addColumn('outpoint', 'text', (column) => column.primaryKey())
      .addColumn('network', 'text', (column) => column.notNull())
      .addColumn('origin', 'text')
      .$call(required('text', 'content_type', 'sha256'))
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .addColumn('metadata', 'text', (column) => column.notNull())
      .addColumn('read_at', 'bigint', (column) => column.notNull())
      .execute();
  },
};

export const headersMigration: NamedMigration = {
  name: 'studio-0007-headers',
  async up(db) {
    await db.schema
      .createTable('studio_headers')
      .addColumn('hash', 'text', (column) => column.primaryKey())
      .addColumn('network', 'text', (column) => column.notNull())
      .addColumn('height', 'integer', (column) => column.notNull())
      .addColumn('header', 'blob', (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('studio_headers_by_height')
      .on('studio_headers')
      .columns(['network', 'height'])
      .execute();
  },
};

/** The headers have a file of their own since, for every service. */
export const headersLeaveMigration: NamedMigration = {
  name: 'studio-0008-headers-leave',
  async up(db) {
    await db.schema.dropTable('studio_headers').execute();
  },
};

export const publicationsMigration: NamedMigration = {
  name: 'studio-0013-publications',
  async up(db) {
    await db.schema
      .createTable('studio_publications')
      .addColumn('project_uid', 'text', (column) => column.primaryKey())
      .addColumn('base_url', 'text')
      .execute();
    await db.schema
      .createTable('studio_published_pages')
      .addColumn('origin', 'text', (column) => column.primaryKey())
      .$call(required('text', 'project_uid', 'path'))
      .execute();
    await db.schema
      .createIndex('studio_published_pages_by_project')
      .on('studio_published_pages')
      .column('project_uid')
      .execute();
  },
};

/** The token of a collection is asked for at each step of the mints of its items. */
export const collectionTokensMigration: NamedMigration = {
  name: 'studio-0014-collection-tokens',
  async up(db) {
    await sql`create index studio_items_of_collections on studio_items (network, project_uid)
      where sub_type = 'collection'`.execute(db);
  },
};
