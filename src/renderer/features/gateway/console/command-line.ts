/**
 * Splits a line of parameters into words at spaces, except in quotes, `[…]` and `{…}`.
 * @returns undefined if a quote, bracket or brace is left open
 */
export function splitWords(line: string): string[] | undefined {
  const words: string[] = [];
  let rest = line.trim();
  while (rest !== '') {
    const length = wordLength(rest);
    if (length === undefined) return undefined;
    words.push(rest.slice(0, length));
    rest = rest.slice(length).trimStart();
  }
  return words;
}

/** Parses a word as a number, true, false or null; anything else is text. */
export function plainValue(word: string): unknown {
  if (word === 'true') return true;
  if (word === 'false') return false;
  if (word === 'null') return null;
  const number = Number(word);
  // An id of digits only is longer than any number that a command takes.
  return /^-?\d{1,15}(?:\.\d{1,8})?$/.test(word) ? number : word;
}

function wordLength(text: string): number | undefined {
  let depth = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] as string;
    if (quoted) {
      if (character === '\\') index += 1;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    else if (/\s/.test(character) && depth === 0) return index;
    if (depth < 0) return undefined;
  }
  return quoted || depth !== 0 ? undefined : text.length;
}

/** A parameter as it is written in a line: text is quoted if it would otherwise be parsed as something else. */
export function writeParameter(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return value !== '' && plainValue(value) === value && !/[\s"[\]{}]/.test(value) ? value : JSON.stringify(value);
}

/** The word for a field: text is quoted if needed, anything else is left as typed. Undefined for an empty field. */
export function wordOf(typed: string, kind: 'text' | 'json' | 'any'): string | undefined {
  const text = typed.trim();
  if (text === '') return undefined;
  return kind === 'text' ? writeParameter(text) : text;
}

/** A command with its words. An empty field before a filled one becomes null, which most commands treat as omitted. */
export function writeLine(command: string, words: readonly (string | undefined)[]): string {
  const last = words.findLastIndex((word) => word !== undefined);
  return [command, ...words.slice(0, last + 1).map((word) => word ?? 'null')].join(' ');
}

/** Splits a line into the command and the rest. */
export function readLine(line: string): { command: string; behind: string } {
  const text = line.trimStart();
  const command = text.split(/\s/, 1)[0] ?? '';
  return { command, behind: text.slice(command.length) };
}
