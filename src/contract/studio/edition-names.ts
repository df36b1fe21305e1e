/** The longest name of an item, in UTF-16 units. */
export const MAX_ITEM_NAME = 120;

/**
 * Names of the tokens of an edition: `Moon #1`, `Moon #2` and so on. Where other tokens have one of them `Moon #3 (1/2)`, `Moon #3 (2/2)`, then
 * `Moon #3 (1/2) 2` and so on.
 * @param count tokens in the end
 * @param taken names of the other tokens of the project
 */
export function editionNames(name: string, count: number, taken: ReadonlySet<string>): string[] {
  const [, base = '', number = ''] = /^(.*?)(\s*#\d{1,12})?$/s.exec(name) ?? [];
  for (let round = 0; ; round++) {
    const again = round > 1 ? ` ${round}` : '';
    const names = Array.from({ length: count }, (_, index) => {
      const end = round === 0 ? ` #${index + 1}` : `${number} (${index + 1}/${count})${again}`;
      return `${cut(base, MAX_ITEM_NAME - end.length)}${end}`.trim();
    });
    if (!names.some((one) => taken.has(one))) return names;
  }
}

/** Half of a character that is cut in two could not be inscribed. */
function cut(text: string, length: number): string {
  return text
    .slice(0, length)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd();
}
