import { boundedChunks } from '../../../chunks.ts';
import { detectContentType, SNIFF_BYTES } from '../../content/content-types.ts';
import {
  baseName,
  type Finding,
  type ImportFile,
  JSON_FILES,
  naturalOrder,
  type ReadRecord,
  type ReadTable,
  type SourceRecord,
} from '../model.ts';
import { reasonOf } from '../sources/disk.ts';
import type { SourceEntry } from '../sources/source.ts';
import { contentFindings } from './content-checks.ts';
import { isCombinedFile, SingleTokens } from './hashlips.ts';
import { isMetadataFile, MAX_TABLE_BYTES } from './index.ts';
import type { MetadataOutcome, MetadataRead, TableRows, UnreadMetadata } from './metadata.ts';

/** Files that are read and stored at the same time, and the bytes they may have together. */
const BATCH_FILES = 32;
const BATCH_BYTES = 16_000_000;
/** Pictures that are asked for at the same time, so that the processes that decode them wait for none. */
const OPENED_TOGETHER = 16;
/** First id of files that were embedded in metadata: they come after all others. */
const EMBEDDED_FILES = 5_000_000;

/** What the store is told of a type that is not known, until a person enters it. */
const UNKNOWN_TYPE = 'application/octet-stream';

export interface TableInfo {
  readonly name: string;
  readonly format: string;
  readonly rows: number;
}

export interface ReadResult {
  readonly files: readonly ImportFile[];
  /** How many were kept. */
  readonly records: number;
  readonly tables: readonly TableInfo[];
  /** Table to use unless a person says otherwise; empty where there is none. */
  readonly table: string;
  /** Name and description from a file about the whole collection. */
  readonly collection: { readonly name: string; readonly description: string } | null;
  readonly findings: readonly Finding[];
}

export interface ReadDeps {
  /** Keeps contents under their hashes. @returns the hashes in the same order */
  store(files: readonly { name: string; bytes: Uint8Array; contentType: string }[]): Promise<string[]>;
  /** Reads tables and JSON. @returns in the order of the files */
  metadata(files: readonly UnreadMetadata[]): Promise<MetadataOutcome[]>;
  /** Keeps records, in their order. */
  keep(records: readonly SourceRecord[]): Promise<void>;
  /** Whether a stored content claims to be a picture and no decoder opens it. */
  isUnreadable(file: { sha256: string; contentType: string }): Promise<boolean>;
  /** Largest content in bytes. */
  maxBytes: number;
  /** @param done files that were read; a content counts once it was opened too */
  onProgress(done: number): void;
  signal: AbortSignal;
}

/** Reads every file that was brought: tables and metadata into records, everything else into the content store. Each picture is opened once. */
export async function readEntries(entries: readonly SourceEntry[], deps: ReadDeps): Promise<ReadResult> {
  const ordered = [...entries].sort((a, b) => naturalOrder(a.path, b.path));
  const metadata = ordered.filter(({ path }) => isMetadataFile(path));
  const reading = new Reading(deps);
  try {
    for (const batch of inBatches(metadata)) await reading.addMetadata(batch);
    for (const batch of inBatches(ordered.filter(({ path }) => !isMetadataFile(path)))) await reading.addContent(batch);
    return await reading.result();
  } finally {
    await reading.end();
  }
}

function inBatches(entries: readonly SourceEntry[]): Generator<SourceEntry[]> {
  return boundedChunks(entries, BATCH_FILES, BATCH_BYTES);
}

class Reading {
  readonly #deps: ReadDeps;
  readonly #files: ImportFile[] = [];
  readonly #embedded: ImportFile[] = [];
  readonly #findings: Finding[] = [];
  readonly #single = new SingleTokens();
  #singleFormat: ReadTable['format'] | undefined;
  readonly #tables = new Map<string, TableRows>();
  /** Rows that were kept of each table. */
  readonly #rows = new Map<string, number>();
  #records = 0;
  #collection: ReadResult['collection'] = null;
  #done = 0;
  /** Settles once the pictures of the last batch were opened. */
  #opened: Promise<void> = Promise.resolve();
  /** Rejects when the import is cancelled. */
  readonly #cancelled: Promise<never>;

  constructor(deps: ReadDeps) {
    this.#deps = deps;
    const { promise, reject } = Promise.withResolvers<never>();
    deps.signal.addEventListener('abort', () => reject(deps.signal.reason), { once: true });
    promise.catch(() => {}); // thrown where pictures are waited for
    this.#cancelled = promise;
  }

