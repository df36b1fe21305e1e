import { ChainError, type Steps } from '../../chain/index.ts';
import { inTurns } from '../pause.ts';
import { NodeRpcError } from '../ports/node.ts';

/** The node's error codes used by the commands. */
export const rpcError = {
  misc: -1,
  type: -3,
  notFound: -5,
  parameter: -8,
  database: -20,
  deserialization: -22,
  verify: -25,
  rejected: -26,
  alreadyInChain: -27,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  parse: -32700,
} as const;

export function failure(code: keyof typeof rpcError, message: string): NodeRpcError {
  return new NodeRpcError(rpcError[code], message);
}

/** For parameters that may be null. For most others the node treats null as a value of the wrong type. */
export function isNull(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/** @throws NodeRpcError -1 */
export function asString(value: unknown): string {
  if (typeof value !== 'string') throw failure('misc', 'JSON value is not a string as expected');
  return value;
}

/** A 32-bit integer. @throws NodeRpcError -1 */
export function asInteger(value: unknown): number {
  if (typeof value !== 'number') throw failure('misc', 'JSON value is not an integer as expected');
  if (!Number.isInteger(value) || value < -0x8000_0000 || value > 0x7fff_ffff) {
    throw failure('misc', 'JSON integer out of range');
  }
  return value;
}

/** @throws NodeRpcError -1 */
function asBoolean(value: unknown): boolean {
  if (typeof value !== 'boolean') throw failure('misc', 'JSON value is not a boolean as expected');
  return value;
}

/** @throws NodeRpcError -1 */
export function asObject(value: unknown): Readonly<Record<string, unknown>> {
  if (typeName(value) !== 'object') throw failure('misc', 'JSON value is not an object as expected');
  return value as Record<string, unknown>;
}

/** @throws NodeRpcError -1 */
export function asArray(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw failure('misc', 'JSON value is not an array as expected');
  return value;
}

/** An optional boolean. @throws NodeRpcError -1 */
export function optionalBoolean(value: unknown, byDefault: boolean): boolean {
  return value === undefined ? byDefault : asBoolean(value);
}

export type JsonTypeName = 'null' | 'bool' | 'object' | 'array' | 'string' | 'number';

export function typeName(value: unknown): JsonTypeName {
  if (isNull(value)) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value as 'object' | 'string' | 'number';
}

/** Strict type check that some commands apply to the given parameters. @throws NodeRpcError -3 */
export function requireTypes(params: readonly unknown[], ...expected: readonly JsonTypeName[]): void {
  for (const [index, type] of expected.entries()) {
    if (index >= params.length) return;
    const got = typeName(params[index]);
    if (got !== type) throw failure('type', `Expected type ${type}, got ${got}`);
  }
}

/** Reads a long hex text in steps. @param name in the node's error messages. @throws NodeRpcError -8 */
export async function ofHex<T>(hex: string, name: string, read: (hex: string) => Steps<T>): Promise<T> {
  try {
    return await inTurns(read(hex));
  } catch (error) {
    if (error instanceof ChainError) throw notHex(hex, name);
    throw error;
  }
}

export function notHex(text: string, name: string): NodeRpcError {
  return failure(
    'parameter',
    `${name} must be hexadecimal string (not '${text}') and length of it must be divisible by 2`,
  );
}

/** A hash that the node validates strictly. @param name in the node's error messages. @throws NodeRpcError -8 */
export function asHash(value: unknown, name: string): string {
  const text = typeof value === 'string' ? value : '';
  if (text === '' || !/^(?:[0-9a-fA-F]{2})+$/.test(text)) throw notHex(text, name);
  if (text.length !== 64) throw failure('parameter', `${name} must be of length 64 (not ${text.length})`);
  return text.toLowerCase();
}

/** The value of an omitted or empty hash. */
export const NO_HASH = '0'.repeat(64);

/**
 * A hash that the node only looks up, so invalid text is simply not found. Leading whitespace and `0x` are skipped, parsing stops at the
 * first character that is not a hex digit, and missing leading digits are zeros.
 * @throws NodeRpcError -1 if it is not text
 */
export function asLooseHash(value: unknown): string {
  const [, digits = ''] = /^\s*(?:0x)?([0-9a-f]*)/.exec(asString(value).toLowerCase()) ?? [];
  return digits.slice(-64).padStart(64, '0');
}

const VERBOSITY_NAMES = ['RAW_BLOCK', 'DECODE_HEADER', 'DECODE_TRANSACTIONS', 'DECODE_HEADER_AND_COINBASE'] as const;
const HEADER_VERBOSITY_NAMES = ['RAW_HEADER', 'DECODE_HEADER', 'DECODE_HEADER_EXTENDED'] as const;

/** @returns 0 to 3. @throws NodeRpcError -8 */
export function blockVerbosity(value: unknown): number {
  return verbosity(value, VERBOSITY_NAMES);
}

/** @returns 0 to 2. @throws NodeRpcError -8 */
export function headerVerbosity(value: unknown): number {
  return verbosity(value, HEADER_VERBOSITY_NAMES);
}

/** A verbosity as a number, number text or boolean text in any case, for clients that send only text. */
function verbosity(value: unknown, names: readonly string[]): number {
  if (value === undefined) return 1;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'number') {
    const level = asInteger(value);
    if (level < 0 || level >= names.length) throw failure('parameter', 'Verbosity value out of range');
    return level;
  }
  if (typeof value !== 'string') throw failure('parameter', 'Invalid verbosity input type');
  const text = value.toUpperCase();
  if (text === 'FALSE' || text === 'TRUE') return text === 'TRUE' ? 1 : 0;
  const level = names.findIndex((name, number) => text === name || text === String(number));
  if (level < 0) throw failure('parameter', 'Verbosity value not recognized');
  return level;
}

/** Whether `getrawtransaction` is to decode. @throws NodeRpcError -3 */
export function isVerbose(value: unknown): boolean {
  if (value === undefined) return false;
  if (typeof value === 'number') return asInteger(value) !== 0;
  if (typeof value === 'boolean') return value;
  throw failure('type', 'Invalid type provided. Verbose parameter must be a boolean.');
}

/** Decodes hex of a transaction. @throws NodeRpcError -22 */
export async function decoded<T>(read: Steps<T>): Promise<T> {
  try {
    return await inTurns(read);
  } catch (error) {
    if (error instanceof ChainError) throw failure('deserialization', 'TX decode failed');
    throw error;
  }
}
