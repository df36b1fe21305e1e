import { PlanchetError, toFailure } from '../../contract/index.ts';
import { Sequencer } from '../async/sequencer.ts';
import { systemClock } from '../clock.ts';
import { SettingsStore } from '../settings/settings-store.ts';
import { createHost, type Host, type HostOptions } from './host.ts';

/**
 * Hosts that follow each other in one process, on one data folder: where another network is chosen, the running host ends and one for that
 * network starts. Browsers stay signed in and find it at the same address.
 */
export class HostSeries {
  readonly #options: HostOptions;
  #host: Host;
  readonly #change = new Sequencer();
  readonly #lost = Promise.withResolvers<never>();
  #isStopped = false;

  private constructor(options: HostOptions, host: Host) {
    this.#options = options;
    this.#host = host;
    this.#lost.promise.catch(() => undefined);
  }

  /** Builds the first host; it does not run yet. @throws PlanchetError as `createHost` does */
  static async create(options: HostOptions): Promise<HostSeries> {
    let series: HostSeries | undefined;
    const all = { ...options, restart: () => series?.restart() };
    series = new HostSeries(all, await createHost(all));
    return series;
  }

  get host(): Host {
    return this.#host;
  }

  /** Rejects if no host runs any more: after one ended, neither the next one nor the same one could be built. */
  get lost(): Promise<never> {
    return this.#lost.promise;
  }

  /** Ends the host and starts one with the settings as they are saved. */
  restart(): void {
    void this.#change.run(() => (this.#isStopped ? undefined : this.#replace())).catch(this.#lost.reject);
  }

  /** Stops the current host; none follows. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#change.idle();
    await this.#host.stop();
  }

  /** @throws PlanchetError where the host before cannot be built again either */
  async #replace(): Promise<void> {
    const before = this.#host;
    const { network, endpoints } = before.info();
    const overrides = { ...this.#options.overrides };
    // A port that the system chose is kept, or an open page would not find the next host.
    if (endpoints.console !== null) overrides.consoleAddress = new URL(endpoints.console).host;
    const next: HostOptions = { ...this.#options, overrides, sessions: before.sessions };
    await before.stop();
    try {
      this.#host = await createHost(next);
    } catch (error) {
      new SettingsStore({ dataDir: next.dataDir, clock: next.clock ?? systemClock }).set('network', network);
      const notice = new PlanchetError('notices.network-kept', { reason: [toFailure(error)] }).toFailure();
      this.#host = await createHost({ ...next, notice });
    }
    await this.#host.start();
  }
}
