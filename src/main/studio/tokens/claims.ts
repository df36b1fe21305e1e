import { z } from 'zod';
import { formatOutpoint, parseOutpoint } from '../../../chain/index.ts';
import type { TokenCard } from '../../../contract/index.ts';
import { foreignBounds, parseForeign } from '../../foreign-json.ts';

/** Keys of the protocol, which are not traits. */
const PROTOCOL_KEYS = ['name', 'app', 'type', 'subType', 'subTypeData', 'description', 'royalties'];
const MAX_READ_TRAITS = 64;

/** What a received token says of itself: keys of its own, or the traits of an item of a collection. */
export function traitsOf(metadata: Readonly<Record<string, string>>): TokenCard['traits'] {
  const { traits } = subTypeDataOf(metadata.subTypeData);
  const structured = traitListSchema.safeParse(traits).data ?? [];
  const own = Object.entries(metadata).filter(([name]) => !PROTOCOL_KEYS.includes(name));
  return [...own.map(([name, value]) => ({ name, value })), ...structured].slice(0, MAX_READ_TRAITS);
}

const traitListSchema = z.array(z.object({ name: z.string(), value: z.coerce.string() }));

/** The collection that a token says it belongs to: the claim of whoever minted it. */
export function collectionOf(subTypeData: string | undefined): string | null {
  const { collectionId } = subTypeDataOf(subTypeData);
  try {
    return typeof collectionId === 'string' ? formatOutpoint(parseOutpoint(collectionId)) : null;
  } catch {
    return null;
  }
}

/** Nothing where it is no JSON object. */
function subTypeDataOf(text: string | undefined): { collectionId?: unknown; traits?: unknown } {
  const parsed = parseForeign(text ?? '{}', foreignBounds.tokenFields);
  return typeof parsed === 'object' && parsed !== null ? parsed : {};
}
