import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import {
  BroadcastError,
  broadcastTransaction,
  fetchTransaction,
  loadTokenConfig,
  serializeTx,
  type TokenConfig,
  toHex,
  traceToken,
} from '../index.ts';
import { first, World } from '../test-support/world.ts';

interface Call {
  readonly method: string;
  readonly path: string;
  readonly account: string;
  readonly body: string;
}

let server: Server | undefined;
afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  server = undefined;
});

async function serve(answer: (call: Call) => { status: number; text: string }): Promise<TokenConfig> {
  server = createServer(async (request: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const account = Buffer.from((request.headers.authorization ?? '').replace('Basic ', ''), 'base64').toString();
    const body = Buffer.concat(chunks).toString();
    const { status, text } = answer({ method: request.method ?? '', path: request.url ?? '', account, body });
    response.writeHead(status).end(text);
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const env = { API_USERNAME: 'issuer', API_PASSWORD: 'päss:word', NETWORK: 'regtest' };
  const config = await loadTokenConfig({ path: '/nowhere/at/all.json', env });
  return { ...config, apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe('broadcasting', () => {
  it('sends the transaction with the configured account, and returns its txid', async () => {
    const calls: Call[] = [];
    const built = new World().issued();
    const config = await serve((call) => {
      calls.push(call);
      return { status: 200, text: `"${built.txid}"\n` };
    });
    expect(await broadcastTransaction(built, config)).toBe(built.txid);
    const body = JSON.stringify({ txhex: built.hex });
    expect(calls).toEqual([{ method: 'POST', path: '/tx/raw', account: 'issuer:päss:word', body }]);
  });

  it('reports why the service refuses it', async () => {
    const built = new World().issued();
    const answers = [
      { status: 400, text: 'unexpected response code 500: 258: txn-mempool-conflict' },
      { status: 401, text: '' },
      { status: 200, text: `"${'ab'.repeat(32)}"` },
    ];
    const config = await serve(() => answers.shift() as { status: number; text: string });
    for (const status of [400, 401, 200]) {
      const refusal = await broadcastTransaction(built, config).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(BroadcastError);
      expect(refusal).toMatchObject({ code: 'broadcast-refused', numbers: { status } });
      if (status === 400) expect(String(refusal)).toContain('txn-mempool-conflict');
    }
  });

  it('distinguishes an unreachable service from one that refuses', async () => {
    const config = await serve(() => ({ status: 200, text: '' }));
    server?.close();
    server?.closeAllConnections();
    const built = new World().issued();
    await expect(broadcastTransaction(built, config)).rejects.toMatchObject({ code: 'broadcast-unreachable' });
    await expect(fetchTransaction(built.txid, config)).rejects.toMatchObject({ code: 'broadcast-unreachable' });
  });

  it('fetches transactions for a trace', async () => {
    const world = new World();
    const issued = world.issued();
    const config = await serve(({ path, method }) => {
      const tx = world.txs.get(/^\/tx\/([0-9a-f]{64})\/hex$/.exec(path)?.[1] ?? '');
      if (method !== 'GET' || tx === undefined) return { status: 404, text: 'not found' };
      return { status: 200, text: toHex(serializeTx(tx)) };
    });
    const trace = await traceToken(first(issued), (txid) => fetchTransaction(txid, config));
    expect(trace.steps.map(({ action }) => action)).toEqual(['issue']);
    expect(await fetchTransaction('cd'.repeat(32), config)).toBeUndefined();
  });

  it('requests a txid in lower case, and stops on its signal', async () => {
    const built = new World().issued();
    const paths: string[] = [];
    const config = await serve(({ path }) => {
      paths.push(path);
      return { status: 200, text: built.hex };
    });
    expect(await fetchTransaction(built.txid.toUpperCase(), config)).toBe(built.hex);
    expect(paths).toEqual([`/tx/${built.txid}/hex`]);
    const stopped = fetchTransaction(built.txid, config, AbortSignal.abort());
    await expect(stopped).rejects.toMatchObject({ code: 'broadcast-unreachable' });
  });

  it.runIf(process.env.PLANCHET_LONG)('stops reading an endless reply', async () => {
    server = createServer((_, response) => {
      const more = () => {
        while (!response.destroyed && response.write('00'.repeat(500_000)));
      };
      response.on('drain', more);
      more();
    });
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const env = { API_USERNAME: 'a', API_PASSWORD: 'b', NETWORK: 'test' };
    const config = { ...(await loadTokenConfig({ path: '/nowhere/at/all.json', env })), apiUrl };
    const error = await fetchTransaction('ab'.repeat(32), config).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'broadcast-unreachable' });
    expect(String((error as BroadcastError).cause)).toContain('longer than 130000000 bytes');
  });
});
