import { type AnswerBasis, PlanchetError } from '../../contract/index.ts';
import type { Client } from './shared/run.ts';

/** JSON-RPC's own code. */
const METHOD_NOT_FOUND = -32601;

/** Reads each parameter as JSON where it is JSON, else as text: `true`, `5`, `["a"]`, but also a bare txid. */
export function parseRpcParams(params: readonly string[]): unknown[] {
  return params.map((text) => {
    // A hash made of digits alone must stay text: as a number it would lose its value.
    if (/^\d{16,}$/.test(text)) return text;
    try {
      return JSON.parse(text) as unknown;
    } catch {
      return text;
    }
  });
}

/**
 * One call through the gateway's rules, and what its answer rests on where no node gave it.
 * @throws PlanchetError `upstream-error` with the node's own code and message
 */
export async function runRpc(
  client: Client,
  method: string,
  params: unknown[],
): Promise<{ result: unknown; basis: AnswerBasis | undefined }> {
  const { result, error, basis } = await client.node.call({ method, params });
  if (error === null) return { result, basis };
  throw new PlanchetError(
    error.code === METHOD_NOT_FOUND ? 'cli.rpc-unknown-method' : 'cli.rpc-failed',
    { reason: error.message, number: error.code },
    { detail: { code: error.code } },
  );
}
