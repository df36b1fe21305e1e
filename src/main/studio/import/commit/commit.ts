import type { FileInfo, Item, ItemMetadata } from '../../../../contract/index.ts';
import { normaliseContentType } from '../../content/content-types.ts';
import { baseName, type ImportFile, stemOf } from '../model.ts';
import { countTraits, percentages } from '../rows/rarity.ts';
import type { Row } from '../rows/rows.ts';
import { type ImportSession, isCounted } from '../session.ts';

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
  /** Items to make. */
  readonly items: readonly PlannedItem[];
  /** Items made before, whose shares and ranks changed with the rows that come now. */
  readonly refreshed: readonly { readonly id: string; readonly metadata: ItemMetadata }[];
}

const MAX_LABELS = 200;

/** What the rows without errors become, with all that is computed over the whole collection. */
export function planCommit(session: ImportSession): CommitPlan {
  const { options } = session.head;
  const counted = session.derived().rows.filter(isCounted);
  const inCollection = options.projectType === 'collection';
  const shares = new Map(
    countTraits(counted).map(({ name, values }) => [
      name,
      new Map(values.map(({ value, percent }) => [value, percent])),
    ]),
  );
  const metadataFor = (row: Row): ItemMetadata => ({
    name: row.name,
    description: row.description,
    traits: row.traits.map(({ name, value }) => {
      const occurrencePercent = shares.get(name)?.get(value);
      return { name, value, ...(inCollection && occurrencePercent !== undefined && { occurrencePercent }) };
    }),
    ...(inCollection && row.number !== null && { mintNumber: row.number }),
    ...(inCollection && row.rank !== null && { rank: row.rank }),
    ...(inCollection && row.rarityLabel !== null && { rarityLabel: row.rarityLabel }),
    ...(options.royalties.length > 0 && { royalties: options.royalties }),
  });
  const subType = inCollection ? 'collectionItem' : 'single';
  return {
    collection: inCollection ? collectionItem(session, counted) : undefined,
    items: counted
      .filter(({ itemId }) => itemId === null)
      .map((row) => ({
        row,
        ...contentOf(row.file as ImportFile, row.contentType),
        metadata: metadataFor(row),
        subType,
      })),
    refreshed: counted.flatMap((row) => (row.itemId === null ? [] : [{ id: row.itemId, metadata: metadataFor(row) }])),
  };
}

function contentOf(file: ImportFile, contentType: string | null): { file: FileInfo; fileName: string } {
  const fileName = baseName(file.path).slice(-255);
  const type = normaliseContentType(contentType ?? '') ?? 'application/octet-stream';
  return { fileName, file: { sha256: file.sha256 as string, name: fileName, contentType: type, bytes: file.bytes } };
}

function collectionItem(session: ImportSession, rows: readonly Row[]): PlannedItem | undefined {
  const { options, facts } = session.head;
  const cover = coverOf(session, rows);
  if (cover === undefined) return undefined;
  const labels = new Map<string, number>();
  for (const { rarityLabel } of rows) {
    if (rarityLabel !== null) labels.set(rarityLabel, (labels.get(rarityLabel) ?? 0) + 1);
  }
  const shares = percentages([...labels.values()]);
  const name = options.projectName;
  const metadata: ItemMetadata = {
    name,
    description: options.collectionDescription || storable(facts.collection?.description ?? ''),
    traits: [],
    ...(options.royalties.length > 0 && { royalties: options.royalties }),
    collection: {
      quantity: rows.length,
      rarityLabels: [...labels.keys()]
        .slice(0, MAX_LABELS)
        .map((label, index) => ({ label, percent: shares[index] ?? '0' })),
      traits: countTraits(rows)
        .slice(0, 200)
        .map((trait) => ({ name: trait.name, values: trait.values.map(({ value, percent }) => ({ value, percent })) })),
    },
  };
  const row = rows.find(({ file }) => file?.id === cover.id);
  return { row: null, ...contentOf(cover, row?.contentType ?? cover.contentType), metadata, subType: 'collection' };
}

/** The file a person chose, else `collection.png`, else that of the first row. */
function coverOf(session: ImportSession, rows: readonly Row[]): ImportFile | undefined {
  const { cover } = session.head.options;
  const files = session.body.files.filter(({ sha256 }) => sha256 !== null);
  const chosen = cover === null ? undefined : files.find(({ id }) => id === cover);
  return chosen ?? files.find(({ path }) => stemOf(path).toLowerCase() === 'collection') ?? rows[0]?.file;
}

/** Text of a file that described the collection, without what cannot be stored. */
function storable(text: string): string {
  return text.replaceAll('\0', '').slice(0, 2_000).toWellFormed();
}
