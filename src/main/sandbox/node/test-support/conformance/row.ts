import type { ConformanceChain } from './chain.ts';

/** The expected result of a call. */
type Wanted =
  /** Code and message of the error; the message is a text or a pattern. */
  | { readonly code: number; readonly message: string | RegExp }
  /** The result has this type of shapes.ts. */
  | { readonly type: string }
  /** The exact JSON of the result. */
  | { readonly json: string }
  /** A subset of the result. */
  | { readonly holds: object };

export interface Row {
  readonly method: string;
  readonly params: unknown;
  readonly wanted: Wanted;
}

export type Rows = (chain: ConformanceChain) => readonly Row[];

export const NONE = 'ab'.repeat(32);

export const fails = (method: string, params: unknown, code: number, message: string | RegExp): Row => ({
  method,
  params,
  wanted: { code, message },
});
export const shows = (method: string, params: unknown, type: string): Row => ({ method, params, wanted: { type } });
export const says = (method: string, params: unknown, json: string): Row => ({ method, params, wanted: { json } });
export const holds = (method: string, params: unknown, object: object): Row => ({
  method,
  params,
  wanted: { holds: object },
});

export const notHex = (name: string, text = ''): string =>
  `${name} must be hexadecimal string (not '${text}') and length of it must be divisible by 2`;
export const notLong = (name: string, length: number): string => `${name} must be of length 64 (not ${length})`;
export const NOT_STRING = 'JSON value is not a string as expected';
export const NOT_INTEGER = 'JSON value is not an integer as expected';
export const NOT_BOOLEAN = 'JSON value is not a boolean as expected';
export const NOT_ARRAY = 'JSON value is not an array as expected';
export const NOT_OBJECT = 'JSON value is not an object as expected';
export const OUT_OF_RANGE = 'JSON integer out of range';
export const NO_BLOCK = 'Block not found';

/** Checks that a hash is validated strictly (H in node-rpc.md). */
export const strict = (method: string, name: string, before: readonly unknown[] = []): Row[] => [
  fails(method, [...before, 'xyz'], -8, notHex(name, 'xyz')),
  fails(method, [...before, 'abc'], -8, notHex(name, 'abc')),
  fails(method, [...before, ''], -8, notHex(name)),
  fails(method, [...before, 5], -8, notHex(name)),
  fails(method, [...before, null], -8, notHex(name)),
  fails(method, [...before, 'abcd'], -8, notLong(name, 4)),
  fails(method, [...before, `${NONE}00`], -8, notLong(name, 66)),
];

/** Checks that any text is accepted as a hash (h in node-rpc.md). */
export const lenient = (method: string, after: readonly unknown[] = []): Row[] => [
  fails(method, [NONE, ...after], -5, NO_BLOCK),
  fails(method, ['nonsense', ...after], -5, NO_BLOCK),
  fails(method, ['', ...after], -5, NO_BLOCK),
  fails(method, [5, ...after], -1, NOT_STRING),
  fails(method, [null, ...after], -1, NOT_STRING),
];