  async addMetadata(batch: readonly SourceEntry[]): Promise<void> {
    this.#deps.signal.throwIfAborted();
    const contents = await Promise.allSettled(batch.map((entry) => entry.read(MAX_TABLE_BYTES)));
    const readable = contents.flatMap((one, index) =>
      one.status === 'rejected' ? [] : [{ path: (batch[index] as SourceEntry).path, bytes: one.value }],
    );
    const outcomes = await this.#deps.metadata(readable);
    let next = 0;
    const single: ReadRecord[] = [];
    for (const [index, { path }] of batch.entries()) {
      const content = contents[index] as PromiseSettledResult<Uint8Array>;
      const file = baseName(path);
      if (content.status === 'rejected') {
        const values = { file, reason: reasonOf(content.reason) };
        this.#findings.push({ code: 'file-unreadable', values, file: path });
        continue;
      }
      const outcome = outcomes[next++] as MetadataOutcome;
      if ('read' in outcome) this.#addRead(path, outcome.read, single);
      else this.#findings.push({ code: 'table-unreadable', values: { file, reason: outcome.reason }, file: path });
    }
    await this.#keep(JSON_FILES, single);
    this.#advance(batch.length);
  }

  #addRead(path: string, read: MetadataRead, single: ReadRecord[]): void {
    if (read.kind === 'token') {
      this.#singleFormat ??= read.format;
      this.#single.add(read.record);
      single.push(read.record);
    } else if (read.kind === 'table') {
      if (read.table.rows > 0) this.#tables.set(path, read.table);
      else this.#findings.push({ code: 'table-empty', values: { file: baseName(path) }, file: path });
    } else if (read.kind === 'other') {
      this.#findings.push({ code: 'not-metadata', values: { file: baseName(path) }, file: path });
    } else {
      const field = (name: string): string => read.record.fields.find(([key]) => key === name)?.[1] ?? '';
      this.#collection ??= { name: field('name'), description: field('description') };
    }
  }

  async addContent(batch: readonly SourceEntry[]): Promise<void> {
    this.#deps.signal.throwIfAborted();
    const { maxBytes } = this.#deps;
    const contents = await Promise.allSettled(
      batch.map((entry) => (entry.bytes === 0 || entry.bytes > maxBytes ? undefined : entry.read(maxBytes))),
    );
    const readable = contents.flatMap((read, index) => {
      const entry = batch[index] as SourceEntry;
      if (read.status === 'rejected' || read.value === undefined || read.value.length === 0) return [];
      const contentType = detectContentType(entry.path, read.value.subarray(0, SNIFF_BYTES));
      return [{ entry, bytes: read.value, contentType }];
    });
    const hashes = await this.#store(readable.map(({ entry, ...rest }) => ({ name: baseName(entry.path), ...rest })));
    const stored = new Map(readable.map((one, index) => [one.entry, { ...one, sha256: hashes[index] as string }]));
    const from = this.#files.length;
    for (const [index, entry] of batch.entries()) {
      const one = stored.get(entry);
      const read = contents[index] as PromiseSettledResult<Uint8Array | undefined>;
      this.#files.push({
        id: this.#files.length,
        path: entry.path,
        bytes: one?.bytes.length ?? entry.bytes,
        sha256: one?.sha256 ?? null,
        contentType: one?.contentType ?? detectContentType(entry.path, new Uint8Array()) ?? null,
        findings: one === undefined ? [this.#unstored(entry, read)] : contentFindings(one.contentType, one.bytes),
        origin: entry.origin,
      });
    }
    await this.#opened;
    // another process decodes them while the next batch is read
    this.#opened = this.#open(this.#files, from).then(() => this.#advance(batch.length));
    this.#opened.catch(() => {}); // thrown where it is awaited
  }

  /** Names the pictures that no decoder opens; waits for none once it is cancelled. @param from the first file that was not opened yet */
  async #open(files: ImportFile[], from: number): Promise<void> {
    const end = files.length;
    for (let at = from; at < end; at += OPENED_TOGETHER) {
      this.#deps.signal.throwIfAborted();
      const opened = files.slice(at, Math.min(end, at + OPENED_TOGETHER)).map(async (file, index) => {
        const { sha256, contentType, path, findings } = file;
        if (sha256 === null || contentType === null) return;
        if (!(await this.#deps.isUnreadable({ sha256, contentType }))) return;
        const values = { file: baseName(path), type: contentType };
        files[at + index] = { ...file, findings: [...findings, { code: 'picture-unreadable', values }] };
      });
      await Promise.race([Promise.all(opened), this.#cancelled]);
    }
  }

  /** Waits for the pictures under way, unless it is cancelled. */
  async end(): Promise<void> {
    await this.#opened.catch(() => {});
  }

  #unstored(entry: SourceEntry, read: PromiseSettledResult<Uint8Array | undefined>): Finding {
    const file = baseName(entry.path);
    const limit = this.#deps.maxBytes;
    if (read.status === 'rejected') return { code: 'file-unreadable', values: { file, reason: reasonOf(read.reason) } };
    if (entry.bytes > limit) return { code: 'file-too-large', values: { file, bytes: entry.bytes, limit } };
    return { code: 'file-empty', values: { file } };
  }

  #store(files: readonly { name: string; bytes: Uint8Array; contentType: string | undefined }[]): Promise<string[]> {
    return this.#deps.store(files.map((file) => ({ ...file, contentType: file.contentType ?? UNKNOWN_TYPE })));
  }

  async result(): Promise<ReadResult> {
    const format = this.#singleFormat;
    if (format !== undefined) {
      for (const [path, table] of this.#tables) {
        if (!isCombinedFile(path)) continue;
        for await (const piece of table.pieces()) {
          const further = piece.filter((record) => !this.#single.has(record));
          await this.#keep(JSON_FILES, further);
        }
        this.#tables.delete(path);
      }
    }
    const others = [...this.#tables.keys()].sort(
      (a, b) => this.#preference(a) - this.#preference(b) || naturalOrder(a, b),
    );
    const names = format === undefined ? others : [JSON_FILES, ...others];
    const table = names[0] ?? '';
    if (names.length > 1) this.#findings.push({ code: 'several-tables', values: { table: shownTable(table) } });
    for (const name of others) {
      for await (const piece of (this.#tables.get(name) as TableRows).pieces()) await this.#keep(name, piece);
    }
    const tables = names.map((name) => ({
      name,
      format: this.#tables.get(name)?.format ?? format ?? '',
      rows: this.#rows.get(name) ?? 0,
    }));
    await this.#opened;
    await this.#open(this.#embedded, 0);
    const files = [...this.#files, ...this.#embedded];
    return { files, records: this.#records, tables, table, collection: this.#collection, findings: this.#findings };
  }

  async #keep(table: string, read: readonly ReadRecord[]): Promise<void> {
    const records: SourceRecord[] = [];
    for (const { content, ...record } of read) {
      const file = content === undefined ? null : await this.#embed(record, content);
      records.push({ ...record, table, id: this.#records++, file });
    }
    this.#rows.set(table, (this.#rows.get(table) ?? 0) + records.length);
    if (records.length > 0) await this.#deps.keep(records);
  }

  /** A JSON list is preferred to a table, since generators write it; a file for each token is preferred to both. */
  #preference(name: string): number {
    return this.#tables.get(name)?.format === 'csv' ? 2 : 1;
  }

  /** Content that was embedded in the metadata becomes a file of its own. */
  async #embed(
    record: Pick<ReadRecord, 'source' | 'line'>,
    content: NonNullable<ReadRecord['content']>,
  ): Promise<number> {
    const id = EMBEDDED_FILES + this.#embedded.length;
    const { bytes, contentType } = content;
    const name = `${baseName(record.source)}${record.line === null ? '' : `:${record.line}`}`;
    const usable = bytes.length > 0 && bytes.length <= this.#deps.maxBytes;
    const [sha256] = usable ? await this.#store([{ name, bytes, contentType }]) : [null];
    const limit = this.#deps.maxBytes;
    const finding: Finding =
      bytes.length === 0
        ? { code: 'file-empty', values: { file: name } }
        : { code: 'file-too-large', values: { file: name, bytes: bytes.length, limit } };
    this.#embedded.push({
      id,
      path: name,
      bytes: bytes.length,
      sha256: sha256 ?? null,
      contentType,
      findings: usable ? contentFindings(contentType, bytes) : [finding],
      origin: null,
    });
    return id;
  }

  #advance(count: number): void {
    this.#done += count;
    this.#deps.onProgress(this.#done);
  }
}

function shownTable(name: string): string {
  return name === JSON_FILES ? 'the JSON files of the tokens' : name;
}
