/** Room for the number at the end of a name of at most 120 characters. */
const NAME_LENGTH = 108;

/**
 * Names of the tokens of an edition: `Moon #1`, `Moon #2` and so on; `Moon #3 (1/2)`, `Moon #3 (2/2)` where other tokens have such names.
 * @param count tokens in the end
 * @param taken names of the other tokens of the project
 */
export function editionNames(name: string, count: number, taken: ReadonlySet<string>): string[] {
  const numbered = (text: string, end: (n: number) => string): string[] =>
    Array.from({ length: count }, (_, index) => `${text.slice(0, NAME_LENGTH)} ${end(index + 1)}`);
  const usual = numbered(name.replace(/\s*#\d+$/, ''), (n) => `#${n}`);
  return usual.some((one) => taken.has(one)) ? numbered(name, (n) => `(${n}/${count})`) : usual;
}
