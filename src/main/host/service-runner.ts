import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import {
  PlanchetError,
  type ServiceName,
  type ServiceState,
  type ServiceStatus,
  toFailure,
  withHint,
} from '../../contract/index.ts';
import { Sequencer } from '../async/sequencer.ts';
import { endsWithin } from '../clock.ts';
import type { Clock } from '../ports/clock.ts';
import type { Service, ServiceHealth } from '../ports/service.ts';

/** How long all services together may take to stop. */
const STOP_LIMIT_MS = 5_000;
const HEALTH_INTERVAL_MS = 1_000;

interface Entry {
  readonly service: Service;
  readonly after: readonly ServiceName[];
  status: ServiceStatus;
  /** Resolves when the service has started or failed; services ordered after it wait for this. */
  settled: Promise<void>;
}

export interface ServiceRunnerOptions {
  clock: Clock;
  logger: Logger;
  onStatus: (status: ServiceStatus) => void;
  /** Limit of the whole stop in milliseconds; a test shortens it. */
  stopLimitMs?: number;
}

/**
 * Starts services in the order of their dependencies, in parallel where possible, and stops them in reverse. A service that fails to start
 * does not keep others from starting: they must cope with its failure at any later time too.
 */
export class ServiceRunner {
  readonly #options: ServiceRunnerOptions;
  readonly #entries = new Map<ServiceName, Entry>();
  readonly #restarts = new Sequencer();
  #isStopping = false;
  #cancelHealthTimer = (): void => {};

  constructor(options: ServiceRunnerOptions) {
    this.#options = options;
  }

  /** @param after services that must have started, or failed, before this one */
  add(service: Service, after: readonly ServiceName[] = []): void {
    for (const name of after) {
      if (!this.#entries.has(name))
        throw new Error(`${service.name} is ordered after ${name}, which is not registered before it`);
    }
    const since = this.#options.clock.now();
    const status: ServiceStatus = { name: service.name, status: { state: 'stopped' }, since };
    this.#entries.set(service.name, { service, after, status, settled: Promise.resolve() });
  }

  list(): ServiceStatus[] {
    return [...this.#entries.values()].map((entry) => entry.status);
  }

  get(name: ServiceName): ServiceState {
    return this.#entries.get(name)?.status.status ?? { state: 'stopped' };
  }

  /** Starts every service that is not yet to be stopped; resolves when each runs or has failed. */
  async start(): Promise<void> {
    if (this.#isStopping) return;
    for (const entry of this.#entries.values()) {
      const waits = entry.after.map((name) => this.#entries.get(name)?.settled);
      entry.settled = Promise.all(waits).then(() => this.#startOne(entry));
    }
    this.#watchHealth();
    await Promise.all([...this.#entries.values()].map((entry) => entry.settled));
  }

  /** Stops in reverse order of registration. After the limit it returns and logs which services still run. */
  async stop(): Promise<void> {
    this.#cancelHealthTimer();
    this.#isStopping = true;
    const limit = this.#options.stopLimitMs ?? STOP_LIMIT_MS;
    let late = false;
    const stopAll = async (): Promise<void> => {
      const entries = [...this.#entries.values()];
      // A start under way would end after the stop. One that hangs must not keep the others from stopping.
      const begun = Promise.all([this.#restarts.idle(), ...entries.map(({ settled }) => settled)]);
      await endsWithin(begun, limit / 2);
      for (const entry of entries.reverse()) {
        if (late) return;
        await this.#stopOne(entry);
      }
    };
    if (await endsWithin(stopAll(), limit)) return;
    late = true;
    const running = this.list().filter(({ status }) => status.state === 'running');
    this.#options.logger.error({ services: running.map(({ name }) => name) }, 'services did not stop in time');
  }

  /**
   * Stops and starts one service; once all are being stopped, it is left alone.
   * @throws PlanchetError `not-running` where this network has no such service
   */
  async restart({ name }: { name: ServiceName }): Promise<ServiceStatus> {
    const entry = this.#entries.get(name);
    if (entry === undefined) throw new PlanchetError('host.service-missing', { name });
    await this.#restarts.run(async () => {
      if (this.#isStopping) return;
      await this.#stopOne(entry);
      await this.#startOne(entry);
    });
    return entry.status;
  }

  async #startOne(entry: Entry): Promise<void> {
    if (this.#isStopping) return;
    this.#enter(entry, { state: 'starting' });
    try {
      const { address, warning } = await entry.service.start();
      const health = entry.service.health?.() ?? { warning };
      this.#logHealth(entry, {}, health);
      this.#enter(entry, running(address, health));
    } catch (error) {
      const failure = toFailure(error);
      const { name: service } = entry.service;
      this.#options.logger.error({ err: error, service, code: failure.code }, 'service failed to start');
      this.#enter(entry, { state: 'failed', failure });
    }
  }

  /** Publishes changes of health while services run. */
  #watchHealth(): void {
    this.#cancelHealthTimer = this.#options.clock.after(HEALTH_INTERVAL_MS, () => {
      for (const entry of this.#entries.values()) this.#refresh(entry);
      this.#watchHealth();
    });
  }

  #refresh(entry: Entry): void {
    const { status, since } = entry.status;
    const health = status.state === 'running' ? entry.service.health?.() : undefined;
    if (status.state !== 'running' || health === undefined) return;
    const next = running(status.address, health);
    if (isDeepStrictEqual(next, status)) return;
    this.#logHealth(entry, status, health);
    // A change of the reason or the warning alone is not a new state.
    const isSameState = (health.degraded === undefined) === (status.degraded === undefined);
    entry.status = { ...entry.status, status: next, since: isSameState ? since : this.#options.clock.now() };
    this.#options.onStatus(entry.status);
  }

  #logHealth(entry: Entry, before: ServiceHealth, now: ServiceHealth): void {
    const { logger } = this.#options;
    const service = entry.service.name;
    for (const about of ['warning', 'degraded'] as const) {
      const [text, was] = [now[about], before[about]].map((failure) => failure && withHint(failure));
      if (text === was) continue;
      if (text !== undefined) logger.warn({ service }, text);
      else logger.info({ service, was }, `no longer ${about === 'warning' ? 'warns' : 'degraded'}`);
    }
  }

  async #stopOne(entry: Entry): Promise<void> {
    if (entry.status.status.state === 'stopped') return;
    try {
      await entry.service.stop();
    } catch (error) {
      this.#options.logger.error({ err: error, service: entry.service.name }, 'service failed to stop');
    }
    this.#enter(entry, { state: 'stopped' });
  }

  #enter(entry: Entry, state: ServiceState): void {
    entry.status = { name: entry.service.name, status: state, since: this.#options.clock.now() };
    this.#options.onStatus(entry.status);
  }
}

function running(
  address: string | undefined,
  { warning, degraded, byFault }: ServiceHealth,
): Extract<ServiceState, { state: 'running' }> {
  return {
    state: 'running',
    ...(address ? { address } : {}),
    ...(warning ? { warning } : {}),
    ...(degraded ? { degraded } : {}),
    ...(degraded && byFault ? { byFault } : {}),
  };
}
