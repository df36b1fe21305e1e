import { concatBytes, displayToHash, equalBytes, type Outpoint, parseScript, pushData } from '../../chain/index.ts';
import { IssueInfoError, KeyError, SymbolError } from '../errors.ts';
import { isSymbol } from '../values/symbol.ts';
import { guarded, lengthOf, readParams } from '../values/values.ts';
import { numberBytes } from './assembler.ts';
import {
  CODE_OFFSET,
  type CovenantVersion,
  covenant,
  MAX_PROOF_TAILS,
  MAX_TOKEN_OUTPUTS,
  OWNER_OFFSET,
  TAIL_OFFSET,
} from './covenant.ts';
import type { TokenFields, TokenSpend, TokenTemplate } from './token-template.ts';

export type { TokenFields, TokenSpend, TokenTemplate };

/** Limits of {@link planchetTemplate}. */
export const TOKEN_LIMITS = { symbolLength: 128, dataLength: 60_000 } as const;

const OWNER_HEAD = Uint8Array.of(0x76, 0xa9, 0x14);
const OWNER_END = Uint8Array.of(0x88, 0xac);
const NOTHING = new Uint8Array(0);
const TRUE = Uint8Array.of(0x51);

/**
 * The project's own covenant. Version 2 supports merging, version 1 does not.
 * @example planchetTemplate(2).lock({ owner, redemption, splittable: true, symbol: 'CAFE' })
 */
export function planchetTemplate(version: CovenantVersion): TokenTemplate {
  return covenant(version) === covenant(1) ? PLANCHET_1 : PLANCHET_2;
}

function makeTemplate(version: CovenantVersion): TokenTemplate {
  return {
    name: `planchet-${version}`,
    maxOutputs: MAX_TOKEN_OUTPUTS,
    merges: version === 2,
    lock: (fields) => guarded('fields', () => lock(covenant(version).code, readParams(fields, 'fields'))),
    decode: (script) => (script instanceof Uint8Array ? decode(covenant(version).code, script) : undefined),
    unlock: (script, spend, preimage) =>
      guarded('spend', () => unlock(version, script, readParams(spend, 'spend'), preimage)),
  };
}

const PLANCHET_1 = makeTemplate(1);
const PLANCHET_2 = makeTemplate(2);

/** Default templates that a script is matched against. */
export const KNOWN_TEMPLATES: readonly TokenTemplate[] = [PLANCHET_2, PLANCHET_1];

function lock(code: Uint8Array, fields: TokenFields): Uint8Array {
  const { owner, redemption, splittable, symbol, data } = fields;
  requireHash(owner, 'owner');
  requireHash(redemption, 'redemption');
  if (!isSymbol(symbol)) {
    throw new SymbolError('symbol-invalid', 'symbol', 'A symbol has 1 to 128 letters, digits, "_" or "-".', {
      length: lengthOf(symbol),
      most: TOKEN_LIMITS.symbolLength,
    });
  }
  const isData = data instanceof Uint8Array && data.length > 0 && data.length <= TOKEN_LIMITS.dataLength;
  if (data !== undefined && !isData) {
    throw new IssueInfoError('data-invalid', 'data', 'Data of a token has 1 to {most} bytes.', {
      length: lengthOf(data),
      most: TOKEN_LIMITS.dataLength,
    });
  }
  return concatBytes(
    OWNER_HEAD,
    owner,
    OWNER_END,
    code,
    pushData(redemption),
    pushData(Uint8Array.of(splittable ? 0 : 1)),
    pushData(new TextEncoder().encode(symbol)),
    data === undefined ? NOTHING : pushData(data),
  );
}

