import { isUtf8 } from 'node:buffer';
import { parametersOf, unknownCommand } from './commands.ts';
import { depthWithin, elementsOf, membersOf } from './json-text.ts';

/** The node's reader goes no deeper. */
const MAX_DEPTH = 512;
/** Characters that are kept of the name of a command there is none of. */
const LONGEST_UNKNOWN = 64;

export const rpcCodes = {
  invalidRequest: -32600,
  methodNotFound: -32601,
  parse: -32700,
  invalidParameter: -8,
  /** The node is still starting. */
  warmUp: -28,
  /** Whatever has no code of its own, in the node; here also an upstream that cannot be reached or answers nonsense. */
  misc: -1,
} as const;

/** A call that may be relayed. Texts are JSON, as the caller wrote them. */
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
  /** What was called where there is no such command: its name, cut, and its parameters. */
  readonly unknown?: { readonly method: string; readonly paramsText: string };
}

export type RpcRequest = { readonly call: RpcCall } | { readonly refusal: RpcRefusal };

export type RpcBody = { readonly single: RpcRequest } | { readonly batch: readonly (string | RpcRequest)[] };

/**
 * Reads a request body with the errors of a node.
 * @param mapiUrl address named to those who try to send through the gateway
 */
export function readBody(bytes: Buffer, mapiUrl: () => string): RpcBody {
  const refuse = (code: number, message: string): RpcBody => ({
    single: { refusal: { idText: 'null', code, message } },
  });
  const text = parseable(bytes);
  if (text === undefined) return refuse(rpcCodes.parse, 'Parse error');
  const first = text.trimStart()[0];
  if (first === '{') return { single: readRequest(text, mapiUrl) };
  if (first === '[') return { batch: elementsOf(text) };
  return refuse(rpcCodes.parse, 'Top-level object parse error');
}

function parseable(bytes: Buffer): string | undefined {
  if (!isUtf8(bytes)) return undefined;
  const text = bytes.toString('utf8');
  if (!depthWithin(text, MAX_DEPTH)) return undefined;
  try {
    JSON.parse(text);
    return text;
  } catch {
    return undefined;
  }
}

/** Reads one request object, or one element of a batch. */
export function readRequest(text: string, mapiUrl: () => string): RpcRequest {
  if (text.trimStart()[0] !== '{') {
    return { refusal: { idText: 'null', code: rpcCodes.invalidRequest, message: 'Invalid Request object' } };
  }
  const members = membersOf(text);
  const idText = members.get('id') ?? 'null';
  const invalid = (message: string, code: number = rpcCodes.invalidRequest): RpcRequest => ({
    refusal: { idText, code, message },
  });
  const methodText = members.get('method') ?? 'null';
  if (methodText === 'null') return invalid('Missing method');
  if (!methodText.startsWith('"')) return invalid('Method must be a string');
  const given = members.get('params') ?? 'null';
  if (given !== 'null' && !/^[[{]/.test(given)) return invalid('Params must be an array or object');
  const method = JSON.parse(methodText) as string;
  const names = parametersOf(method);
  const paramsText = given === 'null' ? '[]' : given;
  if (names === undefined) {
    const unknown = { method: method.slice(0, LONGEST_UNKNOWN), paramsText };
    return {
      refusal: { idText, code: rpcCodes.methodNotFound, message: unknownCommand(method, mapiUrl()), unknown },
    };
  }
  if (given === 'null') return { call: { idText, method, paramsText } };
  if (given.startsWith('[')) return { call: { idText, method, paramsText: given } };
  const positional = toPositional(membersOf(given), names);
  if (typeof positional === 'string') return { call: { idText, method, paramsText: positional } };
  return invalid(`Unknown named parameter ${positional.unknown}`, rpcCodes.invalidParameter);
}

/** Gaps before a given parameter become null, as in the node. */
function toPositional(given: Map<string, string>, names: readonly string[]): string | { unknown: string } {
  const left = new Map(given);
  const params: string[] = [];
  for (const [index, aliases] of names.entries()) {
    const name = aliases.split('|').find((alias) => left.has(alias));
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
