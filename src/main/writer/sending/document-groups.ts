import type { DocumentRow } from '../storage/document.ts';
import { documentScript } from './data-transaction.ts';

/** Data bytes of a transaction that writes several documents. */
const GROUP_BYTES = 100_000;

export interface Group {
  readonly documents: DocumentRow[];
  readonly scripts: Uint8Array[];
}

/** Documents that share a transaction, in order. */
export function* grouped(
  documents: readonly DocumentRow[],
  bodies: ReadonlyMap<string, Uint8Array>,
  perTransaction: number,
): Generator<Group> {
  let group: Group = { documents: [], scripts: [] };
  let bytes = 0;
  for (const document of documents) {
    const body = bodies.get(document.id);
    if (body === undefined) throw new Error(`document ${document.id} has no body`);
    if (group.documents.length > 0 && (group.documents.length >= perTransaction || bytes + body.length > GROUP_BYTES)) {
      yield group;
      group = { documents: [], scripts: [] };
      bytes = 0;
    }
    group.documents.push(document);
    group.scripts.push(scriptOf(document, body));
    bytes += body.length;
  }
  if (group.documents.length > 0) yield group;
}

/** A group of several documents as two, in order. */
export function halved({ documents, scripts }: Group): [Group, Group] {
  const half = Math.ceil(documents.length / 2);
  return [
    { documents: documents.slice(0, half), scripts: scripts.slice(0, half) },
    { documents: documents.slice(half), scripts: scripts.slice(half) },
  ];
}

export function scriptOf({ tag, content_type }: DocumentRow, body: Uint8Array): Uint8Array {
  return documentScript({
    tag: tag === null ? undefined : Uint8Array.from(Buffer.from(tag, 'hex')),
    contentType: content_type,
    body,
  });
}
