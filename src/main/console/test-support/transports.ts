import { MessageChannel } from 'node:worker_threads';
import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import { expect } from 'vitest';
import { type Settings, settingsSchema } from '../../../contract/index.ts';
import { systemClock } from '../../clock.ts';
import { Described } from '../../open-api/test-support/described.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SettingsView } from '../../ports/settings.ts';
import { createDirectClient } from '../client.ts';
import type { ConsoleContext } from '../context.ts';
import { ConsoleServer } from '../http/http.ts';
import { type ConsoleClient, createHttpClient } from '../http-client.ts';
import { serveMessagePort } from '../message-port.ts';
import { consoleDocument } from '../openapi.ts';
import { Sessions } from '../sessions.ts';
import { createFakeHost, type FakeHost } from './fake-host.ts';

export const CLI_TOKEN = 'cli-token-of-the-tests';

/** One way from a client to the handlers. */
export interface Transport {
  connect(): ConsoleClient;
  close(): Promise<void>;
}

/** What crossed the wire in tests over HTTP is held against the document. */
export const described = new Described(consoleDocument());

/** Calls as a client does. Streams of events are passed on as they come. */
async function describedFetch(request: Request): Promise<Response> {
  const sent = await contentOf(request);
  const response = await fetch(request);
  const contentType = response.headers.get('content-type') ?? '';
  const isStream = contentType.startsWith('text/event-stream');
  const text = isStream ? '' : await response.clone().text();
  const content = await contentOf(response);
  const { pathname } = new URL(request.url);
  const exchange = {
    method: request.method,
    path: pathname,
    sent,
    status: response.status,
    contentType,
    text,
    ...(content instanceof FormData && { form: content }),
  };
  expect(described.hold(exchange), `${pathname} is described`).toBe(true);
  return response;
}

/** The body where it is JSON or a form. */
async function contentOf(message: Request | Response): Promise<unknown> {
  const type = message.headers.get('content-type') ?? '';
  if (type.startsWith('application/json')) return message.clone().json();
  return type.startsWith('multipart/form-data') ? message.clone().formData() : undefined;
}

export function settingsWith(changes: Partial<Settings>): SettingsView {
  const settings = settingsSchema.parse(changes);
  return { current: () => settings, onChange: () => () => {} };
}

export function createServer(
  context: ConsoleContext,
  options: { consoleAddress?: string; debugServer?: boolean; rendererDir?: string; clock?: Clock } = {},
): ConsoleServer {
  const sessions = new Sessions(options.clock ?? systemClock);
  return new ConsoleServer({
    settings: settingsWith({
      consoleAddress: options.consoleAddress ?? '127.0.0.1:0',
      debugServer: options.debugServer ?? false,
    }),
    context: { ...context, sessions },
    cliToken: CLI_TOKEN,
    documents: async (address) => ({ console: consoleDocument(address) }),
    rendererDir: options.rendererDir ?? '/nonexistent',
    sessions,
    clock: options.clock ?? systemClock,
    logger: context.logger,
  });
}

export const transports: Readonly<Record<string, (context: ConsoleContext) => Promise<Transport>>> = {
  async http(context) {
    const server = createServer(context);
    const { address } = await server.start();
    return {
      connect: () => createHttpClient({ url: address, bearer: CLI_TOKEN, fetch: describedFetch }),
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

/** A host of fakes, and a client of it over the named transport. */
export async function connectFake(
  name: string,
): Promise<{ host: FakeHost; transport: Transport; client: ConsoleClient }> {
  const host = createFakeHost();
  const transport = await (transports[name] as (typeof transports)[string])(host.context);
  return { host, transport, client: transport.connect() };
}
