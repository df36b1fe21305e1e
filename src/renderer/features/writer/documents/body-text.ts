/** A body for display: as text where it is text, else in hex. */
export interface ShownBody {
  readonly kind: 'text' | 'hex';
  readonly text: string;
  readonly bytes: number;
}

/**
 * @param base64 the body's first bytes
 * @param whole whether these are all; where they are not, the last character may be cut in two
 */
export function visibleBody(base64: string, whole: boolean): ShownBody {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: !whole });
    if (isPrintable(text)) return { kind: 'text', text, bytes: bytes.length };
  } catch {
    // Not UTF-8.
  }
  const text = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return { kind: 'hex', text, bytes: bytes.length };
}

/** Binary data has control characters other than line ends and tabs. */
function isPrintable(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d) return false;
  }
  return true;
}
