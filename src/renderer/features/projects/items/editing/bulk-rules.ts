import { type Item, type ItemMetadata, itemMetadataSchema } from '../../../../../contract/index.ts';
import { nameFromFile } from '../../../../lib/format.ts';

/** What is done to the metadata of several drafts at once; what is empty stays as it is. */
export interface BulkChange {
  /** Text with `{name}`, `{n}` and `{file}`. */
  readonly name: string;
  readonly trait: string;
  /** Empty takes the trait away. */
  readonly value: string;
  /** Mint number of the first; the others count on. Null leaves them. */
  readonly firstNumber: number | null;
  readonly rarityLabel: string;
}

export const noChange: BulkChange = { name: '', trait: '', value: '', firstNumber: null, rarityLabel: '' };

/** @param n the item's number, or its place among the chosen ones where it has none */
function fillName(template: string, item: Item, n: number): string {
  const values: Readonly<Record<string, string>> = {
    name: item.metadata.name,
    n: String(item.metadata.mintNumber ?? n),
    file: nameFromFile(item.file.name),
  };
  return template.replace(/\{(name|n|file)\}/g, (_, key: string) => values[key] ?? '').trim();
}

/** The metadata each item would have. */
export function changedMetadata(items: readonly Item[], change: BulkChange): ItemMetadata[] {
  const trait = change.trait.trim();
  const value = change.value.trim();
  const label = change.rarityLabel.trim();
  let next = change.firstNumber;
  return items.map((item, index) => {
    const metadata = { ...item.metadata, ...(label !== '' && { rarityLabel: label }) };
    if (next !== null && item.subType === 'collectionItem') metadata.mintNumber = next++;
    const name = change.name.trim() === '' ? metadata.name : fillName(change.name, { ...item, metadata }, index + 1);
    if (trait === '') return { ...metadata, name };
    const at = metadata.traits.findIndex((one) => one.name === trait);
    const others = metadata.traits.filter((one) => one.name !== trait);
    const traits = value === '' ? others : others.toSpliced(at < 0 ? others.length : at, 0, { name: trait, value });
    return { ...metadata, name, traits };
  });
}

/** How many of the items the schema of the protocol would refuse. */
export function countRefused(metadata: readonly ItemMetadata[]): number {
  return metadata.filter((one) => !itemMetadataSchema.safeParse(one).success).length;
}
