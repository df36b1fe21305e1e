import type { ConsoleClient } from '../../console/http-client.ts';
import { afterEvent, type Happening, type HostState, unknownHost } from './host-state.ts';

export interface WatchOptions {
  readonly onState: (state: HostState) => void;
  readonly onHappening: (happening: Happening) => void;
}

/** Follows the live events of a host until they end. */
export class HostWatch {
  readonly #options: WatchOptions;
  readonly #abort = new AbortController();
  state: HostState = unknownHost;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  /** Resolves when the host ends or the watch is closed; then nothing is known of the host. @throws what the stream throws */
  async follow(client: ConsoleClient): Promise<void> {
    const { signal } = this.#abort;
    try {
      for await (const event of await client.events.subscribe(undefined, { signal })) {
        const { state, happened } = afterEvent(this.state, event);
        this.#set(state);
        for (const each of happened) this.#options.onHappening(each);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#set(unknownHost);
    }
  }

  close(): void {
    this.#abort.abort();
  }

  #set(state: HostState): void {
    if (state === this.state) return;
    this.state = state;
    this.#options.onState(state);
  }
}
