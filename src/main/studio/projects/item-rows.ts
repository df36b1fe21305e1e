import { sql } from 'kysely';
import type { Art, Failure, FileInfo, Item, ItemMetadata, MintState, Token } from '../../../contract/index.ts';
import type { ItemRow } from '../tables.ts';

/** The sub type of a collection token as a literal in the statement: SQLite uses the partial index of these tokens only then. */
export const COLLECTION = sql.lit('collection');

/** What is drawn of an item: its name and its file. */
export function artOf(row: ItemRow): Art {
  const { metadata, file } = toItem(row);
  return { name: metadata.name, file };
}

export function toItem(row: ItemRow): Item {
  return {
    id: row.id,
    projectUid: row.project_uid,
    subType: row.sub_type as Item['subType'],
    position: row.position,
    file: fileOf(row),
    metadata: metadataOf(row),
    state: row.state as MintState,
    jobId: row.job_id,
    outpoint: row.txid === null ? null : `${row.txid}_${row.vout}`,
    failure: row.failure === null ? null : (JSON.parse(row.failure) as Failure),
    ...(row.original === null ? {} : { original: JSON.parse(row.original) as FileInfo }),
    createdAt: Number(row.created_at),
  };
}

/** @returns undefined for an item that has no outpoint yet */
export function toToken(row: ItemRow, blockHeight: number | null, at: number): Token | undefined {
  if (row.txid === null) return undefined;
  return {
    outpoint: `${row.txid}_${row.vout}`,
    txid: row.txid,
    name: metadataOf(row).name,
    projectUid: row.project_uid,
    itemId: row.id,
    file: fileOf(row),
    state: row.state as MintState,
    blockHeight,
    at,
  };
}

/** Fields that an editor does not send stay. A rank that a person changes no longer counts as computed. */
export function mergedMetadata(before: ItemMetadata, after: ItemMetadata): ItemMetadata {
  const merged: ItemMetadata = { ...before, ...after };
  if (merged.rank !== before.rank || merged.rarityLabel !== before.rarityLabel) delete merged.rankComputed;
  return merged;
}

export function metadataOf(row: ItemRow): ItemMetadata {
  return JSON.parse(row.metadata) as ItemMetadata;
}

export function fileOf(row: Pick<ItemRow, 'sha256' | 'file_name' | 'content_type' | 'bytes'>): FileInfo {
  return { sha256: row.sha256, name: row.file_name, contentType: row.content_type, bytes: Number(row.bytes) };
}
