import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { settingsSchema } from '../../contract/index.ts';
import { createSourceClient, type SourceClient } from '../chain-data/sources/http/source-client.ts';
import { HandClock } from '../gateway/test-support/hand-clock.ts';
import { closeTestHost, newDataDir, openTestHost, type TestHost } from '../test-support/hosts/open-host.ts';
import { CurrencyRates } from './currency-rate.ts';

const TEN_MINUTES = 600_000;
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A service that answers what `body` holds, and counts. */
async function service() {
  const answered = { body: '{"rate":41.5,"time":1790000000,"currency":"USD"}', status: 200, asked: [] as string[] };
  const server = createServer(({ url }, response) => {
    answered.asked.push(url as string);
    response.writeHead(answered.status, { 'content-type': 'application/json' }).end(answered.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { answered, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function ratesOf(currency: Record<string, unknown>, address?: string) {
  const clock = new HandClock();
  let settings = settingsSchema.parse({ currency });
  let client: SourceClient | undefined =
    address === undefined
      ? undefined
      : createSourceClient({ operator: 'whatsonchain', baseUrl: address, clock, minIntervalMs: 0 });
  const rates = new CurrencyRates({
    settings: { current: () => settings, onChange: () => () => undefined },
    clock,
    source: () => client,
  });
  return {
    clock,
    rates,
    set: (next: Record<string, unknown>) => {
      settings = settingsSchema.parse({ currency: next });
    },
    goTo: (next: SourceClient | undefined) => {
      client = next;
    },
  };
}

describe('the rate of a currency', () => {
  it('is what the person typed, and nobody is asked', async () => {
    const { answered, address } = await service();
    const { rates, set } = ratesOf({ code: 'EUR', rate: 50 }, address);
    const own = { code: 'EUR', rate: 50, source: 'own', service: null, at: null };
    expect(await rates.rate()).toEqual({ rate: own, failure: null });
    set({ code: '', rate: 50 });
    expect(await rates.rate()).toEqual({ rate: null, failure: null });
    set({ code: 'EUR', rate: 0 });
    expect(await rates.rate()).toEqual({ rate: null, failure: null });
    expect(answered.asked).toEqual([]);
  });

  it('is read once in ten minutes, with its source and its time', async () => {
    const { answered, address } = await service();
    const { rates, clock } = ratesOf({ source: 'whatsonchain' }, address);
    const [told] = await Promise.all([rates.rate(), rates.rate()]);
    const host = new URL(address).host;
    expect(told).toEqual({
      rate: { code: 'USD', rate: 41.5, source: 'whatsonchain', service: host, at: clock.time },
      failure: null,
    });
    expect(answered.asked).toEqual(['/exchangerate']);
    await clock.pass(TEN_MINUTES - 1);
    await rates.rate();
    expect(answered.asked).toHaveLength(1);
    answered.body = '{"rate":42,"currency":"USD"}';
    await clock.pass(1);
    expect((await rates.rate()).rate?.rate).toBe(42);
    expect(answered.asked).toHaveLength(2);
    // the clock is put back
    await clock.pass(-3_600_000);
    await rates.rate();
    expect(answered.asked).toHaveLength(3);
  });

  it('stays where the next request brings none, and says why; a failure is not repeated sooner either', async () => {
    const { answered, address } = await service();
    const { rates, clock } = ratesOf({ source: 'whatsonchain' }, address);
    await rates.rate();
    const read = clock.time;
    answered.status = 503;
    await clock.pass(TEN_MINUTES);
    const told = await rates.rate();
    expect(told).toMatchObject({ rate: { rate: 41.5, at: read }, failure: { id: 'currency.no-rate' } });
    expect(await rates.rate()).toEqual(told);
    expect(answered.asked).toHaveLength(2);
  });

  it.each(['{"rate":-1,"currency":"USD"}', '{"rate":0,"currency":"USD"}', '{"rate":1e999,"currency":"USD"}', '[]'])(
    'is not taken from %s',
    async (body) => {
      const { answered, address } = await service();
      answered.body = body;
      const { rates } = ratesOf({ source: 'whatsonchain' }, address);
      expect(await rates.rate()).toMatchObject({ rate: null, failure: { id: 'currency.no-rate' } });
    },
  );

  it('is not that of a service that is asked no more', async () => {
    const { address } = await service();
    const { rates, goTo, set } = ratesOf({ source: 'whatsonchain' }, address);
    expect((await rates.rate()).rate).not.toBeNull();
    goTo(undefined);
    expect(await rates.rate()).toMatchObject({ rate: null, failure: { id: 'currency.no-source' } });
    set({ source: 'own' });
    expect(await rates.rate()).toEqual({ rate: null, failure: null });
  });
});

describe('on the sandbox', () => {
  let test: TestHost;
  beforeAll(async () => {
    test = await openTestHost({ dataDir: newDataDir() });
  });
  afterAll(() => closeTestHost(test));

  it('is off until it is chosen, and then the sandbox names one as WhatsOnChain does', async () => {
    const { client, host } = test;
    expect(await client.currency.rate()).toEqual({ rate: null, failure: null });
    await client.settings.set({ key: 'currency.source', value: 'whatsonchain' });
    const { rate } = await client.currency.rate();
    expect(rate).toMatchObject({ code: 'USD', rate: 20, source: 'whatsonchain' });
    expect(rate?.service).toBe(new URL(host.info().endpoints.sandbox as string).host);
  });
});
