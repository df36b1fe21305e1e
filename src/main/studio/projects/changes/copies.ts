import type { ItemMetadata } from '../../../../contract/index.ts';

/** Room for the number at the end of a name of at most 120 characters. */
const NAME_LENGTH = 112;

/**
 * What is written about each token of an edition: `Moon #1`, `Moon #2` and so on.
 * @param count tokens in the end
 * @param isNumbered whether they have mint numbers: that of the original, then the free ones above the highest of the project
 */
export function numberedCopies(
  metadata: ItemMetadata,
  count: number,
  { isNumbered, highest }: { isNumbered: boolean; highest: number },
): ItemMetadata[] {
  const name = metadata.name.replace(/\s*#\d+$/, '').slice(0, NAME_LENGTH);
  let next = highest + 1;
  return Array.from({ length: count }, (_, index) => ({
    ...metadata,
    name: `${name} #${index + 1}`,
    ...(isNumbered && { mintNumber: index === 0 ? (metadata.mintNumber ?? next++) : next++ }),
  }));
}
