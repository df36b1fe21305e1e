import { type FileInfo, type Item, type ItemMetadata, itemFieldsOf } from '../../../../contract/index.ts';
import { normaliseContentType } from '../../content/content-types.ts';
import { computeCollection } from '../../projects/collection.ts';
import { baseName, type ImportFile } from '../model.ts';
import type { Row } from '../rows/rows.ts';
import { type ImportSession, isCounted } from '../session/session.ts';

interface PlannedItem {
  /** Row it is made of; null for the collection token. */
  readonly row: Row | null;
  readonly file: FileInfo;
  readonly fileName: string;
  readonly metadata: ItemMetadata;
  readonly subType: Item['subType'];
}

export interface CommitPlan {
  /** The collection token, where one can be made. */
  readonly collection: PlannedItem | undefined;
  readonly items: readonly PlannedItem[];
}

/** The items that the rows without errors become, with the values that are computed over the whole collection, including its existing items. */
export function planCommit(session: ImportSession): CommitPlan {
  const { options } = session.head;
  const rows = session.derived().rows.filter((row) => isCounted(row) && row.itemId === null);
  const inCollection = options.projectType === 'collection';
  const plain = rows.map((row) => metadataOf(row, inCollection, options.royalties));
  const before = inCollection ? session.project.items : [];
  const computed = computeCollection([...before.map(({ metadata }) => metadata), ...plain]);
  const made = inCollection ? computed.items.slice(before.length) : plain;
  const subType = inCollection ? 'collectionItem' : 'single';
  return {
    collection: inCollection ? collectionItem(session, rows, computed.collection) : undefined,
    items: rows.map((row, index) => ({
      row,
      ...contentOf(row.file as ImportFile, row.contentType),
      metadata: made[index] as ItemMetadata,
      subType,
    })),
  };
}

function metadataOf(row: Row, inCollection: boolean, royalties: NonNullable<ItemMetadata['royalties']>): ItemMetadata {
  return {
    name: row.name,
    description: row.description,
    traits: row.traits.map(({ name, value }) => ({ name, value })),
    ...(inCollection && row.number !== null && { mintNumber: row.number }),
    ...(inCollection && itemFieldsOf(row)),
    ...(inCollection && row.rankComputed && { rankComputed: true }),
    ...(royalties.length > 0 && { royalties }),
    ...(row.keys.length > 0 && { keys: [...row.keys] }),
  };
}

function contentOf(file: ImportFile, contentType: string | null): { file: FileInfo; fileName: string } {
  const fileName = baseName(file.path).slice(-255);
  const type = normaliseContentType(contentType ?? '') ?? 'application/octet-stream';
  return { fileName, file: { sha256: file.sha256 as string, name: fileName, contentType: type, bytes: file.bytes } };
}

function collectionItem(
  session: ImportSession,
  rows: readonly Row[],
  collection: NonNullable<ItemMetadata['collection']>,
): PlannedItem | undefined {
  const { options, facts } = session.head;
  const cover = session.cover();
  if (cover === undefined) return undefined;
  const metadata: ItemMetadata = {
    name: options.projectName,
    description: options.collectionDescription || storable(facts.collection?.description ?? ''),
    traits: [],
    ...(options.royalties.length > 0 && { royalties: options.royalties }),
    collection,
  };
  const row = rows.find(({ file }) => file?.id === cover.id);
  return { row: null, ...contentOf(cover, row?.contentType ?? cover.contentType), metadata, subType: 'collection' };
}

/** A description from a file, without characters that cannot be stored. */
function storable(text: string): string {
  return text.replaceAll('\0', '').slice(0, 2_000).toWellFormed();
}