function decode(code: Uint8Array, script: Uint8Array): TokenFields | undefined {
  const end = CODE_OFFSET + code.length;
  const isOwn =
    script.length > end &&
    equalBytes(script.subarray(0, OWNER_OFFSET), OWNER_HEAD) &&
    equalBytes(script.subarray(TAIL_OFFSET, CODE_OFFSET), OWNER_END) &&
    equalBytes(script.subarray(CODE_OFFSET, end), code);
  if (!isOwn) return undefined;
  const { chunks, ok } = parseScript(script.subarray(end));
  const [redemption, flag, name, data] = chunks.map((chunk) => chunk.data);
  const symbol = name && new TextDecoder().decode(name);
  const splittable = flag?.[0] === 0 ? true : flag?.[0] === 1 ? false : undefined;
  if (!ok || chunks.length > 4 || redemption?.length !== 20 || flag?.length !== 1 || splittable === undefined) return;
  if (symbol === undefined || !isSymbol(symbol) || (chunks.length === 4 && !data?.length)) return undefined;
  const fields: TokenFields = {
    owner: script.slice(OWNER_OFFSET, TAIL_OFFSET),
    redemption: redemption.slice(),
    splittable,
    symbol,
    ...(data === undefined ? {} : { data: data.slice() }),
  };
  // each kind has one encoding: a non-minimal push of the same data would give a different tail
  return (data?.length ?? 0) <= TOKEN_LIMITS.dataLength && equalBytes(lock(code, fields), script) ? fields : undefined;
}

function unlock(version: CovenantVersion, script: Uint8Array, spend: TokenSpend, preimage: Uint8Array): Uint8Array {
  const { redeemed, tokens, change, payment, merge } = spend;
  const parts: Uint8Array[] = [];
  // the script pops arguments from the top of the stack, so the last one it needs is pushed first
  parts.push(...(change ? [pushData(change.keyHash), pushNumber(change.satoshis)] : [pushNumber(0)]));
  for (let slot = MAX_TOKEN_OUTPUTS - 1; slot >= 0; slot--) {
    const token = tokens[slot];
    parts.push(...(token ? [pushData(token.owner), pushNumber(token.satoshis)] : [pushNumber(0)]));
  }
  parts.push(pushNumber(redeemed ?? 0));
  parts.push(payment ? pushData(outpointBytes(payment)) : pushNumber(0));
  if (merge) {
    const [first = NOTHING, ...pieces] = proofPieces(merge.previousTx, script.subarray(TAIL_OFFSET));
    parts.push(merge.second ? TRUE : pushNumber(0));
    for (let i = MAX_PROOF_TAILS - 1; i >= 0; i--) parts.push(pushData(pieces[i] ?? NOTHING));
    parts.push(pushData(first), pushData(outpointBytes(merge.other)));
  }
  if (version === 2) parts.push(merge ? TRUE : pushNumber(0));
  parts.push(pushData(preimage));
  return concatBytes(...parts);
}

/** Splits a previous transaction at each occurrence of the script's tail, which the script supplies itself. */
export function proofPieces(previousTx: Uint8Array, tail: Uint8Array): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let from = 0;
  while (pieces.length < MAX_PROOF_TAILS) {
    const at = indexOf(previousTx, tail, from);
    // an empty piece marks the end
    if (at <= from || at + tail.length === previousTx.length) break;
    pieces.push(previousTx.subarray(from, at));
    from = at + tail.length;
  }
  pieces.push(previousTx.subarray(from));
  return pieces;
}

/** Index of the first occurrence at or after `from`; -1 if there is none. */
function indexOf(bytes: Uint8Array, wanted: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(wanted[0] as number, from); at >= 0; at = bytes.indexOf(wanted[0] as number, at + 1)) {
    if (at + wanted.length > bytes.length) return -1;
    if (equalBytes(bytes.subarray(at, at + wanted.length), wanted)) return at;
  }
  return -1;
}

/** An outpoint as serialised in a transaction. */
function outpointBytes({ txid, vout }: Outpoint): Uint8Array {
  const bytes = new Uint8Array(36);
  bytes.set(displayToHash(txid));
  new DataView(bytes.buffer).setUint32(32, vout, true);
  return bytes;
}

/** A number as a minimal push. */
function pushNumber(value: number): Uint8Array {
  return value >= 1 && value <= 16 ? Uint8Array.of(0x50 + value) : pushData(numberBytes(value));
}

function requireHash(hash: Uint8Array, field: string): void {
  if (!(hash instanceof Uint8Array) || hash.length !== 20) {
    throw new KeyError('key-invalid', field, 'A public key hash has 20 bytes.', { length: lengthOf(hash) });
  }
}
