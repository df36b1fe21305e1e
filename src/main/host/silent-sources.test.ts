import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { headersFault, publicSourceNames, type ServiceStatus } from '../../contract/index.ts';
import { oneHost } from '../test-support/hosts/one-host.ts';
import { until } from '../test-support/hosts/open-host.ts';

const hosts = oneHost();

const isSilent = ({ status }: ServiceStatus): boolean =>
  status.state === 'running' && status.degraded?.id === 'gateway.sources-silent';

it('a computer that reaches no public service says so, and calls no block the newest', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  const publicSources = publicSourceNames.map((name) => `${name}=http://127.0.0.1:${port}`).join(',');
  const { client } = await hosts.open({ overrides: { network: 'main', chainData: 'public', publicSources } });
  await client.headers.sync({});
  const known = await until(async () => {
    const snapshot = await client.app.snapshot();
    return snapshot.services.some(isSilent) && snapshot;
  });
  expect(known.tip).toBeNull();
  const { sources, tip } = await client.headers.status();
  expect(sources.find(({ name }) => name === 'whatsonchain')?.failure?.message).toBe('nothing listens there');
  expect(headersFault(await client.headers.status())).toBe('silent');
  // the first block of the network is in the program
  expect(tip?.height).toBe(0);
});
