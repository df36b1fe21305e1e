import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { oneHost } from '../test-support/hosts/one-host.ts';
import { freePorts, until } from '../test-support/hosts/open-host.ts';

const PASSPHRASE = 'correct horse battery staple';
const hosts = oneHost();
const open = () => hosts.open({ scope: 'core' });

describe('the test of a network', () => {
  let server: Server | undefined;
  afterEach(() => server?.close());

  it('passes every step on the sandbox', async () => {
    const { client } = await open();
    const steps = await until(async () => {
      const found = await client.networks.test({ network: 'sandbox' });
      return found.every(({ outcome }) => outcome === 'passed') && found;
    });
    expect(steps.map(({ step, miner }) => miner ?? step)).toEqual([
      'connect',
      'credential',
      'chain',
      'serves',
      'tip',
      'zmq',
      'tokenApi',
      'quota',
      'Default',
      'Sandbox ARC',
    ]);
  });

  it('names for each step what is wrong and what to do', async () => {
    const { client } = await open();
    const chain = (answer: unknown) => JSON.stringify({ result: answer, error: null });
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      request.on('end', () => {
        if (request.url?.startsWith('/v1')) response.statusCode = 401;
        response.end(body.includes('getblockcount') ? chain(7) : chain({ chain: 'test', blocks: 7 }));
      });
    });
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await client.networks.save({
      network: 'main',
      passphrase: PASSPHRASE,
      values: {
        bitcoinRpcUrl: url,
        baseUrl: `${url}/v1`,
        mapiUrl: url,
        bitcoinZmqUrl: 'tcp://127.0.0.1:1',
        apiKey: 'k',
      },
    });
    const steps = await client.networks.test({ network: 'main', passphrase: PASSPHRASE });
    expect(steps.map(({ step, outcome }) => `${step} ${outcome}`)).toEqual([
      'connect passed',
      'credential passed',
      'chain failed',
      'serves skipped',
      'tip skipped',
      'zmq failed',
      'tokenApi failed',
      'quota failed',
      'miner failed',
    ]);
    expect(steps.every(({ outcome, failure }) => outcome !== 'failed' || failure?.hint)).toBe(true);
    // A page in another language says each from its own catalogue.
    expect(steps.filter(({ sentence, failure }) => sentence === null && failure?.id === undefined)).toEqual([]);
    expect(steps.find(({ step }) => step === 'tokenApi')?.failure?.id).toBe('networks.token-api-refused');
    const locked = await client.networks.test({ network: 'main' });
    expect(locked.find(({ step }) => step === 'tokenApi')?.failure?.code).toBe('vault-locked');
  });

  it('says of a node without the command for headers that it is missing, and no age of its newest block', async () => {
    const { client } = await open();
    server = createServer(async (request, response) => {
      const { method, params } = JSON.parse(await text(request));
      const { result, error } = (await client.node.call({ method, params: params ?? [] })) as unknown as Record<
        string,
        object
      >;
      const lacks = { result: null, error: { code: -32_601, message: 'Method not found' } };
      const answer =
        method === 'getblockchaininfo' ? { result: { ...result, chain: 'main' }, error } : { result, error };
      response.end(JSON.stringify(method === 'getblockheader' ? lacks : answer));
    });
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await client.networks.save({ network: 'main', values: { bitcoinRpcUrl: url } });
    const steps = await client.networks.test({ network: 'main' });
    expect(steps.filter(({ sentence }) => sentence?.key === 'test.token-service-none')).toHaveLength(2);
    const found = (step: string) => steps.find((one) => one.step === step);
    expect(found('serves')).toMatchObject({ outcome: 'failed', failure: { id: 'upstream.node-commands' } });
    expect(found('tip')).toMatchObject({ outcome: 'skipped', failure: null });
  });
});

