import { afterEach, describe, expect, it } from 'vitest';
import type { ServiceStatus } from '../../contract/index.ts';
import { closeTestHost, filledDataDir, openTestHost, type TestHost } from '../test-support/hosts/open-host.ts';

let opened: TestHost | undefined;
afterEach(async () => {
  if (opened) await closeTestHost(opened);
  opened = undefined;
});

const basic = (login: string): string => `Basic ${Buffer.from(login).toString('base64')}`;

describe('an address that other machines reach', () => {
  it('is refused with generated credentials, and allowed once the user chose one of them', async () => {
    const overrides = { rpcBind: '0.0.0.0:0', zmqAddress: 'tcp://0.0.0.0:0' };
    opened = await openTestHost({ dataDir: await filledDataDir(), overrides });
    const { client } = opened;
    const restart = async (name: 'gateway' | 'zmq'): Promise<ServiceStatus['status']> =>
      (await client.services.restart({ name })).status;
    const state = (name: string): ServiceStatus['status'] | undefined =>
      opened?.host.services().find((service) => service.name === name)?.status;
    const refused = { state: 'failed', failure: { code: 'bind-refused' } };
    expect([state('gateway'), state('zmq')]).toMatchObject([refused, refused]);
    // a new password of this installation is none of the user's own
    expect((await client.gateway.rotatePassword()).password).toMatch(/^generated-/);
    expect(state('gateway')).toMatchObject(refused);

    await client.settings.set({ key: 'rpcPassword', value: 'of my own' });
    expect([await restart('gateway'), await restart('zmq')]).toMatchObject([
      { state: 'running' },
      { state: 'running' },
    ]);
    const asked = async (login: string): Promise<number> => {
      const { rpc } = await client.gateway.connection();
      const headers = { 'content-type': 'application/json', authorization: basic(login) };
      const answer = await fetch(rpc as string, { method: 'POST', headers, body: '{"method":"help"}' });
      return answer.status;
    };
    expect(await asked('planchet:of my own')).toBe(200);
    const { password } = await client.gateway.rotatePassword();
    expect(state('gateway')).toMatchObject({ state: 'running' });
    expect([await asked(`planchet:${password}`), await asked('planchet:of my own')]).toEqual([200, 401]);
  });
});

describe('the log level', () => {
  it('takes effect at once, as the settings say', async () => {
    opened = await openTestHost({ dataDir: await filledDataDir() });
    const { client, host } = opened;
    const { entry, restarts } = await client.settings.set({ key: 'logLevel', value: 'debug' });
    expect(entry.restarts).toEqual([]);
    expect(restarts).toEqual([]);
    expect(host.context.logger.level).toBe('debug');
  });
});
