import { z } from 'zod';
import { ARTIST_KEYS, MOST_TRAITS, PROTOCOL_KEYS } from '../../../chain/bundle/index.ts';
import { formatOutpoint, parseOutpoint } from '../../../chain/index.ts';
import type { TokenCard, TokenClaims } from '../../../contract/index.ts';
import { foreignBounds, parseForeign } from '../../foreign-json.ts';
import { readSubTypeData } from '../projects/minted-metadata.ts';

/** The traits of a received token: its own keys, or the traits of an item of a collection. */
export function traitsOf(metadata: Readonly<Record<string, string>>): TokenCard['traits'] {
  return saidOf(metadata).slice(0, MOST_TRAITS);
}

function saidOf(metadata: Readonly<Record<string, string>>): TokenCard['traits'] {
  const structured = listedTraits(metadata).map(({ name, value }) => ({ name, value }));
  const own = Object.entries(metadata).filter(([name]) => !PROTOCOL_KEYS.includes(name));
  return [...own.map(([name, value]) => ({ name, value })), ...structured];
}

function listedTraits(metadata: Readonly<Record<string, string>>) {
  return traitListSchema.safeParse(readSubTypeData(metadata.subTypeData).traits).data ?? [];
}

const traitListSchema = z.array(
  z.object({
    name: z.string(),
    value: z.coerce.string(),
    occurrencePercent: z.union([z.string(), z.number()]).optional().catch(undefined),
  }),
);

const MOST_NAME = 300;

/**
 * What a token claims about itself, for people.
 * @param collection the token of the collection that it names, where it is known
 */
export function claimsOf(
  metadata: Readonly<Record<string, string>>,
  collection: { readonly outpoint: string; readonly metadata: Readonly<Record<string, string>> } | undefined,
): TokenClaims {
  const { number } = numbersOf(metadata.subTypeData);
  const quantity = Number.parseInt(String(readSubTypeData(collection?.metadata.subTypeData).quantity), 10);
  const artist = artistOf(metadata);
  const own = royaltiesOf(metadata.royalties);
  const shares = new Map(
    listedTraits(metadata).map(({ name, value, occurrencePercent }) => [
      `${name}\n${value}`,
      Number.parseFloat(String(occurrencePercent)) / 100,
    ]),
  );
  return {
    number,
    quantity: Number.isSafeInteger(quantity) && quantity > 0 ? quantity : null,
    artist: (artist ?? artistOf(collection?.metadata ?? {}))?.value.slice(0, MOST_NAME) ?? null,
    royalties: own.length > 0 ? own : royaltiesOf(collection?.metadata.royalties),
    collection:
      collection === undefined
        ? null
        : { outpoint: collection.outpoint, name: (collection.metadata.name ?? '').slice(0, MOST_NAME) },
    traits: saidOf(metadata)
      // Somebody else who made it is a trait.
      .filter(({ name, value }) => !namesArtist(name) || (value !== '' && value !== artist?.value))
      .slice(0, MOST_TRAITS)
      .map((trait) => {
        const share = shares.get(`${trait.name}\n${trait.value}`);
        return { ...trait, share: share !== undefined && share > 0 && share <= 1 ? share : null };
      }),
  };
}

function artistOf(metadata: Readonly<Record<string, string>>): TokenCard['traits'][number] | undefined {
  return saidOf(metadata).find(({ name, value }) => namesArtist(name) && value !== '');
}

const namesArtist = (key: string): boolean => ARTIST_KEYS.includes(key.toLowerCase());

/** The collection that a token says it belongs to: the claim of whoever minted it. */
export function collectionOf(subTypeData: string | undefined): string | null {
  const { collectionId } = readSubTypeData(subTypeData);
  try {
    return typeof collectionId === 'string' ? formatOutpoint(parseOutpoint(collectionId)) : null;
  } catch {
    return null;
  }
}

/** Which place in its collection and which rarity rank a token says it has. */
export function numbersOf(subTypeData: string | undefined): Pick<TokenCard, 'number' | 'rank'> {
  const { mintNumber, rank } = readSubTypeData(subTypeData);
  const finite = (value: unknown): number | null =>
    typeof value === 'number' && Number.isFinite(value) ? value : null;
  return { number: finite(mintNumber), rank: finite(rank) };
}

/** Who gets which part of later sales, as a token says; nothing where it cannot be read. @param text the value of `royalties` */
export function royaltiesOf(text: string | undefined): { destination: string; percentage: number }[] {
  return royaltyListSchema.safeParse(parseForeign(text ?? '[]', foreignBounds.tokenFields)).data ?? [];
}

const royaltyListSchema = z.array(
  z.object({ destination: z.string().min(1).max(256), percentage: z.coerce.number().min(0).max(1) }),
);
