import { readFileSync } from 'node:fs';
import type { RunningHost } from './host.ts';

/** The current address of the gateway. Another test of the host may have restarted it on another port. */
export async function rpcAddress(host: RunningHost): Promise<string> {
  const { endpoints } = await host.client().app.info();
  return endpoints.rpc as string;
}

interface Posted {
  /** `name:password`; those of the cookie file unless given. */
  login?: string;
  headers?: Record<string, string>;
  /** Cancels the call. */
  signal?: AbortSignal;
}

/** Posts to the gateway as another program would, on a new connection: a restarted gateway has closed the earlier ones. */
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
