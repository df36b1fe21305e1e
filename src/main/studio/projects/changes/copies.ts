import { editionNames, type ItemMetadata } from '../../../../contract/index.ts';

/**
 * What is written about each token of an edition.
 * @param count tokens in the end
 * @param others what is written about the other items of the project
 * @param isNumbered whether they have mint numbers: that of the original, then the free ones above the highest of the project
 */
export function numberedCopies(
  metadata: ItemMetadata,
  count: number,
  { isNumbered, others }: { isNumbered: boolean; others: readonly ItemMetadata[] },
): ItemMetadata[] {
  const names = editionNames(metadata.name, count, new Set(others.map(({ name }) => name)));
  let next = [metadata, ...others].reduce((most, { mintNumber }) => Math.max(most, mintNumber ?? 0), 0) + 1;
  return names.map((name, index) => ({
    ...metadata,
    name,
    ...(isNumbered && { mintNumber: index === 0 ? (metadata.mintNumber ?? next++) : next++ }),
  }));
}
