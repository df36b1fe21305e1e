import type { ParameterField } from './command-help.ts';
import { readLine, splitWords } from './command-line.ts';
import { typeOf } from './parameter-types.ts';

export interface SeenHash {
  readonly hash: string;
  /** The kind of thing it is the hash of, by the name of its field; undefined if the name does not say. */
  readonly of: 'block' | 'transaction' | undefined;
}

export interface Completion {
  /** Possible values of the last word, most likely first. */
  readonly choices: readonly string[];
  /** Number of characters of the last word that are typed already. */
  readonly typed: number;
  /** Remaining parameters with their types, for display. */
  readonly hint: string;
}

const nothing: Completion = { choices: [], typed: 0, hint: '' };

/**
 * Completions of a line at its end.
 * @param fields of the command in the line; undefined while they are unknown
 * @param seen newest first
 */
export function complete(
  line: string,
  {
    commands,
    fields,
    seen,
  }: { commands: readonly string[]; fields: readonly ParameterField[] | undefined; seen: readonly SeenHash[] },
): Completion {
  if (line.trim() === '') return nothing;
  const { command, behind } = readLine(line);
  if (behind === '') {
    const choices = commands.filter((name) => name !== command && name.startsWith(command.toLowerCase()));
    return { choices, typed: command.length, hint: fields === undefined ? '' : hintOf(fields, 0) };
  }
  const words = splitWords(behind);
  if (words === undefined || fields === undefined) return nothing;
  const begun = /\s$/.test(behind) ? '' : (words.at(-1) ?? '');
  const at = begun === '' ? words.length : words.length - 1;
  const field = fields[at];
  if (field === undefined) return nothing;
  const known = choicesFor(field, commands, seen);
  const choices = known.filter((choice) => choice !== begun && choice.startsWith(begun.toLowerCase()));
  return { choices, typed: begun.length, hint: hintOf(fields, begun === '' ? at : at + 1) };
}

function choicesFor(field: ParameterField, commands: readonly string[], seen: readonly SeenHash[]): readonly string[] {
  const hashes = (of: SeenHash['of']): string[] =>
    seen.filter((one) => one.of === of || one.of === undefined).map(({ hash }) => hash);
  switch (typeOf(field)) {
    case 'blockhash':
      return hashes('block');
    case 'txid':
      return hashes('transaction');
    case 'boolean':
      return ['true', 'false'];
    default:
      return field.name === 'command' ? commands : [];
  }
}

/** E.g. `blockhash ‹hash› [verbosity]`. */
function hintOf(fields: readonly ParameterField[], from: number): string {
  return fields
    .slice(from)
    .map((field) => {
      const type = typeOf(field);
      const word = type === 'any' || type === field.name ? field.name : `${field.name}:${type}`;
      return field.required ? word : `[${word}]`;
    })
    .join(' ');
}

/** Limits on the values of a reply that are searched for hashes, and on the hashes that are remembered. */
const MAX_READ = 500;
const MAX_SEEN = 50;

/** Adds the hashes in a reply to those seen before. @param of its command, which defines the kind of a hash without a field */
export function addSeen(
  before: readonly SeenHash[],
  answer: unknown,
  of: string,
  kindOf: (hash: string, field: string) => SeenHash['of'] | 'none',
): readonly SeenHash[] {
  const found: SeenHash[] = [];
  let read = 0;
  const walk = (value: unknown, field: string): void => {
    read += 1;
    if (read > MAX_READ) return;
    if (typeof value === 'string') {
      const kind = /^[0-9a-f]{64}$/.test(value) ? kindOf(value, field) : 'none';
      if (kind !== 'none' && !found.some(({ hash }) => hash === value)) found.push({ hash: value, of: kind });
    } else if (Array.isArray(value)) {
      for (const entry of value.slice(0, MAX_READ)) walk(entry, field);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, entry] of Object.entries(value)) walk(entry, name);
    }
  };
  walk(answer, of);
  const known = new Set(found.map(({ hash }) => hash));
  return [...found, ...before.filter(({ hash }) => !known.has(hash))].slice(0, MAX_SEEN);
}
