import type { NodeCommand } from '../../../../contract/index.ts';

export interface ParameterField {
  /** Its name in the help. Some commands use another name in their table of arguments. */
  name: string;
  required: boolean;
  /** `text` is always sent as a string; `json` is a list or an object; `any` a number, true/false or text. */
  kind: 'text' | 'json' | 'any';
  /** Description in the help, or the notation of its JSON; empty if there is none. */
  description: string;
}

interface Usage {
  /** As it is written in the line. */
  word: string;
  required: boolean;
  kind: ParameterField['kind'];
}

/**
 * Parses the first line of a command's help, e.g. `getblock "blockhash" ( verbosity )`: parentheses mark optional parameters, quotes mark text,
 * and brackets or braces mark JSON.
 */
function readUsage(line: string): Usage[] {
  const found: Usage[] = [];
  let optional = 0;
  let rest = line.replace(/^\S+\s*/, '');
  while (rest !== '') {
    const nested = /^[[{]/.test(rest) ? bracketed(rest) : undefined;
    const word = nested ?? /^(?:"[^"]*"|[()]|[^\s()]+)/.exec(rest)?.[0] ?? rest;
    if (word === '(') optional += 1;
    else if (word === ')') optional -= 1;
    else if (word !== '...') {
      const kind = nested !== undefined ? 'json' : word.startsWith('"') ? 'text' : 'any';
      found.push({ word, required: optional === 0, kind });
    }
    rest = rest.slice(word.length).trimStart();
  }
  return found;
}

/** The start of a text up to the bracket that closes its first one. */
function bracketed(text: string): string {
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    if ('[{'.includes(text[index] as string)) depth += 1;
    else if (']}'.includes(text[index] as string)) depth -= 1;
    if (depth === 0) return text.slice(0, index + 1);
  }
  return text;
}

/** Descriptions of the numbered lines below `Arguments:`, by position. Continuation lines are appended. */
function readArguments(help: string): string[] {
  const [, below = ''] = help.split(/^Arguments:.*$/m);
  const block = below.split(/^\s*(?:Result|Examples)\b/m)[0] ?? '';
  const found: string[] = [];
  for (const line of block.split('\n')) {
    const begun = /^\s*(\d+)\.\s+\S+\s*(.*)$/.exec(line);
    if (begun !== null) found[Number(begun[1]) - 1] = (begun[2] as string).trim();
    else if (found.length > 0 && line.trim() !== '') found[found.length - 1] += ` ${line.trim()}`;
  }
  return found;
}

/** The fields of a command, one per parameter, with their descriptions in the help. */
export function fieldsOf({ parameters }: Pick<NodeCommand, 'parameters'>, help: string): ParameterField[] {
  const usage = readUsage(help.split('\n')[0] ?? '');
  const descriptions = readArguments(help);
  return parameters.map(({ name }, index) => {
    const told = usage[index];
    const described = descriptions[index] ?? '';
    const json = told?.kind === 'json' || /\b(?:array|object|json)\b/i.test(described.slice(0, 40));
    return {
      name: told === undefined || told.kind === 'json' ? name : told.word.replaceAll('"', ''),
      required: told?.required ?? true,
      kind: json ? 'json' : (told?.kind ?? 'any'),
      description: described === '' && told?.kind === 'json' ? told.word : described,
    };
  });
}
