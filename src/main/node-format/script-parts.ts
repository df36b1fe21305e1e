import { createHash } from 'node:crypto';
import { asmPieces, OP, readInscription, ScriptCursor, toHex } from '../../chain/index.ts';
import type { TransactionView } from '../../contract/index.ts';

/** A view shows the beginning of a long script; the whole of it is in `hex`. */
const MAX_ASM_CHARS = 10_000;
/** Pushes of a data output that a view shows, and bytes of each. */
const MAX_PUSHES = 100;
const MAX_PUSH_BYTES = 4_096;
/** Maximum operations parsed. All further bytes of a longer script count as data. */
const MAX_OPERATIONS = 20_000;
/** Characters of a metadata key or content type that a view shows, and of a value. */
const MAX_KEY_CHARS = 200;
const MAX_VALUE_CHARS = 10_000;
/** The inscription of a locking script as views show it; null without one. */
export function viewInscription(script: Uint8Array): TransactionView['outputs'][number]['inscription'] {
  const inscription = readInscription(script);
  if (inscription === undefined) return null;
  const { contentType, content, map } = inscription;
  const sha256 = createHash('sha256').update(content).digest('hex');
  const metadata = Object.fromEntries(
    Object.entries(map).map(([key, value]) => [cut(key, MAX_KEY_CHARS), cut(value, MAX_VALUE_CHARS)]),
  );
  return { contentType: cut(contentType, MAX_KEY_CHARS), bytes: content.length, sha256, metadata };
}

/** The data of a script after its first OP_RETURN, push by push. */
export function viewData(script: Uint8Array): TransactionView['outputs'][number]['data'] {
  const cursor = new ScriptCursor(script);
  let returned = false;
  let bytes = 0;
  const pushes: { bytes: number; hex: string; text: string | null }[] = [];
  let left = MAX_OPERATIONS;
  for (let chunk = cursor.next(); chunk; chunk = cursor.next()) {
    if (left-- === 0) {
      bytes += script.length - cursor.offset;
      break;
    }
    if (!returned) {
      returned = chunk.op === OP.RETURN;
      continue;
    }
    if (chunk.data === undefined) continue;
    bytes += chunk.data.length;
    if (pushes.length >= MAX_PUSHES) continue;
    const shown = chunk.data.subarray(0, MAX_PUSH_BYTES);
    pushes.push({ bytes: chunk.data.length, hex: toHex(shown), text: readableText(shown, chunk.data.length) });
  }
  return returned ? { bytes, pushes } : null;
}

/** UTF-8 without control characters but line ends and tabs; a cut at the end may have split a character. */
function readableText(shown: Uint8Array, length: number): string | null {
  if (length === 0) return null;
  for (const cut of shown.length < length ? [0, 1, 2, 3] : [0]) {
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(shown.subarray(0, shown.length - cut));
      return /[^\P{Cc}\t\n\r]/u.test(text) ? null : text;
    } catch {
      // Not at a character's end, or no UTF-8 at all.
    }
  }
  return null;
}

function cut(text: string, chars: number): string {
  return text.length > chars ? `${text.slice(0, chars)}…` : text;
}

/** The beginning of a script as text. */
export function shortAsm(script: Uint8Array, scriptSig: boolean): string {
  let asm = '';
  for (const piece of asmPieces(script, { scriptSig })) {
    asm += piece;
    if (asm.length > MAX_ASM_CHARS) break;
  }
  return cut(asm, MAX_ASM_CHARS);
}
