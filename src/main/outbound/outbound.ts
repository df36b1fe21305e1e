import { type Dispatcher, ProxyAgent, Socks5ProxyAgent } from 'undici';
import type { Outbound } from '../ports/outbound.ts';

/** Addresses of this machine, which no proxy reaches. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
/** A circuit of Tor takes some seconds. */
const CONNECT_TIMEOUT_MS = 30_000;

/** Sends requests to other machines through the proxy of the setting `outboundProxy`. The proxy resolves names, so none is looked up here. */
export class OutboundProxy {
  readonly #setting: () => string;
  #agent: { readonly address: string; readonly dispatcher: Dispatcher } | undefined;

  /** @param setting its value; empty for no proxy */
  constructor(setting: () => string) {
    this.#setting = setting;
  }

  /** See {@link Outbound}. */
  readonly via: Outbound = (url) => {
    const address = this.#setting();
    if (address === '' || LOOPBACK.test(new URL(url).hostname)) return undefined;
    if (this.#agent?.address !== address) {
      void this.#agent?.dispatcher.close();
      this.#agent = { address, dispatcher: agentOf(address) };
    }
    return this.#agent.dispatcher;
  };

  async close(): Promise<void> {
    await this.#agent?.dispatcher.destroy();
    this.#agent = undefined;
  }
}

function agentOf(address: string): Dispatcher {
  if (address.startsWith('socks5:')) return new Socks5ProxyAgent(address, { connectTimeout: CONNECT_TIMEOUT_MS });
  // also plain HTTP is sent through a tunnel, so that the proxy learns no path
  return new ProxyAgent({ uri: address, proxyTunnel: true });
}
