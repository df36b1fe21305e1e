import { type Sentence, sentence } from '../../chain/index.ts';
import { SchemaError } from '../errors.ts';

/** Maximum nesting depth, and maximum number of values. */
const DEEPEST = 64;
const MOST = 100_000;

/**
 * Rejects values that JSON would drop, change or fail on, so that parsing returns exactly what was given.
 * @throws TokenError `schema-invalid` naming the value, with the number involved
 */
export function requireJson(value: unknown, field: string): void {
  const above = new Set<object>();
  let count = 0;
  const look = (given: unknown, at: string): void => {
    count += 1;
    if (count > MOST)
      throw invalid(field, 'The schema cannot be used: {field} has more than {most} values.', { most: MOST });
    if (typeof given !== 'object' || given === null) {
      lookAtPlain(given, at);
      return;
    }
    if (above.has(given)) throw invalid(at, 'The schema cannot be used: {field} contains itself.');
    if (above.size >= DEEPEST)
      throw invalid(at, 'The schema cannot be used: {field} is nested deeper than {most} levels.', { most: DEEPEST });
    above.add(given);
    if (Array.isArray(given)) {
      // by index: a hole would be written as null
      for (let index = 0; index < given.length; index++) look(given[index], `${at}[${index}]`);
    } else {
      lookAtObject(given, at);
      for (const [key, inner] of Object.entries(given)) look(inner, `${at}.${key}`);
    }
    above.delete(given);
  };
  look(value, field);
}

function lookAtPlain(given: unknown, at: string): void {
  if (given === null || typeof given === 'boolean') return;
  if (typeof given === 'string') {
    if (given.isWellFormed()) return;
    throw invalid(
      at,
      'The schema cannot be used: {field} is text with an unpaired surrogate, which UTF-8 cannot encode.',
      { length: given.length },
    );
  }
  if (typeof given !== 'number') throw unrepresentable(at, article(typeof given));
  if (Number.isFinite(given) && !Object.is(given, -0)) return;
  throw unrepresentable(at, Object.is(given, -0) ? '-0' : `${given}`, { given });
}

function lookAtObject(given: object, at: string): void {
  const prototype: unknown = Object.getPrototypeOf(given);
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  if (!isPlain) throw invalid(at, 'The schema cannot be used: {field} is not a plain object: JSON would change it.');
  const keys = Reflect.ownKeys(given);
  const odd = keys.find((key) => typeof key === 'symbol' || key === '__proto__' || key === 'toJSON');
  if (odd !== undefined)
    throw invalid(
      at,
      sentence('The schema cannot be used: {field} has the key {key}, which JSON cannot represent.', {
        field: at,
        key: String(odd),
      }),
    );
  if (keys.length > Object.keys(given).length)
    throw invalid(at, 'The schema cannot be used: {field} has hidden properties, which JSON would drop.');
}

function article(type: string): string {
  return type === 'undefined' ? type : `a ${type}`;
}

function unrepresentable(field: string, given: string, numbers = {}): SchemaError {
  const text = 'The schema cannot be used: {field} is {given}, which JSON cannot represent.';
  return invalid(field, sentence(text, { field, given }), numbers);
}

function invalid(field: string, text: string | Sentence, numbers = {}): SchemaError {
  return new SchemaError('schema-invalid', field, text, numbers);
}
