import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/fetch';
import type { ContractRouterClient } from '@orpc/contract';
import type { Contract } from '../../contract/index.ts';

export type ConsoleClient = ContractRouterClient<Contract>;

interface HttpClientOptions {
  /** Address of the console, e.g. `http://localhost:9400`. */
  url: string;
  /** The token its data folder's lock holds. */
  bearer: string;
  /** Sends a request; left out, the platform's own. */
  fetch?: (request: Request) => Promise<Response>;
}

/**
 * A client of a running console, for other processes of the same user. It is a module of its own, so that a command which only asks a
 * running host need not load the host.
 */
export function createHttpClient({ url, bearer, fetch: send = fetch }: HttpClientOptions): ConsoleClient {
  return createORPCClient<ConsoleClient>(
    new RPCLink({
      url: new URL('/api', url),
      headers: { authorization: `Bearer ${bearer}` },
      fetch: (request) => send(request),
    }),
  );
}
