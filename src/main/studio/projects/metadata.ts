import { type Item, type ItemMetadata, itemMetadataSchema, PlanchetError } from '../../../contract/index.ts';

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
  const subTypeData =
    subType === 'collectionItem' ? { collectionId: collectionId ?? '', description } : { description };
  return Object.fromEntries([
    ...metadata.traits.map(({ name, value }): [string, string] => [name, value]),
    ['app', APP],
    ['name', metadata.name],
    ['type', 'ord'],
    ['subType', subType],
    ['subTypeData', JSON.stringify(subTypeData)],
    ['description', description],
  ]);
}

/**
 * Checks what an author wrote about a token, beyond its form: text that no transaction or service could carry unchanged is refused here.
 * @throws PlanchetError `metadata-invalid`
 */
export function checkedMetadata(input: unknown): ItemMetadata {
  const parsed = itemMetadataSchema.safeParse(input);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw invalid(`${issue?.path.join('.') || 'metadata'}: ${issue?.message ?? 'not valid'}.`);
  }
  const { name, description, traits } = parsed.data;
  for (const text of [name, description, ...traits.flatMap((trait) => [trait.name, trait.value])]) {
    if (!text.isWellFormed() || text.includes('\0')) {
      throw invalid(`"${text.toWellFormed().slice(0, 40)}" holds a character that cannot be stored.`);
    }
  }
  if (traits.some((trait) => trait.name === '__proto__')) throw invalid('A trait cannot be named "__proto__".');
  return parsed.data;
}

function invalid(message: string): PlanchetError {
  return new PlanchetError('mint.metadata-invalid', { reason: message });
}
