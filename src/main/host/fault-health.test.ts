import { expect, it } from 'vitest';
import { PlanchetError, type SandboxFault, type ServiceName } from '../../contract/index.ts';
import { oneHost } from '../test-support/hosts/one-host.ts';
import { until } from '../test-support/hosts/open-host.ts';
import { explainedByFaults } from './fault-health.ts';

const { open } = oneHost();

it('the health says of the sandbox and of the gateway that a fault is why they are degraded, since it began', {
  tags: 'long',
}, async () => {
  const { client } = await open();
  const reached = (name: ServiceName, isDegraded: boolean) =>
    until(async () => {
      const { services } = await client.app.snapshot();
      const service = services.find((one) => one.name === name);
      const status = service?.status.state === 'running' ? service.status : undefined;
      return (
        service !== undefined &&
        status !== undefined &&
        (status.degraded !== undefined) === isDegraded && { ...status, ...service }
      );
    });
  const { since: startedAt } = await reached('sandbox', false);
  const [fault] = await client.sandbox.faults.set({ name: 'http-error', value: 503, area: 'rpc' });
  expect((await client.app.snapshot()).faults).toEqual([fault]);

  const sandbox = await reached('sandbox', true);
  expect(sandbox).toMatchObject({ byFault: true, degraded: { message: expect.stringContaining('http-error') } });
  expect(sandbox.since).toBeGreaterThan(startedAt);
  expect(await reached('gateway', true)).toMatchObject({ byFault: true });

  await client.sandbox.faults.clear({});
  expect((await client.app.snapshot()).faults).toEqual([]);
  expect((await reached('sandbox', false)).since).toBeGreaterThan(sandbox.since);
  expect(await reached('gateway', false)).not.toHaveProperty('byFault');
});

it('blames a fault only for what it can break', () => {
  const gateway = { name: 'gateway' as const, start: async () => ({}), stop: async () => undefined };
  const degraded = new PlanchetError('upstream.none').toFailure();
  const cutOff = { ...gateway, health: () => ({ degraded }) };
  const fault = { name: 'drop-connection', value: 0, times: null, area: 'rpc' } as const;
  const healthWith = (...faults: SandboxFault[]) => explainedByFaults(cutOff, () => faults).health?.();
  expect(healthWith(fault)).toEqual({ degraded, byFault: true });
  expect(healthWith({ ...fault, area: 'all' })).toHaveProperty('byFault', true);
  expect(healthWith({ ...fault, area: 'mapi' })).toEqual({ degraded });
  expect(healthWith({ ...fault, name: 'quote-expired' })).toEqual({ degraded });
  expect(healthWith()).toEqual({ degraded });
  expect(explainedByFaults(gateway, () => [fault]).health?.()).toEqual({});
});
