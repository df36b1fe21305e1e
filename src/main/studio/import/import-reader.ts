import { basename } from 'node:path';
import { type ImportOptions, PlanchetError } from '../../../contract/index.ts';
import type { ContentStore } from '../content/content-store.ts';
import type { Thumbnails } from '../content/thumbnails.ts';
import type { ImportHead, ImportStore } from './import-store.ts';
import { filling } from './model.ts';
import { MetadataThread } from './readers/metadata-thread.ts';
import { readEntries } from './readers/read.ts';
import { isToolFolder } from './rows/shared-name.ts';
import { openSources } from './sources/open-sources.ts';
import type { ImportUploads } from './sources/uploads.ts';

interface ReaderDeps {
  readonly store: ImportStore;
  readonly uploads: ImportUploads;
  readonly files: ContentStore;
  readonly isUnreadable: Thumbnails['isUnreadable'];
  readonly maxBytes: () => number;
  /** The project's name as the rows suggest it; empty where they suggest none. */
  readonly proposedName: (id: string) => Promise<string>;
  readonly findProject: (options: ImportOptions) => Promise<string | null>;
}

/**
 * Returns a function that reads the sources of an import into the store and the head. What an earlier reading stored is replaced.
 * @throws from a reading PlanchetError `import.no-content` | `import.table-missing` | `import.table-unreadable` | `disk-full`
 */
export function createReader({ store, uploads, files, isUnreadable, maxBytes, proposedName, findProject }: ReaderDeps) {
  return async (head: ImportHead, signal: AbortSignal): Promise<void> => {
    const { paths, uploadId, table } = head.source;
    const all = uploadId === null ? [...paths] : [uploads.path(uploadId)];
    if (table !== null && !all.includes(table) && basename(table) !== table) all.push(table);
    await store.clearBody(head.id);
    const metadata = new MetadataThread(signal);
    const sources = await openSources(all);
    try {
      if (sources.entries.length === 0) {
        throw new PlanchetError('import.no-content', { what: paths.map((path) => basename(path)).join(', ') || 'it' });
      }
      head.total = sources.entries.length;
      const result = await readEntries(sources.entries, {
        store: (contents) => files.addAll(contents),
        metadata: (some) => metadata.read(some),
        keep: (records) => store.addRecords(head.id, records),
        isUnreadable,
        maxBytes: maxBytes(),
        onProgress: (done) => {
          head.done = done;
        },
        signal,
      });
      head.findings = [...sources.findings, ...result.findings];
      head.facts = { tables: result.tables, collection: result.collection };
      const chosen = table === null ? result.table : wantedTable(table, head);
      if (table !== null) head.findings = head.findings.filter(({ code }) => code !== 'several-tables');
      if (result.files.length === 0 && result.records === 0) {
        const reason = head.findings.find(({ code }) => code === 'table-unreadable');
        if (reason !== undefined) {
          const { file = '', reason: why = '' } = reason.values ?? {};
          throw new PlanchetError('import.table-unreadable', { table: filling(file), reason: filling(why) });
        }
        throw new PlanchetError('import.no-content', { what: sources.entries[0]?.path ?? 'it' });
      }
      head.options = { ...head.options, table: chosen };
      await store.addFiles(head.id, result.files);
      if (head.options.projectUid === null && isToolFolder(head.options.projectName)) {
        const name = await proposedName(head.id);
        if (name !== '') head.options = { ...head.options, projectName: name };
      }
      head.projectUid = await findProject(head.options);
    } finally {
      await metadata.close();
      await sources.close();
    }
  };
}

/** @throws PlanchetError `import.table-missing` | `import.table-unreadable` */
function wantedTable(table: string, head: ImportHead): string {
  const name = basename(table);
  const found = head.facts.tables.find((one) => one.name === table || basename(one.name) === name);
  if (found !== undefined) return found.name;
  const problem = head.findings.find(({ file }) => file !== null && file !== undefined && basename(file) === name);
  if (problem?.code === 'table-unreadable') {
    throw new PlanchetError('import.table-unreadable', { table: name, reason: filling(problem.values?.reason ?? '') });
  }
  throw new PlanchetError('import.table-missing', { table: name });
}
