const SYMBOL = /^[A-Za-z0-9_-]{1,128}$/;

/** True for 1 to 128 letters, digits, "_" or "-" (wire facts 5.4). */
export function isSymbol(text: unknown): text is string {
  return typeof text === 'string' && SYMBOL.test(text);
}
