/**
 * Splits a line of parameters: words by spaces, text in quotes as text, `[…]` and `{…}` as JSON, numbers and true/false/null as such.
 * @returns undefined where a quote, bracket or brace is left open or is not JSON
 */
export function readParameters(line: string): unknown[] | undefined {
  const parameters: unknown[] = [];
  let rest = line.trim();
  while (rest !== '') {
    const length = wordLength(rest);
    if (length === undefined) return undefined;
    const word = rest.slice(0, length);
    if (/^[[{"]/.test(word)) {
      try {
        parameters.push(JSON.parse(word));
      } catch {
        return undefined;
      }
    } else {
      parameters.push(plain(word));
    }
    rest = rest.slice(length).trimStart();
  }
  return parameters;
}

function plain(word: string): unknown {
  if (word === 'true') return true;
  if (word === 'false') return false;
  if (word === 'null') return null;
  const number = Number(word);
  // An id of digits alone is longer than any number a command takes.
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
