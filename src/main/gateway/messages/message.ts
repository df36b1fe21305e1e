import { isUtf8 } from 'node:buffer';
import { type JsonFault, JsonScan } from '../../json-scan.ts';
import { findBroadcastMethod, findMethod, unknownMethodMessage } from '../methods/method-registry.ts';
import type { Parameter } from '../methods/method-row.ts';
import { elementsOf, membersOf } from './json-text.ts';

/** The node's parser has the same limit. */
const MAX_DEPTH = 512;
/** Limits of what costs time besides the number of bytes. The largest batch uses a tenth of them. */
const MAX_VALUES = 100_000;
const MAX_NAME_BYTES = 1_024;
const MAX_NUMBER_BYTES = 1_024;
const MAX_ESCAPES = 100_000;
const MAX_SPACE_BYTES = 4 * 1024 * 1024;
/** Most characters of parameters, except for commands that take whole transactions and proofs. */
const MAX_PARAMS = 1024 * 1024;
const MAX_ID = 64 * 1024;
/** No command has a longer name. */
const LONGEST_METHOD = 1_024;
/** Characters of an unknown command's name to show. */
const LONGEST_UNKNOWN = 64;

const REQUEST_MEMBERS = new Set(['id', 'method', 'params']);

export const rpcCodes = {
  invalidRequest: -32600,
  methodNotFound: -32601,
  parse: -32700,
  invalidParameter: -8,
  /** The node is still starting. */
  warmUp: -28,
  /** Everything without its own code in the node. Here also: an upstream that is unreachable or does not answer like a node. */
  misc: -1,
} as const;

/** A call that may be relayed. The texts are JSON as the client wrote them. */
export interface RpcCall {
  readonly idText: string;
  readonly method: string;
  /** Positional. */
  readonly paramsText: string;
}

export interface RpcRefusal {
  readonly idText: string;
  readonly code: number;
  readonly message: string;
  /** For an unknown command: its truncated name and its parameters. */
  readonly unknown?: { readonly method: string; readonly paramsText: string };
}

export type RpcRequest = { readonly call: RpcCall } | { readonly refusal: RpcRefusal };

export type RpcBody = { readonly single: RpcRequest } | { readonly batch: readonly (string | RpcRequest)[] };

/** Checks a body while it arrives. @param batchCalls calls a batch may hold */
export function scanOf(batchCalls: number): JsonScan {
  return new JsonScan({
    depth: MAX_DEPTH,
    values: MAX_VALUES,
    elements: batchCalls,
    nameBytes: MAX_NAME_BYTES,
    numberBytes: MAX_NUMBER_BYTES,
    escapes: MAX_ESCAPES,
    spaceBytes: MAX_SPACE_BYTES,
  });
}

export interface ReadOptions {
  /** Merchant API address for the refusal of commands that send. */
  readonly mapiUrl: () => string;
  /** Whether the gateway sends transactions itself. */
  readonly broadcasts?: (() => boolean) | undefined;
  readonly batchCalls: number;
}

/** Reads a request body with the errors of a node. Its limits are checked before any value is created. */
export function readBody(bytes: Buffer, { mapiUrl, batchCalls, broadcasts }: ReadOptions): RpcBody {
  const scan = scanOf(batchCalls);
  const fault = scan.push(bytes) ?? scan.end();
  if (fault !== undefined) return refusedBody(fault, batchCalls);
  return readText(textOf(bytes, scan), mapiUrl, broadcasts);
}

