import { createHash } from 'node:crypto';
import { runSteps } from '../../../../chain/index.ts';
import type { ImportField, ImportOptions, ImportTarget } from '../../../../contract/index.ts';
import type { ImportHead } from '../import-store.ts';
import type { SourceRecord } from '../model.ts';
import { type MetadataOutcome, readWhole, type UnreadMetadata } from '../readers/metadata.ts';
import { type ReadResult, readEntries } from '../readers/read.ts';
import { proposalSteps } from '../rows/mapping.ts';
import { type Derived, deriveRows, noProject } from '../rows/rows.ts';
import { ImportSession } from '../session/session.ts';
import type { SourceEntry } from '../sources/source.ts';

export { pngOf as png } from '../../../test-support/png.ts';

export const options: ImportOptions = {
  projectName: 'P',
  projectType: 'collection',
  projectUid: null,
  table: '',
  folder: null,
  nameTemplate: null,
  collectionDescription: '',
  cover: null,
  royalties: [],
  allowDuplicates: false,
  pairByOrder: false,
  rarity: true,
};

/** Reads metadata in this thread; the application does so in another one. */
async function readHere(files: readonly UnreadMetadata[]): Promise<MetadataOutcome[]> {
  return (await readWhole(files)).map((one): MetadataOutcome => {
    if (!('read' in one) || one.read.kind !== 'table') return one as MetadataOutcome;
    const { format, records } = one.read.table;
    const pieces = async function* () {
      yield records;
    };
    return { read: { kind: 'table', table: { format, rows: records.length, pieces } } };
  });
}

export interface Imported extends Derived {
  readonly read: ReadResult;
  /** All records that were read, of all tables. */
  readonly kept: readonly SourceRecord[];
  readonly fields: readonly ImportField[];
}

/** Imports files from memory, up to their rows. */
export async function importFiles(
  files: Readonly<Record<string, string | Uint8Array>>,
  chosen: Partial<ImportOptions> = {},
  maxBytes = 100_000,
  onRead: (path: string) => void = () => {},
): Promise<Imported> {
  const entries = Object.entries(files).map(([path, content]): SourceEntry => {
    const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
    const read = async (): Promise<Uint8Array> => {
      onRead(path);
      return bytes;
    };
    return { path, bytes: bytes.length, origin: null, read };
  });
  const kept: SourceRecord[] = [];
  const read = await readEntries(entries, {
    keep: async (records) => void kept.push(...records),
    store: async (contents) => contents.map(({ bytes }) => createHash('sha256').update(bytes).digest('hex')),
    metadata: async (some) => readHere(some),
    isUnreadable: async () => false,
    maxBytes,
    onProgress: () => {},
    signal: new AbortController().signal,
  });
  const table = chosen.table ?? read.table;
  const records: readonly SourceRecord[] = kept.filter((record) => record.table === table);
  const format = read.tables.find(({ name }) => name === table)?.format ?? '';
  const facts = { files: read.files, chosen: new Map(), remembered: new Map() };
  const fields = runSteps(proposalSteps(records, format, facts));
  const derived = deriveRows({
    records,
    files: read.files,
    fields,
    options: { ...options, ...chosen, table },
    edits: new Map(),
    imported: new Map(),
    changed: new Set(),
    project: noProject,
  });
  return { ...derived, read, kept, fields };
}

/** The same as a session with what a person decided about the fields. */
export async function sessionOf(
  files: Readonly<Record<string, string | Uint8Array>>,
  chosen: Partial<ImportOptions> = {},
  targets: Readonly<Record<string, ImportTarget>> = {},
): Promise<ImportSession> {
  const { read, kept } = await importFiles(files, chosen);
  const head: ImportHead = {
    id: 'import',
    phase: 'ready',
    source: { paths: [], uploadId: null, table: null },
    options: { ...options, ...chosen, table: chosen.table ?? read.table },
    fields: new Map(Object.entries(targets).map(([field, target]) => [field, { target, trait: '' }])),
    findings: read.findings,
    facts: { tables: read.tables, collection: read.collection },
    done: 0,
    total: 0,
    projectUid: null,
    failure: null,
    createdAt: 0,
  };
  return new ImportSession(head, { files: read.files, records: kept, edits: new Map(), imported: new Map() });
}
