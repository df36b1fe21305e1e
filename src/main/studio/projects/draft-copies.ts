import type { Item, ItemMetadata, Project } from '../../../contract/index.ts';
import { boundedChunks } from '../../chunks.ts';
import type { ContentStore } from '../content/content-store.ts';
import type { ItemRow } from '../tables.ts';
import type { NewDraft } from './changes/draft-rows.ts';
import { metadataOf } from './item-rows.ts';
import type { ItemStore } from './items.ts';

/** Most copies whose files and drafts are written together. */
const SLICE = 100;
/** Bytes of files that are in memory at the same time, unless one file alone is larger. */
const SLICE_BYTES = 8_000_000;

/** A draft as another studio can take it over. */
export interface DraftCopy {
  readonly subType: Item['subType'];
  readonly sha256: string;
  readonly bytes: number;
  readonly contentType: string;
  readonly fileName: string;
  readonly metadata: ItemMetadata;
}

/** An item without the fields that belong to its network. */
export function draftCopyOf(row: ItemRow): DraftCopy {
  return {
    subType: row.sub_type as Item['subType'],
    sha256: row.sha256,
    bytes: Number(row.bytes),
    contentType: row.content_type,
    fileName: row.file_name,
    metadata: metadataOf(row),
  };
}

/** The drafts that a project gets of copies. */
export function newDrafts(copies: readonly DraftCopy[], projectUid: string): NewDraft[] {
  return copies.map(({ bytes, contentType, ...copy }) => {
    const { sha256, fileName: name } = copy;
    return { ...copy, projectUid, file: { sha256, name, contentType, bytes } };
  });
}

export interface DraftCopying {
  readonly items: ItemStore;
  readonly files: Pick<ContentStore, 'addAll'>;
  readonly project: Pick<Project, 'uid' | 'type'>;
  readonly read: (sha256: string) => Promise<Uint8Array>;
  readonly onCopied: (count: number) => void;
  readonly signal: AbortSignal;
}

type FileCopying = Pick<DraftCopying, 'files' | 'read'>;

/**
 * Makes drafts of copies, in their order.
 * @throws PlanchetError `disk-full` | `metadata-invalid` | `conflict`; the signal's reason once it is aborted
 */
export async function takeDrafts(copies: readonly DraftCopy[], copying: DraftCopying): Promise<void> {
  const { items, project, onCopied, signal } = copying;
  let copied = 0;
  for (const slice of slicesOf(copies)) {
    signal.throwIfAborted();
    await addFiles(slice, copying);
    await items.createMany(newDrafts(slice, project.uid), project.type, async () => {});
    copied += slice.length;
    onCopied(copied);
  }
}

/** Stores the files of copies, some at a time. @throws PlanchetError `disk-full` */
export async function storeFiles(copies: readonly DraftCopy[], copying: FileCopying): Promise<void> {
  for (const slice of slicesOf(copies)) await addFiles(slice, copying);
}

async function addFiles(slice: readonly DraftCopy[], { files, read }: FileCopying): Promise<void> {
  const contents = slice.map(async ({ fileName, contentType, sha256 }) => {
    return { name: fileName, contentType, bytes: await read(sha256) };
  });
  await files.addAll(await Promise.all(contents));
}

function slicesOf(copies: readonly DraftCopy[]): Generator<DraftCopy[]> {
  return boundedChunks(copies, SLICE, SLICE_BYTES);
}
