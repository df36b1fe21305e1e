import { createHash } from 'node:crypto';
import type { Updateable } from 'kysely';
import { type ReadInscription, readInscription } from '../../../../../chain/index.ts';
import { type ItemMetadata, itemMetadataSchema, protocolKeys } from '../../../../../contract/index.ts';
import { foreignBounds, parseForeign } from '../../../../foreign-json.ts';
import { metadataOf } from '../../../projects/item-rows.ts';
import { protocolMetadata } from '../../../projects/metadata.ts';
import type { ItemRow } from '../../../tables.ts';
import type { StepContext } from '../step-context.ts';

/**
 * What a draft must say to be the token that was minted of it: its file or its texts may have been changed since.
 * @param script the output that holds the token
 * @returns nothing for a draft that is still the same
 */
export async function mintedColumns(
  { files }: Pick<StepContext, 'files'>,
  item: ItemRow,
  script: Uint8Array | undefined,
): Promise<Updateable<ItemRow>> {
  const token = script && readInscription(script);
  if (token === undefined) return {};
  const metadata = mintedMetadata(item, token.map);
  return { ...(await fileColumns(files, item, token)), ...(metadata && { metadata: JSON.stringify(metadata) }) };
}

async function fileColumns(
  files: StepContext['files'],
  item: ItemRow,
  { content, contentType }: ReadInscription,
): Promise<Updateable<ItemRow>> {
  const held = [content, ...fromBase64(content)];
  if (contentType === item.content_type && held.some((bytes) => digestOf(bytes) === item.sha256)) return {};
  const bytes = contentType.startsWith('text/') ? content : (held.at(-1) as Uint8Array);
  const known = await files.info(digestOf(bytes)).catch(() => undefined);
  const name = known?.name ?? item.file_name;
  const [sha256 = ''] = await files.addAll([{ name, bytes, contentType }]);
  return { sha256, file_name: name, content_type: contentType, bytes: bytes.length, original: null };
}

/** The file of which some services inscribe the base64 text. */
function fromBase64(content: Uint8Array): Buffer[] {
  const text = Buffer.from(content).toString('latin1');
  const decoded = Buffer.from(text, 'base64');
  return decoded.length > 0 && decoded.toString('base64') === text ? [decoded] : [];
}

/** @returns undefined where the draft says the same, or what was minted cannot be read */
function mintedMetadata(item: ItemRow, map: Readonly<Record<string, string>>): ItemMetadata | undefined {
  const present = metadataOf(item);
  const data = objectOf(map.subTypeData);
  const subType = item.sub_type as Parameters<typeof protocolMetadata>[1];
  const expected = protocolMetadata(present, subType, String(data.collectionId ?? ''));
  if (sameTexts(expected, map)) return undefined;
  const own = Object.entries(map).flatMap(([name, value]) => (protocolKeys.includes(name) ? [] : [{ name, value }]));
  const isStructured = Array.isArray(data.traits) || data.mintNumber !== undefined;
  const isKey = ({ name, value }: { name: string; value: string }): boolean =>
    isStructured || value.length > MAX_TRAIT_CHARS || present.keys?.some((key) => key.name === name) === true;
  const keys = own.filter(isKey);
  const royalties = map.royalties === undefined ? [] : parseForeign(map.royalties, foreignBounds.tokenFields);
  const isRanked = data.rank === present.rank && data.rarityLabel === present.rarityLabel;
  return itemMetadataSchema.safeParse({
    name: map.name,
    // A token without a description is described by its name.
    description: map.description === map.name ? '' : map.description,
    traits: subType === 'collection' || !isStructured ? own.filter((one) => !isKey(one)) : (data.traits ?? []),
    mintNumber: data.mintNumber,
    rank: data.rank,
    rarityLabel: data.rarityLabel,
    rankComputed: isRanked ? present.rankComputed : undefined,
    ...(keys.length > 0 && { keys }),
    ...(Array.isArray(royalties) && royalties.length > 0 && { royalties }),
    ...(data.quantity !== undefined && { collection: collectionOf(data) }),
  }).data;
}

/** Longest value that a trait of a draft can have. */
const MAX_TRAIT_CHARS = 256;

function collectionOf({ quantity, rarityLabels, traits }: Readonly<Record<string, unknown>>): unknown {
  return {
    quantity: Number(quantity),
    rarityLabels: Object.entries(rarityLabels ?? {}).map(([label, percent]) => ({ label, percent })),
    traits: Object.entries((traits ?? {}) as Record<string, MintedValues>).map(([name, minted]) => ({
      name,
      values: minted.values.map((value, i) => ({ value, percent: minted.occurancePercentages[i] })),
    })),
  };
}

interface MintedValues {
  values: readonly string[];
  occurancePercentages: readonly string[];
}

function objectOf(text: string | undefined): Readonly<Record<string, unknown>> {
  const parsed = parseForeign(text ?? '{}', foreignBounds.tokenFields);
  return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
}

function sameTexts(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
