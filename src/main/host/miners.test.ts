import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Failure, Miner, MinerTest } from '../../contract/index.ts';
import { failureOf } from '../commands/shared/run.ts';
import { AlteringProxy } from '../test-support/altering-proxy.ts';
import { oneHost } from '../test-support/hosts/one-host.ts';
import type { TestClient } from '../test-support/hosts/open-host.ts';

const hosts = oneHost();
let client: TestClient;
let dataDir: string;
/** Of the sandbox. */
let mapi: string;
/** The sandbox under another address, so that it can be added a second time. */
let proxy: AlteringProxy;
beforeEach(async () => {
  await open();
  proxy = await AlteringProxy.open(mapi);
});
afterEach(() => proxy.close());

async function open(folder?: string): Promise<void> {
  ({ client, dataDir } = await hosts.open({ scope: 'core', ...(folder === undefined ? {} : { dataDir: folder }) }));
  mapi = (await client.app.info()).endpoints.mapi as string;
}

const failure = (call: Promise<unknown>): Promise<Failure | undefined> => call.then(() => undefined, failureOf);
const outcomes = ({ steps }: MinerTest): Record<string, string> =>
  Object.fromEntries(steps.map(({ step, outcome }) => [step, outcome]));
const names = (miners: readonly Miner[]): string[] => miners.map(({ name }) => name);

