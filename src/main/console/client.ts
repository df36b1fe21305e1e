import { createRouterClient } from '@orpc/server';
import type { ConsoleContext } from './context.ts';
import type { ConsoleClient } from './http-client.ts';
import { router } from './router.ts';

/** A client of handlers in the same process: the same validation and the same failures as over a transport. */
export function createDirectClient(context: ConsoleContext): ConsoleClient {
  return createRouterClient(router, { context });
}
