import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { type Failure, PlanchetError, type ServiceName, type ServiceStatus } from '../../contract/index.ts';
import { HandClock } from '../gateway/test-support/hand-clock.ts';
import type { Service, ServiceHealth } from '../ports/service.ts';
import { ServiceRunner } from './service-runner.ts';

const saying = (message: string): Failure => ({ code: 'upstream-error', message });

const logger = pino({ level: 'silent' });

function runner(stopLimitMs = 500): { services: ServiceRunner; seen: ServiceStatus[]; clock: HandClock } {
  const seen: ServiceStatus[] = [];
  const clock = new HandClock();
  const services = new ServiceRunner({
    clock,
    logger,
    onStatus: (status) => seen.push(status),
    stopLimitMs,
  });
  return { services, seen, clock };
}

function service(
  name: ServiceName,
  log: string[],
  behaviour: { start?: () => Promise<void>; stop?: () => Promise<void> } = {},
): Service {
  return {
    name,
    start: async () => {
      await behaviour.start?.();
      log.push(`+${name}`);
      return { address: `at ${name}` };
    },
    stop: async () => {
      await behaviour.stop?.();
      log.push(`-${name}`);
    },
  };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('services', () => {
  it('start in the order of their dependencies and stop in reverse', async () => {
    const log: string[] = [];
    const { services } = runner();
    services.add(service('sandbox', log, { start: () => pause(30) }));
    services.add(service('wallet', log, { start: () => pause(10) }), ['sandbox']);
    services.add(service('console', log), ['wallet']);
    await services.start();
    await services.stop();
    expect(log).toEqual(['+sandbox', '+wallet', '+console', '-console', '-wallet', '-sandbox']);
    expect(services.list().map(({ status }) => status.state)).toEqual(['stopped', 'stopped', 'stopped']);
  });

  it('that fail say why and how to mend it, and the rest runs', async () => {
    const log: string[] = [];
    const { services, seen } = runner();
    const failure = new PlanchetError({ code: 'port-in-use', message: 'Port 8332 is taken.', hint: 'Set rpcBind.' });
    services.add(service('gateway', log, { start: () => Promise.reject(failure) }));
    services.add(service('zmq', log), ['gateway']);
    await services.start();
    expect(services.get('gateway')).toEqual({ state: 'failed', failure: failure.toFailure() });
    expect(services.get('zmq')).toEqual({ state: 'running', address: 'at zmq' });
    expect(seen.filter(({ name }) => name === 'gateway').map(({ status }) => status.state)).toEqual([
      'starting',
      'failed',
    ]);
    await services.stop();
  });

  it('never show the text of an unknown exception', async () => {
    const { services } = runner();
    services.add(service('gateway', [], { start: () => Promise.reject(new Error('secret inner text')) }));
    await services.start();
    expect(JSON.stringify(services.get('gateway'))).not.toContain('secret inner text');
  });

  it('that run show what has changed since, each change once, and nothing once they are stopped', async () => {
    const { services, seen, clock } = runner();
    let health: ServiceHealth = { warning: saying('unchecked') };
    services.add({ ...service('gateway', []), health: () => health });
    await services.start();
    const running = { state: 'running', address: 'at gateway' };
    expect(services.get('gateway')).toEqual({ ...running, warning: saying('unchecked') });
    health = { degraded: saying('cut off') };
    for (let second = 0; second < 3; second++) await clock.pass(1_000);
    expect(seen.slice(-1)).toMatchObject([{ name: 'gateway', status: { ...running, degraded: saying('cut off') } }]);
    expect(seen.map(({ status }) => status.state)).toEqual(['starting', 'running', 'running']);
    health = {};
    await clock.pass(1_000);
    expect(services.get('gateway')).toEqual(running);
    await services.stop();
    health = { degraded: saying('too late') };
    await clock.pass(1_000);
    expect(services.get('gateway')).toEqual({ state: 'stopped' });
    expect(clock.waiting).toBe(0);
  });

  it('tell when they became degraded and when they recovered, not when they started', async () => {
    const { services, clock } = runner();
    let health: ServiceHealth = {};
    services.add({ ...service('gateway', []), health: () => health });
    const since = (): number => (services.list()[0] as ServiceStatus).since;
    await services.start();
    const started = since();
    await clock.pass(60_000);
    expect(since()).toBe(started);
    health = { degraded: saying('cut off') };
    await clock.pass(1_000);
    expect(since()).toBe(started + 61_000);
    health = { degraded: saying('cut off for another reason'), warning: saying('unchecked') };
    await clock.pass(10_000);
    expect(since()).toBe(started + 61_000);
    health = {};
    await clock.pass(1_000);
    expect(since()).toBe(started + 72_000);
    await services.stop();
  });

  it('restart one at a time', async () => {
    const log: string[] = [];
    const { services } = runner();
    services.add(service('gateway', log, { start: () => pause(10) }));
    await services.start();
    await Promise.all([services.restart({ name: 'gateway' }), services.restart({ name: 'gateway' })]);
    expect(log).toEqual(['+gateway', '-gateway', '+gateway', '-gateway', '+gateway']);
    await expect(services.restart({ name: 'zmq' })).rejects.toMatchObject({ code: 'not-running' });
  });

  it('are stopped for good while one of them restarts', async () => {
    const log: string[] = [];
    const { services } = runner(5_000);
    const begun = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    let starts = 0;
    const start = async (): Promise<void> => {
      starts += 1;
      if (starts === 1) return;
      begun.resolve();
      await held.promise;
    };
    services.add(service('gateway', log, { start }));
    await services.start();
    const restart = services.restart({ name: 'gateway' });
    await begun.promise;
    const next = services.restart({ name: 'gateway' });
    const stopped = services.stop();
    held.resolve();
    await Promise.all([restart, next, stopped]);
    expect(log).toEqual(['+gateway', '-gateway', '+gateway', '-gateway']);
    expect(services.get('gateway')).toEqual({ state: 'stopped' });
  });

  it('start no more once they are being stopped, and those under way are stopped', async () => {
    const log: string[] = [];
    const { services, clock } = runner(5_000);
    const begun = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const start = (): Promise<void> => {
      begun.resolve();
      return held.promise;
    };
    services.add(service('sandbox', log, { start }));
    services.add(service('wallet', log), ['sandbox']);
    const started = services.start();
    await begun.promise;
    const stopped = services.stop();
    held.resolve();
    await Promise.all([started, stopped]);
    await services.start();
    expect(log).toEqual(['+sandbox', '-sandbox']);
    expect(services.list().map(({ status }) => status.state)).toEqual(['stopped', 'stopped']);
    expect(clock.waiting).toBe(0);
  });

  it('that hang do not hold up the stop past its limit', async () => {
    const { services } = runner(50);
    services.add(service('gateway', [], { stop: () => new Promise(() => {}) }));
    await services.start();
    await services.stop();
  });

  it('refuse an order that names a service registered later', () => {
    const { services } = runner();
    expect(() => services.add(service('wallet', []), ['sandbox'])).toThrow(/sandbox/);
  });
});
