import type { z } from 'zod';
import { ruleOf } from './allowed.ts';
import { type Phrase, phrase } from './phrase.ts';

const MAX_NAMED_FIELDS = 3;

/** The parts of a schema issue that describe the problem. Issues of another library have only a message and a path. */
interface Issue extends Pick<z.core.$ZodIssue, 'message'> {
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
  readonly code?: string;
  readonly origin?: string;
  readonly maximum?: number | bigint;
  readonly minimum?: number | bigint;
  readonly values?: readonly unknown[];
  readonly keys?: readonly string[];
}

/** Path of an issue: `metadata.traits.0.name`. */
export function fieldOf({ path = [] }: Issue): string {
  return path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
}

/** The problems of the fields that a schema refuses, with the names of the first three. */
export function fieldProblems(issues: readonly Issue[]): Phrase {
  // The limits of one field follow each other.
  const told = issues.filter((issue, at) => ![issues[at - 1], issues[at + 1]].some((other) => isWithin(other, issue)));
  const named = told
    .slice(0, MAX_NAMED_FIELDS)
    .map((issue) => phrase('field.problem', { field: fieldOf(issue) || 'input', rule: ruleFor(issue) }));
  const more = told.length - named.length;
  return phrase('reason.of-sources', { each: more > 0 ? [...named, phrase('field.more', { count: more })] : named });
}

/** Whether another limit of the same field is lower: a number above both is told that one. */
function isWithin(lower: Issue | undefined, { code, maximum, ...issue }: Issue): boolean {
  if (code !== 'too_big' || lower?.code !== code || fieldOf(lower) !== fieldOf(issue)) return false;
  return Number(lower.maximum) < Number(maximum);
}

/** What the schema expects, as one of our sentences: the messages of the schema library are in one language only. */
function ruleFor(issue: Issue): Phrase {
  const { code, origin, maximum, minimum, message } = issue;
  const own = ruleOf(message);
  if (own !== undefined) return own;
  const isText = origin === 'string';
  const isList = origin === 'array' || origin === 'set';
  if (code === 'too_big') {
    return phrase(isText ? 'rule.length' : isList ? 'rule.entries' : 'rule.most', { most: Number(maximum) });
  }
  if (code === 'too_small') {
    if (isText && minimum === 1) return phrase('rule.given');
    const least = Number(minimum);
    return phrase(isText ? 'rule.least-length' : isList ? 'rule.least-entries' : 'rule.least', { least });
  }
  if (code === 'invalid_value') return phrase('rule.choice', { choices: (issue.values ?? []).map(String).join(', ') });
  if (code === 'unrecognized_keys') return phrase('rule.no-such-fields', { names: (issue.keys ?? []).join(', ') });
  return phrase('rule.form');
}
