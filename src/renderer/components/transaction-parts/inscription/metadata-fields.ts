/** A displayed field of a token's metadata. */
interface MetadataField {
  readonly name: string;
  readonly value: string;
}

/**
 * The fields of the metadata, including those inside `subTypeData`, and traits by their names. Text that is not a JSON object is left as it is.
 * Fields that `subTypeData` repeats are left out.
 */
export function metadataFields(metadata: Readonly<Record<string, string>>): MetadataField[] {
  return Object.entries(metadata).flatMap(([name, value]) => {
    const inside = name === 'subTypeData' ? objectOf(value) : undefined;
    if (inside === undefined) return [{ name, value }];
    return Object.entries(inside).flatMap(([key, entry]) => {
      const traits = Array.isArray(entry) ? entry.map(traitOf) : [];
      if (traits.length > 0 && traits.every((trait) => trait !== undefined)) return traits;
      const text = textOf(entry);
      return metadata[key] === text ? [] : [{ name: key, value: text }];
    });
  });
}

function objectOf(text: string): Record<string, unknown> | undefined {
  try {
    const found: unknown = JSON.parse(text);
    return isObject(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function traitOf(entry: unknown): MetadataField | undefined {
  if (!isObject(entry)) return undefined;
  const name = entry.name ?? entry.trait_type;
  if (typeof name !== 'string' || entry.value === undefined) return undefined;
  return { name, value: textOf(entry.value) };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
