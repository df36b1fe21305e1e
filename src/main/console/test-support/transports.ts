import { MessageChannel } from 'node:worker_threads';
import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import { type Settings, settingsSchema } from '../../../contract/index.ts';
import { systemClock } from '../../clock.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SettingsView } from '../../ports/settings.ts';
import { createDirectClient } from '../client.ts';
import type { ConsoleContext } from '../context.ts';
import { ConsoleServer } from '../http.ts';
import { type ConsoleClient, createHttpClient } from '../http-client.ts';
import { serveMessagePort } from '../message-port.ts';
import { Sessions } from '../sessions.ts';

export const CLI_TOKEN = 'cli-token-of-the-tests';

/** One way from a client to the handlers. */
export interface Transport {
  connect(): ConsoleClient;
  close(): Promise<void>;
}

export function settingsWith(changes: Partial<Settings>): SettingsView {
  const settings = settingsSchema.parse(changes);
  return { current: () => settings, onChange: () => () => {} };
}

export function createServer(
  context: ConsoleContext,
  options: { consoleAddress?: string; debugServer?: boolean; rendererDir?: string; clock?: Clock } = {},
): ConsoleServer {
  return new ConsoleServer({
    settings: settingsWith({
      consoleAddress: options.consoleAddress ?? '127.0.0.1:0',
      debugServer: options.debugServer ?? false,
    }),
    context,
    cliToken: CLI_TOKEN,
    rendererDir: options.rendererDir ?? '/nonexistent',
    sessions: new Sessions(options.clock ?? systemClock),
    clock: options.clock ?? systemClock,
    logger: context.logger,
  });
}

export const transports: Readonly<Record<string, (context: ConsoleContext) => Promise<Transport>>> = {
  async http(context) {
    const server = createServer(context);
    const { address } = await server.start();
    return {
      connect: () => createHttpClient({ url: address, bearer: CLI_TOKEN }),
      close: () => server.stop(),
    };
  },

  async 'message port'(context) {
    const closers: (() => void)[] = [];
    return {
      connect: () => {
        const { port1, port2 } = new MessageChannel();
        closers.push(serveMessagePort(port1, context));
        const client = createORPCClient<ConsoleClient>(new RPCLink({ port: port2 }));
        port2.start();
        return client;
      },
      close: async () => {
        for (const close of closers) close();
      },
    };
  },

  async 'direct call'(context) {
    return { connect: () => createDirectClient(context), close: async () => {} };
  },
};
