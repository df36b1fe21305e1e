import { isDeepStrictEqual } from 'node:util';
import { type ItemMetadata, itemMetadataSchema, MAX_TRAIT_CHARS, protocolKeys } from '../../../contract/index.ts';
import { foreignBounds, parseForeign } from '../../foreign-json.ts';
import type { ItemRow } from '../tables.ts';
import { metadataOf } from './item-rows.ts';
import { protocolMetadata } from './metadata.ts';

/**
 * The inverse of {@link protocolMetadata}, of a token that was minted of a draft.
 * @param map what the token carries
 * @returns undefined where the draft says the same, or what was minted cannot be read
 */
export function mintedMetadata(item: ItemRow, map: Readonly<Record<string, string>>): ItemMetadata | undefined {
  const present = metadataOf(item);
  const data = readSubTypeData(map.subTypeData);
  const subType = item.sub_type as Parameters<typeof protocolMetadata>[1];
  const expected = protocolMetadata(present, subType, String(data.collectionId ?? ''));
  if (isDeepStrictEqual({ ...expected }, { ...map })) return undefined;
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

/** The fields of a token's `subTypeData`. @returns an empty object where the text is no JSON object */
export function readSubTypeData(text: string | undefined): Readonly<Record<string, unknown>> {
  const parsed = parseForeign(text ?? '{}', foreignBounds.tokenFields);
  return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
}
