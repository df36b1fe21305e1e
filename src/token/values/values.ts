/** Readers for values of unchecked types. */
import { fromHex, sentence } from '../../chain/index.ts';
import { ParameterError, TokenError } from '../errors.ts';

/** Whether a value is a non-null object and not an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Validates an object of parameters. @throws TokenError `parameter-missing`, `parameter-invalid` */
export function readParams<T extends object>(params: T | null | undefined, field = 'params'): T {
  if (params === null || params === undefined)
    throw new ParameterError('parameter-missing', field, '{field} is missing.');
  if (!isRecord(params)) throw new ParameterError('parameter-invalid', field, '{field} is not an object.');
  return params;
}

/** Validates an optional object of options. @throws TokenError `parameter-invalid` */
export function readOptions<T extends object>(options: T | null | undefined, field: string): Partial<T> {
  return options === null || options === undefined ? {} : readParams(options, field);
}

/** Converts a value that should be a number; NaN for anything else. */
export function numberOf(value: unknown): number {
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : Number.NaN;
}

/** Length of a value that should be text or bytes; 0 for anything else. */
export function lengthOf(value: unknown): number {
  return typeof value === 'string' || value instanceof Uint8Array ? value.length : 0;
}

/** The bytes of a script; undefined if it is not one. */
export function readScript(script: unknown): Uint8Array | undefined {
  if (script instanceof Uint8Array) return script;
  let hex: unknown = script;
  try {
    if (isRecord(script) && typeof script.toHex === 'function') hex = script.toHex();
  } catch {
    return undefined;
  }
  return typeof hex === 'string' && /^(?:[0-9a-fA-F]{2})*$/.test(hex) ? fromHex(hex) : undefined;
}

/** The bytes of the parameter `lockingScript`. @throws TokenError `parameter-missing`, `parameter-invalid` */
export function requireScript(script: unknown): Uint8Array {
  const bytes = readScript(script);
  if (bytes !== undefined) return bytes;
  const isMissing = script === undefined || script === null;
  const message = isMissing
    ? '{field} is missing.'
    : '{field} is not a script: its bytes, their hex, or a LockingScript of the SDK.';
  throw new ParameterError(isMissing ? 'parameter-missing' : 'parameter-invalid', 'lockingScript', message);
}

/**
 * Runs code that reads untrusted values. Unexpected exceptions, such as from a getter, become errors of the library.
 * @throws TokenError
 */
export function guarded<T>(field: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw unforeseen(field, error);
  }
}

/** Same as {@link guarded} for asynchronous code. @throws TokenError */
export async function guardedAsync<T>(field: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw unforeseen(field, error);
  }
}

function unforeseen(field: string, error: unknown): TokenError {
  if (error instanceof TokenError) return error;
  const why = error instanceof Error ? error.message : sentence('it threw a value that is not an Error');
  const text = sentence('{field} cannot be used: {why}', { field, why });
  return new ParameterError('parameter-invalid', field, text, {}, { cause: error });
}
