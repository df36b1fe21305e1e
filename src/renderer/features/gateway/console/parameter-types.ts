import type { ParameterField } from './command-help.ts';
import { plainValue, splitWords } from './command-line.ts';

/** Type of a parameter. `any` is sent as parsed: a number, true or false, or text. */
export type ParameterType = 'blockhash' | 'txid' | 'hex' | 'number' | 'boolean' | 'json' | 'text' | 'any';

const byName: ReadonlyMap<string, ParameterType> = new Map(
  Object.entries<ParameterType>({
    blockhash: 'blockhash',
    txid: 'txid',
    hexstring: 'hex',
    height: 'number',
    n: 'number',
    nblocks: 'number',
    verbose: 'boolean',
    include_mempool: 'boolean',
    includeFullTx: 'boolean',
  }),
);

export function typeOf({ name, kind }: Pick<ParameterField, 'name' | 'kind'>): ParameterType {
  return kind === 'json' ? 'json' : (byName.get(name) ?? kind);
}

/** Why a line cannot be sent. */
export type Problem =
  | { readonly kind: 'open' }
  | { readonly kind: 'missing'; readonly name: string }
  | { readonly kind: 'tooMany'; readonly most: number }
  | { readonly kind: 'type'; readonly name: string; readonly type: Exclude<ParameterType, 'text' | 'any'> };

interface Typed {
  readonly parameters: unknown[];
  /** Undefined if the line can be sent. */
  readonly problem: Problem | undefined;
}

/**
 * Converts the words of a line to the types of the command's parameters. A text stays a text even if it looks like a number.
 * @param line the text after the command
 * @param fields undefined for an unknown command, which is not checked
 */
export function readTyped(line: string, fields: readonly ParameterField[] | undefined): Typed {
  const words = splitWords(line);
  if (words === undefined) return { parameters: [], problem: { kind: 'open' } };
  const parameters: unknown[] = [];
  let problem: Problem | undefined;
  for (const [index, word] of words.entries()) {
    const field = fields?.[index];
    const type = field === undefined ? 'any' : typeOf(field);
    const value = readWord(word, type);
    if (value === undefined) return { parameters: [], problem: { kind: 'open' } };
    parameters.push(value);
    const leftOut = value === null && field?.required !== true;
    if (field === undefined || leftOut || type === 'text' || type === 'any' || fits(value, type)) continue;
    problem ??= { kind: 'type', name: field.name, type };
  }
  if (fields === undefined || problem !== undefined) return { parameters, problem };
  if (words.length > fields.length) return { parameters, problem: { kind: 'tooMany', most: fields.length } };
  const missing = fields.find(({ required }, index) => required && index >= words.length);
  return { parameters, problem: missing && { kind: 'missing', name: missing.name } };
}

/** @returns undefined for text that starts like JSON but is not */
function readWord(word: string, type: ParameterType): unknown {
  if (/^[[{"]/.test(word)) {
    try {
      return JSON.parse(word) as unknown;
    } catch {
      return undefined;
    }
  }
  const isText = type === 'text' || type === 'hex' || type === 'txid' || type === 'blockhash';
  return isText && word !== 'null' ? word : plainValue(word);
}

function fits(value: unknown, type: Exclude<ParameterType, 'text' | 'any'>): boolean {
  switch (type) {
    case 'blockhash':
    case 'txid':
      return typeof value === 'string' && /^[0-9a-f]{64}$/i.test(value);
    case 'hex':
      return typeof value === 'string' && /^(?:[0-9a-f]{2})*$/i.test(value);
    case 'number':
      return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
    case 'boolean':
      return typeof value === 'boolean' || value === 0 || value === 1;
    case 'json':
      return typeof value === 'object' && value !== null;
  }
}
