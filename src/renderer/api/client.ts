import { createORPCClient, DynamicLink } from '@orpc/client';
import { RPCLink as FetchLink } from '@orpc/client/fetch';
import type { RPCLink as PortLink } from '@orpc/client/message-port';
import type { ContractRouterClient } from '@orpc/contract';
import { createTanstackQueryUtils } from '@orpc/tanstack-query';
import type { Contract } from '../../contract/index.ts';
import { useConnection } from './connection/connection.ts';
import { PORT_MESSAGE } from './connection/port.ts';
import { signIn } from './connection/session.ts';

export type Client = ContractRouterClient<Contract>;
type Link = FetchLink<Record<never, never>> | PortLink<Record<never, never>>;

/**
 * The desktop window loads from its own scheme, or from the development server during development. Everything else is a
 * browser.
 */
export const inDesktop =
  location.protocol === 'planchet:' || (import.meta.env.DEV && navigator.userAgent.includes('Electron/'));

/** In the desktop window the preload passes a MessagePort. A later one, after the host side reloads, replaces the first. */
function portLink(): () => Promise<Link> {
  let { promise, resolve } = Promise.withResolvers<Link>();
  let settled = false;
  window.addEventListener('message', (event) => {
    const port = event.ports[0];
    if (event.source !== window || event.data !== PORT_MESSAGE || port === undefined) return;
    // Imported on demand, since a browser uses HTTP and does not need it.
    const link = import('@orpc/client/message-port').then(({ RPCLink }) => {
      port.start();
      return new RPCLink<Record<never, never>>({ port });
    });
    if (settled) promise = link;
    else resolve(link);
    settled = true;
  });
  return () => promise;
}

function fetchLink(): () => Promise<Link> {
  const link = new FetchLink<Record<never, never>>({
    url: `${location.origin}/api`,
    fetch: async (request, init) => {
      const session = signIn();
      await session;
      const response = await fetch(request, init);
      // A refusal that arrives after another link was opened does not concern its session.
      if (response.status === 401 && session === signIn()) useConnection.setState({ phase: 'unauthorized' });
      return response;
    },
  });
  return () => Promise.resolve(link);
}

const currentLink = inDesktop ? portLink() : fetchLink();

/** The typed client of the page, over either transport. */
export const client: Client = createORPCClient<Client>(new DynamicLink(currentLink));

/** The same as options for react-query: `api.projects.list.queryOptions()`. */
export const api = createTanstackQueryUtils(client);
