import { ORPCError } from '@orpc/client';
import { z } from 'zod';
import type { Failure } from '../../contract/index.ts';
import { i18n } from '../i18n/index.ts';
import { client } from './client.ts';

/** The node's codes for what it does not know, and for calls while it starts. */
const UNKNOWN = -5;
const STARTING = -28;

function codeOf(code: number): Failure['code'] {
  if (code === UNKNOWN) return 'not-found';
  return code === STARTING ? 'upstream-error' : 'rejected';
}

/** A node's refusal with its own words, in the shape every failure of the host has. */
export class NodeRefusal extends ORPCError<'FAILED', Failure> {
  constructor(code: number, message: string) {
    const hint = i18n.t(code === UNKNOWN ? 'failure.nodeUnknownHint' : 'failure.nodeRefusedHint');
    const data: Failure = { code: codeOf(code), message: `${message} (${code})`, hint };
    super('FAILED', { defined: true, status: 422, message, data });
  }
}

/**
 * Calls the node through the gateway's rules and reads its answer.
 * @throws NodeRefusal where the node answers with an error
 */
export async function ask<T>(schema: z.ZodType<T>, method: string, ...params: unknown[]): Promise<T> {
  const { result, error } = await client.node.call({ method, params });
  if (error !== null) throw new NodeRefusal(error.code, error.message);
  return schema.parse(result);
}

export const headerSchema = z.object({
  hash: z.string(),
  height: z.number(),
  confirmations: z.number(),
  /** Seconds since 1970-01-01 UTC. */
  time: z.number(),
  num_tx: z.number().optional(),
  size: z.number().optional(),
  merkleroot: z.string(),
  versionHex: z.string().optional(),
  nonce: z.number(),
  difficulty: z.number(),
  previousblockhash: z.string().optional(),
  nextblockhash: z.string().optional(),
});
export type Header = z.infer<typeof headerSchema>;

/** The header of the block at a height of the best chain. */
export async function headerAt(height: number): Promise<Header> {
  return ask(headerSchema, 'getblockheader', await ask(z.string(), 'getblockhash', height), true);
}
