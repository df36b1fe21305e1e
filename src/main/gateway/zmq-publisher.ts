import { setTimeout as delay } from 'node:timers/promises';
import { Publisher } from 'zeromq';
import { PlanchetError } from '../../contract/index.ts';
import { listenFailure, parseBind, refuseRemote } from '../local-server.ts';

/** Messages a slow subscriber may lag behind before it, and it alone, misses some. */
export const HIGH_WATER_MARK = 100_000;
/**
 * How long what is under way may take once the port closes. Never 0: a subscriber that leaves in the middle of a message while its queue is
 * thrown away makes libzmq end the process (session_base.cpp, clean_pipes).
 */
const LINGER_MS = 200;
const PORT_ATTEMPTS = 10;
const FREEING_ATTEMPTS = 10;
const FREEING_MS = 20;

/**
 * Binds the address of `zmqAddress`.
 * @throws PlanchetError `port-in-use`, `bind-refused`
 */
export async function bindPublisher(
  setting: string,
  allowRemote: boolean,
): Promise<{ publisher: Publisher; address: string }> {
  const bind = parseBind(setting.replace(/^tcp:\/\//, ''));
  const fix = 'Set a user name and password of your own for the gateway first, with rpcUsername and rpcPassword.';
  refuseRemote(bind, 'zmqAddress', allowRemote, fix);
  for (let attempt = 1; ; attempt++) {
    const ipv6 = bind.hosts.some((host) => host.includes(':'));
    const publisher = new Publisher({
      linger: LINGER_MS,
      ipv6,
      sendHighWaterMark: HIGH_WATER_MARK,
      // sending never waits for a subscriber
      sendTimeout: 0,
    });
    let port = bind.port;
    let bound = 0;
    try {
      for (const host of bind.hosts) {
        try {
          port = await bindOne(publisher, host, port);
          bound += 1;
        } catch (error) {
          if (bound > 0 && isMissingAddress(error)) continue;
          throw listenFailure(error, host, port, 'zmqAddress', `tcp://:${port >= 65_535 ? 0 : port + 1}`);
        }
      }
    } catch (error) {
      publisher.close();
      const luckless = bind.port === 0 && error instanceof PlanchetError && error.code === 'port-in-use';
      if (luckless && attempt < PORT_ATTEMPTS) continue;
      throw error;
    }
    const first = bind.hosts[0] as string;
    const shown = ['0.0.0.0', '::', '*'].includes(first) ? '127.0.0.1' : first.includes(':') ? `[${first}]` : first;
    return { publisher, address: `tcp://${shown}:${port}` };
  }
}

async function bindOne(publisher: Publisher, host: string, port: number): Promise<number> {
  const address = `tcp://${host.includes(':') ? `[${host}]` : host}:${port}`;
  for (let attempt = 1; ; attempt++) {
    try {
      await publisher.bind(address);
      return Number(/:(\d+)$/.exec(publisher.lastEndpoint ?? '')?.[1] ?? port);
    } catch (error) {
      // A port that was closed a moment ago is freed by a thread of libzmq, which nothing tells of.
      const taken = (error as { code?: string } | null)?.code === 'EADDRINUSE';
      if (!taken || port === 0 || attempt >= FREEING_ATTEMPTS) throw error;
      await delay(FREEING_MS);
    }
  }
}

function isMissingAddress(error: unknown): boolean {
  const code = (error as { code?: string } | null)?.code;
  return code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT' || code === 'ENODEV';
}
