import { PlanchetError } from '../../contract/index.ts';
import type { Client } from './run.ts';

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
 * One call through the gateway's rules.
 * @throws PlanchetError `upstream-error` with the node's own code and message
 */
export async function runRpc(client: Client, method: string, params: unknown[]): Promise<unknown> {
  const { result, error } = await client.node.call({ method, params });
  if (error === null) return result;
  throw new PlanchetError('upstream-error', `${error.message} (code ${error.code})`, {
    hint: error.code === -32601 ? 'Run "planchet rpc help" for the commands of the gateway.' : undefined,
    detail: { code: error.code },
  });
}