describe('miners that a person adds', () => {
  it('have no presets on the sandbox, which has its own', async () => {
    expect(await client.miners.presets()).toEqual([]);
  });

  it('stay over a restart, in their order, with their API keys in the vault', async () => {
    const { apiKey } = await client.sandbox.createKey({});
    const near = await client.miners.add({ name: ' Near ', kind: 'mapi', url: `${proxy.url}/`, apiKey });
    expect(near).toMatchObject({
      name: 'Near',
      builtIn: false,
      enabled: true,
      hasKey: true,
      quote: null,
      keyStyle: 'bearer',
    });
    expect(JSON.stringify(near)).not.toContain(apiKey);
    const far = await client.miners.add({ name: 'Far', kind: 'arc', url: 'https://arc.example/v1', enabled: false });
    expect(names(await client.miners.reorder({ ids: [far.id, near.id] })).slice(-2)).toEqual(['Far', 'Near']);
    expect(await failure(client.miners.reorder({ ids: [far.id, far.id] }))).toMatchObject({
      id: 'miners.order-incomplete',
    });
    await hosts.close();
    await open(dataDir);
    const kept = (await client.miners.list()).slice(-2);
    expect(kept).toMatchObject([
      { name: 'Far', kind: 'arc', enabled: false, hasKey: false },
      { name: 'Near', kind: 'mapi', enabled: true, hasKey: true },
    ]);
    expect(await client.miners.update({ id: near.id, apiKey: '' })).toMatchObject({ hasKey: false });
    await client.miners.remove({ id: near.id });
    expect(names(await client.miners.list())).not.toContain('Near');
    expect(await failure(client.miners.remove({ id: near.id }))).toMatchObject({ code: 'not-found' });
  });

  it('come back after their removal at their place, with their key, once', async () => {
    const ids: string[] = [];
    for (const name of ['First', 'Second', 'Third']) {
      const url = `http://127.0.0.${ids.length + 2}:3`;
      ids.push((await client.miners.add({ name, kind: 'mapi', url, apiKey: 'secret-of-it' })).id);
    }
    const id = ids[1] as string;
    await client.miners.remove({ id });
    await client.miners.reorder({ ids: [ids[2] as string, ids[0] as string] });
    expect(await client.miners.restore({ id })).toMatchObject({ name: 'Second', hasKey: true });
    expect(await failure(client.miners.restore({ id }))).toMatchObject({ id: 'miners.removed-too-long' });
    expect(names(await client.miners.list()).slice(-3)).toEqual(expect.arrayContaining(['Third', 'First', 'Second']));
    await client.miners.remove({ id });
    await client.miners.add({ name: 'Second', kind: 'mapi', url: 'http://127.0.0.9:3' });
    expect(await failure(client.miners.restore({ id }))).toMatchObject({ id: 'miners.name-taken' });
  });

  it('have names and addresses of their own', async () => {
    await client.miners.add({ name: 'Near', kind: 'mapi', url: proxy.url });
    const second = await client.miners.add({ name: 'Second', kind: 'mapi', url: 'http://127.0.0.1:3' });
    const taken = [
      client.miners.add({ name: 'near', kind: 'mapi', url: 'http://127.0.0.1:4' }),
      client.miners.update({ id: second.id, name: 'NEAR' }),
      client.miners.add({ name: 'Third', kind: 'mapi', url: `${proxy.url}//` }),
      client.miners.update({ id: second.id, url: proxy.url }),
    ];
    const ids = await Promise.all(taken.map(async (call) => (await failure(call))?.id));
    expect(ids).toEqual(['miners.name-taken', 'miners.name-taken', 'miners.address-taken', 'miners.address-taken']);
    for (const url of ['ftp://a.example', 'http://user:secret@a.example', 'http://a.example/?key=1', 'mapi'])
      expect(await failure(client.miners.add({ name: 'x', kind: 'mapi', url })), url).toMatchObject({
        code: 'invalid-input',
        detail: { field: 'url' },
      });
  });

  it('give their quotes, which are kept with the figures of the requests', async () => {
    const { apiKey } = await client.sandbox.createKey({});
    const { id } = await client.miners.add({ name: 'Near', kind: 'mapi', url: proxy.url, apiKey });
    /** Of all hours: one may end in the middle of the test. */
    const requests = async () => {
      const hours = await client.miners.hours({ id });
      const sum = (of: 'succeeded' | 'failed') => hours.reduce((total, hour) => total + hour[of], 0);
      return { succeeded: sum('succeeded'), failed: sum('failed') };
    };
    const asked = await client.miners.refresh({ id });
    expect(asked).toMatchObject({ failure: null, requests: { succeeded: 1, failed: 0 } });
    expect(asked.key?.publicKey).toBe(asked.quote?.source?.publicKey);
    // cached: nobody is asked again
    expect((await client.miners.refresh({ id })).requests.succeeded).toBe(1);
    const { standard, data, policies } = asked.quote as NonNullable<Miner['quote']>;
    expect(await client.miners.quotes({ id })).toMatchObject([{ standard, data, policies, from: asked.quote?.at }]);
    expect(await requests()).toEqual({ succeeded: 1, failed: 0 });
    const future = Date.now() + 3 * 3_600_000;
    expect(await client.miners.quotes({ id, since: future })).toEqual([]);
    expect(await client.miners.hours({ id, since: future })).toEqual([]);
    const changed = await client.miners.update({ id, apiKey: 'wrong' });
    expect(changed).toMatchObject({ quote: null, requests: { succeeded: 0 } });
    expect(await client.miners.refresh({ id })).toMatchObject({ failure: { code: 'unauthorized' }, quote: null });
    expect(await requests()).toEqual({ succeeded: 1, failed: 1 });
    await client.miners.remove({ id });
    await client.miners.restore({ id });
    expect(await requests()).toEqual({ succeeded: 1, failed: 1 });
    await client.miners.remove({ id });
    // What was known of it is forgotten once it cannot come back any more.
    await hosts.close();
    await open(dataDir);
    expect(await client.miners.quotes({ id })).toEqual([]);
    expect(await client.miners.hours({ id })).toEqual([]);
  });

  it('sign with the key that is pinned for them', async () => {
    const { apiKey } = await client.sandbox.createKey({});
    const other = `02${'11'.repeat(32)}`;
    const { id } = await client.miners.add({ name: 'Near', kind: 'mapi', url: proxy.url, apiKey, pinnedKey: other });
    expect(await client.miners.refresh({ id })).toMatchObject({
      failure: { id: 'merchant.other-key-than-pinned' },
      quote: null,
      key: null,
    });
    const key = (await client.miners.refresh({ id: 'default' })).key?.publicKey as string;
    await client.miners.update({ id, pinnedKey: key });
    expect(await client.miners.refresh({ id })).toMatchObject({ failure: null, key: { publicKey: key, pinned: true } });
    const endpoint = (await client.miners.list()).find((miner) => miner.id === id)?.key?.endpoint as string;
    expect(await failure(client.merchant.acceptKey({ endpoint, publicKey: other }))).toMatchObject({
      id: 'merchant.key-pinned',
    });
  });
});

it('the built-in miner can be switched off and on, and not changed', async () => {
  const id = 'default';
  expect(await client.miners.update({ id, enabled: false })).toMatchObject({ enabled: false, builtIn: true });
  await hosts.close();
  await open(dataDir);
  expect((await client.miners.list())[0]).toMatchObject({ id, enabled: false });
  expect(await client.miners.update({ id, enabled: true })).toMatchObject({ enabled: true });
  for (const call of [client.miners.update({ id, name: 'Mine' }), client.miners.remove({ id })])
    expect(await failure(call)).toMatchObject({ id: 'miners.built-in' });
});

