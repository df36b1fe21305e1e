import { readFileSync } from 'node:fs';
import type { RunningHost } from './host.ts';

/** Where the gateway listens now: another test of the host may have restarted it, which gives it another port. */
export async function rpcAddress(host: RunningHost): Promise<string> {
  const { endpoints } = await host.client().app.info();
  return endpoints.rpc as string;
}

interface Posted {
  /** `name:password`; those of the cookie file unless given. */
  login?: string;
  headers?: Record<string, string>;
  /** Gives the call up. */
  signal?: AbortSignal;
}

/** Posts to the gateway as another program would, on a connection of its own: a gateway that was restarted has closed the earlier ones. */
export async function postRpc(
  host: RunningHost,
  body: string,
  { login, headers, signal }: Posted = {},
): Promise<Response> {
  const credential = login ?? readFileSync(host.ready.rpcCookieFile, 'utf8').trim();
  const authorization = `Basic ${Buffer.from(credential).toString('base64')}`;
  return fetch(await rpcAddress(host), {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'close', authorization, ...headers },
    body,
    ...(signal && { signal }),
  });
}