describe('the public services in the test of a network', () => {
  it('are tried one by one where no node is set, and nothing of a node or an account is missed', async () => {
    const { client, host } = await hosts.open({ overrides: { ...freePorts, chainData: 'auto' } });
    const at = await until(async () => host.info().endpoints.sandbox ?? false);
    const publicSources = `whatsonchain=${at}/woc/v1/bsv/test,bananablocks=${at}/nothing,arcade=${at}/arcade`;
    await client.networks.save({ network: 'main', values: { publicSources } });
    const steps = await client.networks.test({ network: 'main' });
    expect(steps.map(({ step, source, outcome }) => `${source ?? step} ${outcome}`)).toEqual([
      'whatsonchain passed',
      'bananablocks failed',
      'arcade passed',
      'tokenApi skipped',
      'quota skipped',
      'miner failed',
    ]);
    const { height } = (await client.sandbox.status()).tip;
    expect(steps[0]).toMatchObject({ message: `TAAL answers, at block ${height}.` });
    expect(steps[1]?.failure?.id).toBe('networks.source-silent');
    await client.networks.save({ network: 'main', values: { bitcoinRpcUrl: 'http://127.0.0.1:1' } });
    const ofNode = await client.networks.test({ network: 'main' });
    expect(ofNode.map(({ step }) => step)).not.toContain('source');
    expect(ofNode[0]).toMatchObject({ step: 'connect', outcome: 'failed' });
  });
});

describe('the quota and the miners in the test of a network', () => {
  let server: Server | undefined;
  afterEach(() => server?.close());

  it('are steps of their own, on the network in use and on another', async () => {
    const { client } = await open();
    const asked: string[] = [];
    server = createServer(({ url, headers }, response) => {
      asked.push(`${url} ${headers['api-key'] ?? headers.authorization ?? headers.apikey ?? 'no key'}`);
      const month = { startDate: '2026-01-01', endDate: '2026-01-31' };
      const answers: Record<string, unknown> = {
        '/quota/quota': { success: true, data: { monthlyMintLimit: 500, totalUsed: 20, available: 480, ...month } },
        '/arc/v1/policy': { timestamp: '2026-01-01T00:00:00Z', policy: {} },
      };
      const answer = answers[url ?? ''];
      if (answer === undefined) response.statusCode = 404;
      response.end(JSON.stringify(answer ?? {}));
    });
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await client.miners.add({ name: 'Mine', kind: 'arc', url: `${url}/arc`, apiKey: 'arc-key', keyStyle: 'api-key' });
    await client.miners.add({ name: 'Off', kind: 'arc', url, enabled: false });
    const here = await client.networks.test({ network: 'sandbox' });
    expect(here.filter(({ sentence, failure }) => sentence === null && failure?.id === undefined)).toEqual([]);
    const miners = here.filter(({ step }) => step === 'miner');
    expect(miners.map(({ miner, outcome }) => `${miner} ${outcome}`)).toContain('Mine passed');
    expect(miners.map(({ miner }) => miner)).toEqual(['Default', 'Sandbox ARC', 'Mine']);
    expect(asked).toEqual(['/arc/v1/policy arc-key']);
    await client.networks.save({
      network: 'test',
      passphrase: PASSPHRASE,
      values: {
        baseUrl: `${url}/v1`,
        consoleBaseUrl: `${url}/quota`,
        mapiUrl: `${url}/mapi`,
        apiKey: 'key',
        publicSources: `arcade=${url}/arcade`,
      },
    });
    const there = await client.networks.test({ network: 'test', passphrase: PASSPHRASE });
    const quota = there.find(({ step }) => step === 'quota');
    expect(quota).toMatchObject({ outcome: 'passed', message: '480 of 500 tokens are left this month.' });
    const miner = there.find(({ step }) => step === 'miner');
    expect(miner).toMatchObject({ miner: 'Default', outcome: 'failed', failure: { id: 'networks.miner-silent' } });
    expect(asked).toEqual(expect.arrayContaining(['/quota/quota key', '/mapi/feeQuote Bearer key']));
    await client.networks.save({ network: 'test', values: { mapiUrl: '' } });
    const without = await client.networks.test({ network: 'test', passphrase: PASSPHRASE });
    expect(without.find(({ step }) => step === 'miner')?.failure?.id).toBe('networks.miner-none');
  });
});