describe('a test of a miner', () => {
  it('goes step by step, and remembers nothing', async () => {
    const { apiKey } = await client.sandbox.createKey({});
    const tested = await client.miners.test({ kind: 'mapi', url: proxy.url, apiKey });
    expect(outcomes(tested)).toEqual({
      address: 'passed',
      tls: 'skipped',
      key: 'passed',
      quote: 'passed',
      signature: 'passed',
      time: 'passed',
    });
    expect(tested).toMatchObject({ passed: true, address: proxy.url, quote: { standard: { bytes: 1_000 } } });
    expect((await client.merchant.keys()).map(({ endpoint }) => endpoint)).not.toContain(proxy.url);
    expect(outcomes(await client.miners.test({ id: 'default' })).signature).toBe('passed');
    const arc = await client.miners.test({ id: 'sandbox-arc' });
    expect(arc).toMatchObject({ passed: true, kind: 'arc', quote: { source: null } });
    expect(outcomes(arc)).toMatchObject({ key: 'passed', quote: 'passed', signature: 'skipped', time: 'passed' });
  });

  it('stops at the step that fails, and says what to do', async () => {
    const cases = [
      { input: { kind: 'mapi', url: 'http://127.0.0.1:1/mapi' }, step: 'address', id: 'miners.test-unreachable' },
      { input: { kind: 'mapi', url: mapi.replace('http:', 'https:') }, step: 'tls', id: 'miners.test-no-tls' },
      { input: { kind: 'mapi', url: proxy.url, apiKey: 'wrong' }, step: 'key', id: 'merchant.unauthorized' },
      { input: { id: 'default', url: `${mapi}/nothing` }, step: 'quote', id: 'merchant.answer-refused' },
      {
        input: { id: 'default', pinnedKey: `02${'11'.repeat(32)}` },
        step: 'signature',
        id: 'merchant.other-key-than-pinned',
      },
    ] as const;
    for (const { input, step, id } of cases) {
      const { passed, steps } = await client.miners.test(input);
      expect(passed, step).toBe(false);
      const at = steps.findIndex(({ outcome }) => outcome === 'failed');
      expect(steps[at], step).toMatchObject({ step, failure: { id, hint: expect.stringMatching(/\w/) } });
      expect(
        steps.slice(at + 1).every(({ outcome }) => outcome === 'skipped'),
        step,
      ).toBe(true);
    }
    expect(await failure(client.miners.test({ kind: 'mapi' }))).toMatchObject({ id: 'miners.test-incomplete' });
    expect(await failure(client.miners.test({ id: 'none' }))).toMatchObject({ code: 'not-found' });
  });

  it('warns where ARC says that it is not healthy', async () => {
    const { url = '' } = (await client.miners.list()).find(({ kind }) => kind === 'arc') ?? {};
    const arc = await AlteringProxy.open(url.replace(/\/v1$/, ''));
    try {
      const { apiKey } = await client.sandbox.createKey({});
      const input = { kind: 'arc', url: arc.url, apiKey } as const;
      expect(outcomes(await client.miners.test(input)).quote).toBe('passed');
      arc.alter = (answer, { path }) =>
        path === '/v1/health' ? { ...answer, healthy: false, reason: 'no db connection' } : answer;
      const { passed, steps } = await client.miners.test(input);
      expect(passed).toBe(true);
      expect(steps.find(({ step }) => step === 'quote')).toMatchObject({
        outcome: 'warning',
        message: expect.stringContaining('no db connection'),
        failure: { id: 'miners.test-unhealthy' },
      });
    } finally {
      await arc.close();
    }
  });

  it('warns where the clocks differ or the price is too high', async () => {
    await client.settings.set({ key: 'maxFeeRate', value: 1 });
    await client.sandbox.clock({ at: Date.now() + 600_000, frozen: false });
    const { passed, steps } = await client.miners.test({ id: 'default' });
    expect(passed).toBe(true);
    const warned = steps.filter(({ outcome }) => outcome === 'warning');
    expect(warned).toMatchObject([
      { step: 'quote', failure: { code: 'fee-too-high' } },
      { step: 'time', failure: { id: 'miners.test-clock' } },
    ]);
  });
});
