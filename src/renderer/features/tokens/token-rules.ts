import {
  contentTypeOf,
  type ItemFields,
  isNumberField,
  itemFieldNames,
  type TokenCard,
} from '../../../contract/index.ts';
import { shortenId } from '../../lib/format.ts';

/** Whether what it shows is known to be its inscription: minted here, or read from the chain. */
export function isTrusted({ source, origin }: Pick<TokenCard, 'source' | 'origin'>): boolean {
  return source === 'minted' || origin !== null;
}

/** What a token is called on the wall. */
export function nameOf({ name, outpoint }: Pick<TokenCard, 'name' | 'outpoint'>): string {
  return name || shortenId(outpoint, 6);
}

interface Place extends ItemFields {
  mintNumber?: number;
}

/** What an item of a collection says of its place in it (1Sat `subTypeData`); nothing where it is no JSON object. */
export function placeIn(subTypeData: string | undefined): Place {
  try {
    const data = Object(JSON.parse(subTypeData ?? '{}')) as Record<string, unknown>;
    const fields = itemFieldNames.filter(
      (field) => typeof data[field] === (isNumberField(field) ? 'number' : 'string'),
    );
    return {
      ...(typeof data.mintNumber === 'number' && { mintNumber: data.mintNumber }),
      ...Object.fromEntries(fields.map((field) => [field, data[field]])),
    };
  } catch {
    return {};
  }
}

/** Types besides media that get their file ending. Scripts get none, since some systems run them at a click. */
const NAMED = new Set(['text/plain', 'text/html', 'application/json']);

/** What a file of its content is called: as it was when it was minted here, else by its name and type. */
export function fileNameOf({ content, name, outpoint }: TokenCard): string {
  if (content?.fileName) return content.fileName;
  const plain = name.replace(/[^\p{L}\p{N} ._-]/gu, '').trim() || outpoint.slice(0, 12);
  const known = contentTypeOf(content?.contentType ?? '');
  const ending =
    ['image', 'video', 'audio', 'model'].includes(known?.preview ?? '') || NAMED.has(known?.type ?? '')
      ? known?.extensions[0]
      : undefined;
  return `${plain}.${ending ?? 'bin'}`;
}