/** The text of a body that a scan has accepted. @returns undefined if it is not UTF-8 */
export function textOf(bytes: Buffer, { ascii }: JsonScan): string | undefined {
  if (ascii) return bytes.toString('latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

/** Reads the text of a body that a scan has accepted. */
export function readText(text: string | undefined, mapiUrl: () => string, broadcasts?: () => boolean): RpcBody {
  if (text === undefined) return refusedBody('syntax', 0);
  const first = text.trimStart()[0];
  if (first === '{') return { single: readRequest(text, mapiUrl, broadcasts) };
  if (first === '[') return { batch: elementsOf(text) };
  return refusal(rpcCodes.parse, 'Top-level object parse error');
}

/** The answer to a body that a scan has refused. */
export function refusedBody(fault: JsonFault, batchCalls: number): RpcBody {
  if (fault === 'syntax' || fault === 'depth' || fault === 'members') return refusal(rpcCodes.parse, 'Parse error');
  const bounds: Record<Exclude<JsonFault, 'syntax' | 'depth' | 'members'>, string> = {
    values: `a body may hold at most ${MAX_VALUES} values`,
    elements: `a batch may hold at most ${batchCalls} calls`,
    nameBytes: `a name may take at most ${MAX_NAME_BYTES} bytes`,
    numberBytes: `a number may take at most ${MAX_NUMBER_BYTES} bytes`,
    escapes: `a body may hold at most ${MAX_ESCAPES} escapes`,
    spaceBytes: `a body may hold at most ${MAX_SPACE_BYTES} bytes of space`,
  };
  return refusal(rpcCodes.invalidRequest, `Invalid Request object: ${bounds[fault]}`);
}

function refusal(code: number, message: string): RpcBody {
  return { single: { refusal: { idText: 'null', code, message } } };
}

/** Reads one request object, or one element of a batch. */
export function readRequest(text: string, mapiUrl: () => string, broadcasts?: () => boolean): RpcRequest {
  if (text.trimStart()[0] !== '{') {
    return { refusal: { idText: 'null', code: rpcCodes.invalidRequest, message: 'Invalid Request object' } };
  }
  const members = membersOf(text, REQUEST_MEMBERS);
  const givenId = members.get('id') ?? 'null';
  const idText = givenId.length > MAX_ID ? 'null' : givenId;
  const invalid = (message: string, code: number = rpcCodes.invalidRequest): RpcRequest => ({
    refusal: { idText, code, message },
  });
  if (idText !== givenId) return invalid(`Invalid Request object: an id may take at most ${MAX_ID} bytes`);
  const methodText = members.get('method') ?? 'null';
  if (methodText === 'null') return invalid('Missing method');
  if (!methodText.startsWith('"')) return invalid('Method must be a string');
  const given = members.get('params') ?? 'null';
  if (given !== 'null' && !/^[[{]/.test(given)) return invalid('Params must be an array or object');
  const method = nameOf(methodText);
  const row = findMethod(method) ?? (broadcasts?.() === true ? findBroadcastMethod(method) : undefined);
  const paramsText = given === 'null' ? '[]' : given;
  if (row === undefined) {
    const unknown = { method: method.slice(0, LONGEST_UNKNOWN), paramsText };
    const message = unknownMethodMessage(method, mapiUrl());
    return { refusal: { idText, code: rpcCodes.methodNotFound, message, unknown } };
  }
  if (given.length > MAX_PARAMS && row.largeParameters !== true) {
    return invalid(`Invalid Request object: the parameters of ${method} may take at most ${MAX_PARAMS} bytes`);
  }
  if (paramsText.startsWith('[')) return { call: { idText, method, paramsText } };
  const positional = toPositional(membersOf(given), row.parameters);
  if (typeof positional === 'string') return { call: { idText, method, paramsText: positional } };
  return invalid(`Unknown named parameter ${positional.unknown}`, rpcCodes.invalidParameter);
}

/** @param text a string in JSON */
function nameOf(text: string): string {
  // a name of megabytes is not parsed, and no part of it keeps the whole body in memory
  return JSON.parse(text.length > LONGEST_METHOD ? JSON.stringify(text.slice(1, LONGEST_METHOD)) : text) as string;
}

/** Missing parameters before a given one become null, as in the node. */
function toPositional(given: Map<string, string>, parameters: readonly Parameter[]): string | { unknown: string } {
  const left = new Map(given);
  const params: string[] = [];
  for (const [index, { names }] of parameters.entries()) {
    const name = names.find((alias) => left.has(alias));
    if (name === undefined) continue;
    while (params.length < index) params.push('null');
    params.push(left.get(name) as string);
    left.delete(name);
  }
  const [unknown] = left.keys();
  return unknown === undefined ? `[${params.join(',')}]` : { unknown };
}

/** A reply object in the node's key order, without the newline that ends a reply. */
export function errorReply({ code, message, idText }: Pick<RpcRefusal, 'code' | 'message' | 'idText'>): string {
  return `{"result":null,"error":{"code":${code},"message":${JSON.stringify(message)}},"id":${idText}}`;
}

/** The HTTP status that goes with an error's code. */
export function statusOf(code: number): number {
  if (code === rpcCodes.invalidRequest) return 400;
  return code === rpcCodes.methodNotFound ? 404 : 500;
}
