import { addressNetwork, ChainError, decodeAddress } from '../../../chain/index.ts';
import {
  fieldProblems,
  type Item,
  type ItemMetadata,
  itemFieldsOf,
  itemMetadataSchema,
  type Network,
  type Phrase,
  PlanchetError,
  phrase,
} from '../../../contract/index.ts';
import { foreignBounds, parseForeign } from '../../foreign-json.ts';
import type { ItemRow } from '../tables.ts';
import { metadataOf } from './item-rows.ts';

/** What tokens minted here name as the application that made them. */
const APP = 'Planchet';

/**
 * The metadata of a token as the token service takes it and as the transaction must carry it (spec 2.2): all values are text.
 * @param collectionId `<txid>_<vout>` of the collection, for a collection item
 */
export function protocolMetadata(
  metadata: ItemMetadata,
  subType: Item['subType'],
  collectionId?: string,
): Record<string, string> {
  // The service requires a description, so a token without one is described by its name.
  const description = metadata.description === '' ? metadata.name : metadata.description;
  // Traits in subTypeData are not written a second time: every byte is paid for.
  const structured = subType === 'collectionItem' && metadata.mintNumber !== undefined;
  return Object.fromEntries([
    ...(metadata.keys ?? []).map(({ name, value }): [string, string] => [name, value]),
    ...(structured ? [] : metadata.traits.map(({ name, value }): [string, string] => [name, value])),
    ['app', APP],
    ['name', metadata.name],
    ['type', 'ord'],
    ['subType', subType],
    ['subTypeData', JSON.stringify(subTypeDataOf(metadata, subType, description, collectionId))],
    ['description', description],
    ...(metadata.royalties?.length ? [['royalties', JSON.stringify(royaltiesOf(metadata.royalties))]] : []),
  ]);
}

/** {@link protocolMetadata} of a stored item. */
export function protocolMetadataOf(row: ItemRow, collectionId?: string): Record<string, string> {
  return protocolMetadata(metadataOf(row), row.sub_type as Item['subType'], collectionId);
}

/** The schema of 1Sat collections and their items; what is not known is left out. */
function subTypeDataOf(
  metadata: ItemMetadata,
  subType: Item['subType'],
  description: string,
  collectionId: string | undefined,
): Record<string, unknown> {
  if (subType === 'collection' && metadata.collection !== undefined)
    return collectionData(metadata.collection, description);
  if (subType !== 'collectionItem') return { description };
  const { mintNumber, traits } = metadata;
  const structured = mintNumber !== undefined;
  return {
    collectionId: collectionId ?? '',
    description,
    ...(structured && { mintNumber }),
    ...itemFieldsOf(metadata),
    ...(structured &&
      traits.length > 0 && {
        traits: traits.map(({ name, value, occurrencePercent }) => ({
          name,
          value,
          ...(occurrencePercent !== undefined && { occurrencePercent }),
        })),
      }),
  };
}

function collectionData(
  { quantity, rarityLabels, traits }: NonNullable<ItemMetadata['collection']>,
  description: string,
): Record<string, unknown> {
  return {
    description,
    quantity: String(quantity),
    ...(rarityLabels.length > 0 && {
      rarityLabels: Object.fromEntries(rarityLabels.map(({ label, percent }) => [label, percent])),
    }),
    ...(traits.length > 0 && {
      traits: Object.fromEntries(
        traits.map(({ name, values }) => [
          name,
          // The schema has this spelling.
          { values: values.map(({ value }) => value), occurancePercentages: values.map(({ percent }) => percent) },
        ]),
      ),
    }),
  };
}

const PAYMAIL = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/;

/**
 * Checks who gets a share of later sales, which nobody can correct once it is minted.
 * @throws PlanchetError `mint.royalty-receiver` for what is neither an address of the network nor a paymail
 */
export function checkRoyalties(royalties: ItemMetadata['royalties'], network: Network): void {
  for (const { destination } of royalties ?? []) {
    if (!PAYMAIL.test(destination) && !isAddressOf(network, destination)) {
      throw new PlanchetError('mint.royalty-receiver', { destination });
    }
  }
}

function isAddressOf(network: Network, text: string): boolean {
  try {
    return decodeAddress(text).network === addressNetwork(network);
  } catch (error) {
    if (error instanceof ChainError) return false;
    throw error;
  }
}

/** Only a paymail contains `@`. */
function royaltiesOf(royalties: NonNullable<ItemMetadata['royalties']>): Record<string, string>[] {
  return royalties.map(({ destination, percentage }) => ({
    type: destination.includes('@') ? 'paymail' : 'address',
    destination,
    percentage,
  }));
}

/**
 * Checks what an author wrote about a token, beyond its form: text that no transaction or service could carry unchanged is refused here.
 * Royalties are checked on input and before a mint ({@link checkRoyalties}), not here: a stored draft with invalid ones must stay readable.
 * @throws PlanchetError `metadata-invalid`
 */
export function checkedMetadata(input: unknown): ItemMetadata {
  const parsed = itemMetadataSchema.safeParse(input);
  if (!parsed.success) throw invalid(fieldProblems(parsed.error.issues));
  const { name, description, traits, keys = [] } = parsed.data;
  for (const text of [name, description, ...[...traits, ...keys].flatMap((one) => [one.name, one.value])]) {
    if (!text.isWellFormed() || text.includes('\0')) {
      throw invalid(phrase('reason.text-unstorable', { text: text.toWellFormed().slice(0, 40) }));
    }
  }
  if (traits.some((trait) => trait.name === '__proto__')) throw invalid(phrase('reason.trait-proto'));
  return parsed.data;
}

/** @returns the text as it was given. @throws PlanchetError `metadata-invalid` where it is no JSON object */
export function checkedSubTypeData(text: string): string {
  const parsed = parseForeign(text, foreignBounds.tokenFields);
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) && text.isWellFormed()) return text;
  throw invalid(phrase('reason.metadata-no-object'));
}

function invalid(reason: Phrase): PlanchetError {
  return new PlanchetError('mint.metadata-invalid', { reason });
}
