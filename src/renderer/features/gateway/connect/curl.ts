import type { GatewayCall, GatewayConnection } from '../../../../contract/index.ts';
import { shellQuote } from '../../../lib/shell-quote.ts';

/**
 * A call as a curl command with the credential of the cookie file.
 * @param params all of the call's parameters, as they were sent
 */
export function curlOf(
  { method, params }: Pick<GatewayCall, 'method' | 'params'>,
  { rpc, cookieFile }: Pick<GatewayConnection, 'rpc' | 'cookieFile'>,
): string {
  const user = `--user "$(cat ${shellQuote(cookieFile)})"`;
  const address = (rpc ?? '').replace(/\/$/, '');
  if (method === 'REST') return `curl ${user} ${shellQuote(`${address}${params}`)}`;
  const body = `{"jsonrpc":"1.0","id":"curl","method":${JSON.stringify(method)},"params":${params || '[]'}}`;
  return `curl ${user} -H 'Content-Type: application/json' --data ${shellQuote(body)} ${shellQuote(`${address}/`)}`;
}
