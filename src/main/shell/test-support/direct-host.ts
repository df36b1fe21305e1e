import { createDirectClient } from '../../console/client.ts';
import type { ConsoleContext } from '../../console/context.ts';
import { type HostPort, serveMessagePort } from '../../console/message-port.ts';
import type { HostLink, HostLinkOptions, OpenHost } from '../host/host-link.ts';

export interface DirectHost {
  readonly open: OpenHost;
  readonly calls: string[];
  /** What the shell opened it with. */
  readonly options: () => HostLinkOptions;
}

/** A host of handlers alone, in the process of the test. */
export function directHost(
  context: ConsoleContext,
  own: Partial<Pick<HostLink, 'start' | 'stop'>> & { create?: () => Promise<void> } = {},
): DirectHost {
  const calls: string[] = [];
  let given: HostLinkOptions | undefined;
  const open: OpenHost = async (options) => {
    given = options;
    calls.push('create');
    await own.create?.();
    return {
      client: createDirectClient(context),
      serve: (port) => serveMessagePort(port as unknown as HostPort, context),
      log: (level, text, fields) => context.logger[level](fields, text),
      sleep: () => void calls.push('sleep'),
      start: async () => {
        calls.push('start');
        await own.start?.();
      },
      stop: async () => {
        calls.push('stop');
        await own.stop?.();
      },
    };
  };
  return {
    open,
    calls,
    options: () => {
      if (given === undefined) throw new Error('no host was opened');
      return given;
    },
  };
}
