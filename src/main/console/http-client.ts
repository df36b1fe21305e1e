import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/fetch';
import type { ContractRouterClient } from '@orpc/contract';
import type { Contract } from '../../contract/index.ts';

export type ConsoleClient = ContractRouterClient<Contract>;

/**
 * A client of a running console, for other processes of the same user. It is a module of its own, so that a command which only asks a
 * running host need not load the host.
 * @param url address of the console, e.g. `http://localhost:9400`
 * @param bearer the token its data folder's lock holds
 * @param fetch sends a request; left out, the platform's own
 */
export function createHttpClient({
  url,
  bearer,
  fetch: send = fetch,
}: {
  url: string;
  bearer: string;
  fetch?: (request: Request) => Promise<Response>;
}): ConsoleClient {
  return createORPCClient<ConsoleClient>(
    new RPCLink({
      url: new URL('/api', url),
      headers: { authorization: `Bearer ${bearer}` },
      fetch: (request) => send(request),
    }),
  );
}
