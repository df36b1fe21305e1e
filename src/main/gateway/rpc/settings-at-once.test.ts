import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type CallBodies, type Settings, settingRows } from '../../../contract/index.ts';
import { systemClock } from '../../clock.ts';
import type { Endpoints, SettingsView } from '../../ports/settings.ts';
import { selfSigned } from '../test-support/certificate.ts';
import { send, startGateway } from '../test-support/gateway.ts';
import { clientParts, endpointsOf, result, settingsOf, Upstream } from '../test-support/upstream.ts';
import { NodeClient } from '../upstream/client.ts';

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part.stop();
});

/** A running gateway whose settings change. */
async function startChanging(bitcoinRpcUrl: string): Promise<{
  change: (changes: Partial<Settings>) => void;
  setKey: (key: string) => void;
  ask: (sent?: object) => Promise<string>;
  bodies: (number: number) => CallBodies;
}> {
  const changed: { settings: Partial<Settings>; key: string | undefined } = {
    settings: { bitcoinRpcUrl },
    key: undefined,
  };
  const first = settingsOf();
  const settings: SettingsView = { ...first, current: () => ({ ...first.current(), ...changed.settings }) };
  const endpoints = (): Endpoints => endpointsOf({ bitcoinRpcUrl: settings.current().bitcoinRpcUrl })();
  const node = new NodeClient({ ...clientParts, endpoints, settings, clock: systemClock, apiKey: () => changed.key });
  open.push({ stop: () => node.close() });
  const gateway = await startGateway('', { options: { node, settings, endpoints } });
  open.push(gateway);
  return {
    change: (changes) => {
      changed.settings = { ...changed.settings, ...changes };
    },
    setKey: (key) => {
      changed.key = key;
    },
    ask: async (sent = {}) => (await send(gateway.port, { body: '{"method":"getinfo","id":1}', ...sent })).text,
    bodies: (number) => gateway.service.traffic.bodies(number),
  };
}

async function startUpstream(...given: ConstructorParameters<typeof Upstream>): Promise<Upstream> {
  const upstream = await new Upstream(...given).start();
  open.push(upstream);
  return upstream;
}

/** Each function changes settings of a running gateway and checks that they apply without a restart. */
const seen: Readonly<Record<string, () => Promise<void>>> = {
  bitcoinRpcUrl: async () => {
    const [one, other] = [await startUpstream(result('"one"')), await startUpstream(result('"other"'))];
    const { change, ask } = await startChanging(one.url);
    expect(await ask()).toContain('"one"');
    change({ bitcoinRpcUrl: other.url });
    expect(await ask()).toContain('"other"');
  },
  bitcoinTimeout: async () => {
    const silent = await startUpstream(() => {});
    const { change, ask } = await startChanging(silent.url);
    change({ bitcoinTimeout: '100ms' });
    expect(await ask()).toContain('did not answer within 0.1 s');
  },
  ignoreCertificate: async () => {
    const server = createTlsServer(selfSigned, (request, response) => {
      request.resume().on('end', () => response.end('{"result":"over TLS","error":null,"id":1}'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.push({
      stop: () => {
        server.closeAllConnections();
        return new Promise((resolve) => server.close(() => resolve()));
      },
    });
    const { change, ask } = await startChanging(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
    expect(await ask()).toContain('certificate');
    change({ ignoreCertificate: true });
    expect(await ask()).not.toContain('certificate');
  },
  apiKey: async () => {
    const upstream = await startUpstream(result('1'));
    const { setKey, ask } = await startChanging(upstream.url);
    await ask();
    setKey('k-2');
    await ask();
    expect(upstream.requests.map(({ authorization }) => authorization)).toEqual([undefined, 'Bearer k-2']);
  },
  apiKeyHeader: async () => {
    const heard: unknown[] = [];
    const upstream = await startUpstream((request, response, raw) => {
      heard.push(raw.headers['x-key']);
      result('1')(request, response, raw);
    });
    const { change, setKey, ask } = await startChanging(upstream.url);
    setKey('k-3');
    await ask();
    change({ apiKeyHeader: 'X-Key' });
    await ask();
    expect(heard).toEqual([undefined, 'k-3']);
  },
  gatewayShareFor: async () => {
    const upstream = await startUpstream(result('1'));
    const { change, ask } = await startChanging(upstream.url);
    const asked = (): number => upstream.requests.filter(({ method }) => method === 'getmempoolinfo').length;
    const mempool = { body: '{"method":"getmempoolinfo","id":1}' };
    for (let n = 0; n < 2; n++) await ask(mempool);
    expect(asked()).toBe(2);
    change({ gatewayShareFor: '1h' });
    for (let n = 0; n < 3; n++) await ask(mempool);
    expect(asked()).toBe(2);
  },
  gatewayLocalCommands: async () => {
    const upstream = await startUpstream(result('"the node’s own words"'));
    const { change, ask } = await startChanging(upstream.url);
    const help = { body: '{"method":"help","id":1}' };
    expect(await ask(help)).toContain('getblockcount');
    change({ gatewayLocalCommands: false });
    expect(await ask(help)).toContain('own words');
  },
  gatewayKeepBodies: async () => {
    const upstream = await startUpstream(result('"kept"'));
    const { change, ask, bodies } = await startChanging(upstream.url);
    const help = { body: '{"method":"getmempoolinfo","id":1}' };
    await ask(help);
    expect(bodies(1)).toMatchObject({ kept: 'whole', answer: expect.stringContaining('kept') });
    change({ gatewayKeepBodies: false });
    await ask(help);
    expect(bodies(2)).toMatchObject({ kept: 'off', answer: null });
    change({ gatewayKeepBodies: true });
    expect(bodies(1)).toMatchObject({ kept: 'not', answer: null });
    expect(bodies(2)).toMatchObject({ kept: 'not', answer: null });
  },
  gatewayOpenRest: async () => {
    const upstream = await startUpstream(result('{"chain":"regtest"}'));
    const { change, ask } = await startChanging(upstream.url);
    const read = { method: 'GET', path: '/rest/chaininfo.json', body: '', headers: { authorization: '' } };
    expect(await ask(read)).toBe('');
    change({ gatewayOpenRest: true });
    expect(await ask(read)).toContain('regtest');
  },
};

describe('a setting marked as taking effect at once', () => {
  it.each(Object.keys(seen))('takes effect without a restart: %s', async (key) => {
    expect(settingRows.get(key)?.restarts, `${key} is reported to restart a service`).toBeUndefined();
    await seen[key]?.();
  });
});
