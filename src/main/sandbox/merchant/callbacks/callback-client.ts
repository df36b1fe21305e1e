import type { Agent } from 'undici';
import { namesPrivateHost, publicLookup } from '../../../http/public-hosts.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { SettingsView } from '../../../ports/settings.ts';

/** Maximum bytes read of a response; reading it to its end frees the connection. */
const READ_BYTES = 16_384;

export interface CallbackRequest {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array;
  readonly timeoutMs: number;
}

/** Why a callback was not delivered. */
export interface CallbackFailure {
  readonly text: string;
  /** Whether the receiver answered at all. */
  readonly answered: boolean;
}

/** Sends callbacks; only to public receivers if the setting `sandbox.refusePrivateCallbacks` is on. */
export class CallbackClient {
  readonly #clock: Clock;
  readonly #settings: SettingsView;
  readonly #connections: number;
  /** Made with the first callback: the library is as large as the rest of the sandbox. */
  #agents: { readonly any: Agent; readonly public: Agent } | undefined;
  readonly #stop = new AbortController();

  /** @param connections maximum number of concurrent connections to one receiver */
  constructor(options: { clock: Clock; settings: SettingsView }, connections: number) {
    this.#clock = options.clock;
    this.#settings = options.settings;
    this.#connections = connections;
  }

  /** Whether {@link stop} was called. */
  get stopped(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Aborts what is being sent; {@link close} follows once its senders have ended. */
  stop(): void {
    this.#stop.abort();
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.#agents ?? {}).map((agent) => agent.destroy()));
  }

  /** @returns undefined if the receiver answered with 2xx */
  async post({ url, headers, body, timeoutMs }: CallbackRequest): Promise<CallbackFailure | undefined> {
    const refusePrivate = this.#settings.current().sandbox.refusePrivateCallbacks;
    // names are checked when they are resolved; literal addresses are not, and the setting may be newer than the message
    if (refusePrivate && namesPrivateHost(new URL(url))) {
      return { text: 'callbackUrl is a private address', answered: true };
    }
    const { Agent, request } = await import('undici');
    const connections = this.#connections;
    this.#agents ??= {
      any: new Agent({ connections }),
      public: new Agent({ connections, connect: { lookup: publicLookup } }),
    };
    const dispatcher = refusePrivate ? this.#agents.public : this.#agents.any;
    const late = new AbortController();
    const endWait = this.#clock.after(timeoutMs, () => late.abort(new Error(`gave no answer within ${timeoutMs} ms`)));
    const signal = AbortSignal.any([this.#stop.signal, late.signal]);
    try {
      const answer = await request(url, { method: 'POST', headers, body, dispatcher, signal });
      await answer.body.dump({ limit: READ_BYTES, signal });
      const { statusCode } = answer;
      if (statusCode >= 200 && statusCode < 300) return undefined;
      return { text: `answered ${statusCode}`, answered: true };
    } catch (error) {
      return { text: error instanceof Error ? error.message : 'unknown', answered: false };
    } finally {
      endWait();
    }
  }
}
