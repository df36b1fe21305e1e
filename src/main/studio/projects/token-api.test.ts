import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../clock.ts';
import { TokenApi } from './token-api.ts';

interface Asked {
  method: string | undefined;
  path: string | undefined;
  headers: Record<string, unknown>;
  body: string;
}

let server: Server;
let asked: Asked[];
let answer: { status: number; body: string } | 'hang' | 'cut';
let api: TokenApi;
let key: Uint8Array | undefined;
let baseUrl: string;

function opened(replyTimeoutMs: number): TokenApi {
  const made = new TokenApi({
    clock: systemClock,
    network: 'test',
    endpoints: { baseUrl, consoleBaseUrl: baseUrl, mapiUrl: '', bitcoinRpcUrl: '', bitcoinZmqUrl: '' },
    secrets: {
      locked: false,
      get: (name) => (name === 'apiKey:test' ? key : undefined),
      set: async () => {},
      delete: async () => {},
    },
    replyTimeoutMs,
  });
  made.open();
  return made;
}

beforeEach(async () => {
  asked = [];
  key = Buffer.from('testnet_key');
  server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += String(piece);
    asked.push({ method: request.method, path: request.url, headers: request.headers, body });
    if (answer === 'cut') return void request.socket.destroy();
    if (answer !== 'hang') response.writeHead(answer.status).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/`;
  api = opened(60_000);
});

afterEach(async () => {
  await api.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const says = (data: unknown) => {
  answer = { status: 200, body: JSON.stringify({ success: true, data }) };
};

describe('TokenApi', () => {
  it('sends the shapes of the specification with the key', async () => {
    says({ projectUid: 'p1' });
    expect(await api.createProject({ name: 'N', type: 'collection' })).toBe('p1');
    expect(asked[0]).toMatchObject({
      method: 'POST',
      path: '/api/v1/project/create',
      headers: { apikey: 'testnet_key' },
    });
    expect(JSON.parse(asked[0]?.body ?? '')).toEqual({
      name: 'N',
      type: 'collection',
      isFungible: false,
      tokenProtocol: 'OneSatOrdinal',
    });

    says({
      projectList: [{ uid: 'p1', name: 'N', network: 'testnet', offChainData: {}, tokenProtocol: 'OneSatOrdinal' }],
    });
    expect(await api.listProjects()).toEqual([
      { uid: 'p1', name: 'N', network: 'testnet', tokenProtocol: 'OneSatOrdinal' },
    ]);
    says({ uid: 'o1', projectUid: 'p1' });
    await api.deleteOutput('o/1');
    expect(asked.at(-1)).toMatchObject({
      method: 'DELETE',
      path: '/api/v1/output/o%2F1',
      headers: { 'content-type': 'application/json' },
    });
    says({ transactionUid: 't1', txObj: { hash: 'x' } });
    const request = {
      projectUid: 'p1',
      publicKey: '02',
      dstAddress: 'm',
      outputList: ['o1'],
      utxoList: [{ outputIndex: 1, txId: 'aa' }],
    };
    expect(await api.createTransaction(request, 10)).toEqual({ transactionUid: 't1', txObj: { hash: 'x' } });
    expect(JSON.parse(asked.at(-1)?.body ?? '')).toEqual(request);
    says({ txId: 'AB'.repeat(32) });
    expect(await api.submit('t1', Uint8Array.of(0))).toBe('ab'.repeat(32));
    says({ apiKey: 'k', startDate: 'a', endDate: 'b', monthlyMintLimit: 5, totalUsed: 2, available: 3 });
    expect(await api.quota()).toEqual({
      startDate: 'a',
      endDate: 'b',
      monthlyMintLimit: 5,
      totalUsed: 2,
      available: 3,
    });
  });

  it('reads the outputs of a collection of 10,000 tokens with eight traits each', async () => {
    const description =
      'A ring of the copper rings, one of ten thousand, each made by hand and none like another. '.repeat(3);
    const traits = Array.from({ length: 8 }, (_, n) => ({
      name: `Trait ${n}`,
      value: 'Midnight Blue',
      occurrencePercent: '12.5',
    }));
    const data = {
      collectionId: `${'0'.repeat(64)}_0`,
      description,
      mintNumber: 1,
      rank: 1,
      rarityLabel: 'Common',
      traits,
    };
    const output = {
      ...{ uid: 'o', projectUid: 'p1', transactionUid: null, type: 'token', tokenProtocol: 'OneSatOrdinal' },
      createdAt: '2026-11-20T00:00:00.000Z',
      metadata: { app: 'Planchet', name: 'Ring', type: 'ord', description, subTypeData: JSON.stringify(data) },
      offChainData: { b64FileHash: 'a'.repeat(64), b64FileSize: 1_000, contentType: 'image/png' },
    };
    says({ outputList: Array.from({ length: 10_000 }, () => output) });
    expect(await api.listOutputs('p1')).toHaveLength(10_000);
  });

  it('streams a file as base64 inside one JSON document of a known length', async () => {
    says({ uid: 'o1' });
    async function* pieces() {
      yield Buffer.from('abcdef');
      yield Buffer.from('gh');
    }
    const metadata = { name: 'quote " and ünï', eyes: 'green' };
    const uid = await api.createOutput({
      projectUid: 'p1',
      contentType: 'image/png',
      pieces: pieces(),
      bytes: 8,
      metadata,
    });
    expect(uid).toBe('o1');
    expect(JSON.parse(asked[0]?.body ?? '')).toEqual({
      ...{ projectUid: 'p1', contentType: 'image/png', metadata },
      b64File: Buffer.from('abcdefgh').toString('base64'),
    });
    expect(Number(asked[0]?.headers['content-length'])).toBe(Buffer.byteLength(asked[0]?.body ?? ''));
  });

  it.each([
    [401, { success: false }, 'unauthorized'],
    [403, 'plain text', 'unauthorized'],
    [403, { success: false, error: { code: 'quota-exceeded', message: 'No more.' } }, 'quota-exceeded'],
    [402, { success: false, message: 'pay' }, 'quota-exceeded'],
    [429, { success: false, error: 'monthly limit reached' }, 'quota-exceeded'],
    [429, 'slow down', 'upstream-error'],
    [400, { success: false, error: { message: 'Quota used up' } }, 'quota-exceeded'],
    [400, { success: false, message: 'bad\nthing' }, 'rejected'],
    [200, { success: false, data: { message: 'no' } }, 'rejected'],
    [404, { success: false }, 'not-found'],
    [404, '<html>', 'upstream-error'],
    [301, '', 'upstream-error'],
    [500, { success: false, message: 'down' }, 'upstream-error'],
    [503, { success: false, message: 'the quota service is away' }, 'upstream-error'],
    [200, 'not json', 'upstream-error'],
    [200, { success: true, data: { txId: 'short' } }, 'upstream-error'],
    [200, { success: true }, 'upstream-error'],
  ])('tells status %i with %j as %s', async (status, body, code) => {
    answer = { status, body: typeof body === 'string' ? body : JSON.stringify(body) };
    const failure = await api.submit('t1', Uint8Array.of(0)).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code, hint: /./ });
    expect((failure as Error).message).not.toMatch(/[\n\r]/);
  });

  it('says what to do about a refusal of the miner that the service passes on', async () => {
    answer = { status: 400, body: JSON.stringify({ success: false, message: 'tx rejected: double spent' }) };
    await expect(api.submit('t1', Uint8Array.of(0))).rejects.toMatchObject({
      code: 'rejected',
      hint: /same coin/,
      detail: { refusal: 'double-spend' },
    });
    answer = {
      status: 400,
      body: JSON.stringify({ success: false, message: 'Error while submitting transactions to the node' }),
    };
    await expect(api.submit('t1', Uint8Array.of(0))).rejects.toMatchObject({ code: 'upstream-error' });
  });

  it('distinguishes a timeout, a broken reply, an unreachable service and a cancelled call', async () => {
    answer = 'hang';
    const hasty = opened(300);
    await expect(hasty.quota()).rejects.toMatchObject({ code: 'upstream-timeout' });
    await hasty.close();
    const abort = new AbortController();
    const given = api.quota(abort.signal);
    abort.abort();
    await expect(given).rejects.toMatchObject({ code: 'cancelled' });
    answer = 'cut';
    await expect(api.quota()).rejects.toMatchObject({ code: 'upstream-unreachable' });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await expect(api.quota()).rejects.toMatchObject({ code: 'upstream-unreachable', message: /127\.0\.0\.1/ });
  });

  it('sends nothing without a key', async () => {
    key = undefined;
    await expect(api.quota()).rejects.toMatchObject({ code: 'api-key-missing' });
    expect(asked).toEqual([]);
  });

  it('stops reading a reply that has no end', async () => {
    answer = { status: 200, body: JSON.stringify({ success: true, data: 'x'.repeat(17_000_000) }) };
    await expect(api.quota()).rejects.toMatchObject({ code: 'upstream-error', message: /more than/ });
  });
});
