import { z } from 'zod';
import {
  concatBytes,
  leadingP2pkh,
  p2pkhScript,
  parseScript,
  pushData,
  type Sentence,
  sentence,
  sentenceOf,
} from '../../chain/index.ts';
import { SchemaError, SymbolError } from '../errors.ts';
import type { ScriptLike } from '../parameters/params.ts';
import { isSymbol } from '../values/symbol.ts';
import { guarded, requireScript } from '../values/values.ts';
import { requireJson } from './json.ts';

const text = (most: number) => z.string().max(most);
const positive = z.number().int().positive().max(Number.MAX_SAFE_INTEGER);

const properties = z.looseObject({
  issuer: z
    .looseObject({
      organisation: z.string(),
      legalForm: z.string(),
      governingLaw: z.string(),
      mailingAddress: z.string(),
      issuerCountry: z.string(),
      jurisdiction: z.string(),
      email: z.string(),
    })
    .partial()
    .optional(),
  meta: z
    .looseObject({
      schemaId: z.string(),
      website: z.string(),
      legal: z.looseObject({ terms: text(20_000).optional() }),
      media: z.array(z.looseObject({ URI: z.string(), type: z.string(), altURI: z.string() }).partial()),
    })
    .partial()
    .optional(),
});

/** Description of a token in its contract. Unknown keys are preserved. */
export const tokenSchema = z.looseObject({
  /** 1 to 128 letters, digits, "_" or "-". */
  symbol: z.string().refine(isSymbol, 'A symbol has 1 to 128 letters, digits, "_" or "-".'),
  satsPerToken: positive,
  /** The issuer's public key hash, 40 hex digits. Every token is redeemed to it. */
  tokenId: z.string().regex(/^[0-9a-f]{40}$/, 'A token id is a public key hash: 40 lower-case hex digits.'),
  /** Total number of tokens, as declared by the issuer. */
  totalSupply: positive,
  name: text(32).optional(),
  description: text(512).optional(),
  image: text(512).optional(),
  decimals: z.number().int().min(0).max(8).optional(),
  properties: properties.optional(),
});

export type TokenSchema = z.infer<typeof tokenSchema>;

export interface ContractFields {
  /** The issuer's public key hash, 20 bytes. */
  readonly issuer: Uint8Array;
  readonly schema: TokenSchema;
}

const RETURN = Uint8Array.of(0x6a);
const P2PKH_LENGTH = 25;

/**
 * Validates a schema: its fields, and that JSON preserves all of it.
 * @throws TokenError `schema-invalid` (or `symbol-invalid`) naming the first invalid field.
 */
export function parseSchema(schema: unknown): TokenSchema {
  if (schema === null || schema === undefined) throw new SchemaError('schema-invalid', 'schema', 'schema is missing.');
  return guarded('schema', () => {
    checked(schema);
    requireJson(schema, 'schema');
    return checked(JSON.parse(JSON.stringify(schema)));
  });
}

/** The problem of a value; zod's own message if there is no sentence for it. */
function whyOf(issue: z.core.$ZodIssue): Sentence {
  if (issue.code === 'too_big' && issue.origin === 'string')
    return sentence('at most {most} characters are allowed', { most: Number(issue.maximum) });
  if (issue.code === 'too_big') return sentence('at most {most} is allowed', { most: Number(issue.maximum) });
  if (issue.code === 'too_small')
    return issue.inclusive === false
      ? sentence('more than {least} is needed', { least: Number(issue.minimum) })
      : sentence('at least {least} is needed', { least: Number(issue.minimum) });
  if (issue.code === 'invalid_type') return sentence('it has to be of the type {type}', { type: issue.expected });
  return sentenceOf(issue.message, {});
}

function checked(schema: unknown): TokenSchema {
  const result = tokenSchema.safeParse(schema);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const path = issue?.path.map(String).join('.') ?? '';
  const field = path === '' ? 'schema' : `schema.${path}`;
  const why = issue === undefined ? sentence('it is not valid') : whyOf(issue);
  const message = sentence('The schema cannot be used: {field}: {why}', { field, why });
  if (path === 'symbol') throw new SymbolError('symbol-invalid', field, message);
  throw new SchemaError('schema-invalid', field, message);
}

/** A contract's locking script: P2PKH to the issuer, OP_RETURN, the schema as JSON. */
export function contractScript(issuer: Uint8Array, schema: TokenSchema): Uint8Array {
  const json = new TextEncoder().encode(JSON.stringify(schema));
  return concatBytes(p2pkhScript(issuer), RETURN, pushData(json));
}

/** JSON of more may come from anybody: its values would take many times its bytes. */
const MAX_SCHEMA_BYTES = 1_048_576;

/**
 * Decodes a contract's locking script; undefined for any other script or an invalid schema.
 * @throws TokenError `parameter-missing`, `parameter-invalid` if it is not a script
 */
export function decodeContract(lockingScript: ScriptLike): ContractFields | undefined {
  const script = requireScript(lockingScript);
  const issuer = leadingP2pkh(script);
  if (issuer === undefined || script[P2PKH_LENGTH] !== RETURN[0]) return undefined;
  const { chunks, ok } = parseScript(script.subarray(P2PKH_LENGTH + 1));
  const json = chunks[0]?.data;
  if (!ok || chunks.length !== 1 || json === undefined || json.length > MAX_SCHEMA_BYTES) return undefined;
  try {
    const schema = tokenSchema.safeParse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(json)));
    return schema.success ? { issuer, schema: schema.data } : undefined;
  } catch {
    return undefined;
  }
}
