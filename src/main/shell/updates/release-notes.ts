const MAX_CHARS = 1_500;
const entities: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({ amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ' }),
);

/** Release notes as plain text for a dialog: feeds send HTML, a list by version, or nothing. */
export function plainNotes(notes: unknown): string {
  const list: unknown[] = Array.isArray(notes) ? notes.map((each: { note?: unknown } | null) => each?.note) : [notes];
  const plain = list
    .filter((each) => typeof each === 'string')
    .join('\n\n')
    .slice(0, 20 * MAX_CHARS)
    .replace(/<(script|style)\b[\s\S]*?(?:<\/\1\s*>|$)/gi, '')
    .replace(/<br\s*\/?>|<\/(?:p|li|h[1-6]|div|ul|ol)\s*>/gi, '\n')
    .replace(/<li\b[^>]*>/gi, '- ')
    .replace(/<\/?[a-z!][^>]*(?:>|$)/gi, '')
    .replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name: string) => entities.get(name) ?? '')
    // No control characters, and none that turns the direction of text around.
    .replace(/[^\P{C}\n]/gu, '')
    .replace(/[ \t]+\n/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return plain.length > MAX_CHARS ? `${plain.slice(0, MAX_CHARS)}…` : plain;
}
