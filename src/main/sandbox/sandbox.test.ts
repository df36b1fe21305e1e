import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import BitcoinCore from 'bitcoin-core';
import BitcoindRpc from 'bitcoind-rpc';
import { afterEach, describe, expect, it } from 'vitest';
import {
  fromHex,
  hash160,
  p2pkhScript,
  parseHeader,
  parseInscription,
  parseTx,
  satoshis,
  sha256,
  toHex,
  verifyEnvelope,
  verifyTscProof,
} from '../../chain/index.ts';
import { CONTENT, publicKeyOf, sign, TestSandbox, walletAddress, walletKey } from './test-support/open-sandbox.ts';

const opened: TestSandbox[] = [];
const use = (sandbox: TestSandbox): TestSandbox => {
  opened.push(sandbox);
  return sandbox;
};
afterEach(async () => {
  for (const sandbox of opened.splice(0)) await sandbox.remove();
});

describe('the sandbox', () => {
  it('mints a token through its APIs, from the request to the proof', async () => {
    const sandbox = use(await TestSandbox.open());
    const projectUid = await sandbox.createProject();
    const outputUid = await sandbox.createOutput(projectUid);
    const created = await sandbox.createTransaction(projectUid, [outputUid]);
    expect(created.body).toMatchObject({
      success: true,
      data: { transactionUid: expect.any(String), txObj: { version: 1 } },
    });
    const { transactionUid, txObj } = created.body.data;
    const raw = sign(txObj);
    const tx = parseTx(fromHex(raw));

    const token = parseInscription(tx.outputs[0]?.script as Uint8Array);
    expect(tx.outputs[0]?.satoshis).toBe(1);
    expect(token?.contentType).toBe('text/plain;charset=utf-8');
    expect(Buffer.from(token?.content as Uint8Array)).toEqual(CONTENT);
    expect(token?.map).toEqual({
      app: 'Planchet Sandbox',
      name: 'Moon',
      type: 'ord',
      phase: 'full',
      subType: 'single',
      description: 'one moon',
      subTypeData: '{"description": "one moon"}',
    });
    expect(Object.keys(token?.map ?? {})).toEqual([
      'app',
      'name',
      'type',
      'phase',
      'subType',
      'description',
      'subTypeData',
    ]);
    expect(tx.outputs).toHaveLength(2);
    expect(tx.outputs[1]?.script).toEqual(p2pkhScript(hash160(publicKeyOf(walletKey))));
    const fee = txObj.inputs[0].output.satoshis - 1 - (tx.outputs[1]?.satoshis ?? 0);
    expect(fee).toBeGreaterThanOrEqual(Math.floor(raw.length / 2 / 2));
    expect(fee).toBeLessThanOrEqual(Math.ceil(raw.length / 2 / 2) + 2);

    const submitted = await sandbox.token('POST', '/submit', { transactionUid, tx: raw });
    expect(submitted.status).toBe(200);
    const { txId } = submitted.body.data;
    const waiting = await sandbox.mapi('GET', `/tx/${txId}`);
    expect(verifyEnvelope(waiting.body)).toBe('valid');
    expect(JSON.parse(waiting.body.payload)).not.toHaveProperty('blockHash');

    const {
      hashes: [blockHash],
    } = await sandbox.service.mine({ blocks: 1 });
    const mined = JSON.parse((await sandbox.mapi('GET', `/tx/${txId.toUpperCase()}`)).body.payload);
    expect(mined).toMatchObject({ txid: txId, returnResult: 'success', blockHash, blockHeight: 121, confirmations: 1 });

    const rpc = new URL(sandbox.service.endpoints().bitcoinRpcUrl);
    const authorization = `Basic ${Buffer.from(`${rpc.username}:${rpc.password}`).toString('base64')}`;
    const call = async (method: string, params: unknown[]) =>
      (await sandbox.send('POST', rpc.pathname, { id: 1, method, params }, { authorization })).body.result;
    expect(await call('getrawtransaction', [txId])).toBe(raw);
    const proof = await call('getmerkleproof2', [blockHash, txId, false, 'header']);
    expect(verifyTscProof(proof, parseHeader(fromHex(proof.target)).merkleRoot)).toBe(true);

    const { body } = await sandbox.token('GET', `/output/by-project/${projectUid}?on-chain=1`);
    expect(body.data.outputList).toMatchObject([
      {
        uid: outputUid,
        transactionUid,
        offChainData: { b64FileHash: toHex(sha256(CONTENT)), b64FileSize: CONTENT.length },
      },
    ]);
    expect((await sandbox.token('GET', '/quota')).body.data).toMatchObject({ totalUsed: 1, available: 9_999 });
  });

  it('serves third-party node clients, with all checks in place', async () => {
    const sandbox = use(await TestSandbox.open());
    const { origin, hostname, port, username, password } = new URL(sandbox.service.endpoints().bitcoinRpcUrl);
    const core = new BitcoinCore({ host: `${origin}/rpc`, username, password });
    const { tx, transactionUid } = await sandbox.prepareMint();
    const { txId } = (await sandbox.submit(transactionUid, tx)).body.data;
    expect(await core.command('getrawtransaction', txId)).toBe(tx);
    const [hash] = await core.command('generate', 1);
    expect(hash).toBe(sandbox.service.node.tip().hash);

    BitcoindRpc.config = { logger: 'none' };
    const bitcoind = new BitcoindRpc({
      protocol: 'http',
      host: hostname,
      port: Number(port),
      user: username,
      pass: password,
    });
    bitcoind.httpOptions = { path: '/rpc' };
    const block = await new Promise<unknown>((resolve, reject) => {
      const getBlock = bitcoind.getBlock as (hash: string, done: (error: unknown, answer?: unknown) => void) => void;
      getBlock.call(bitcoind, hash, (error, answer) => (error ? reject(error as Error) : resolve(answer)));
    });
    expect(block).toMatchObject({ result: { hash, tx: expect.arrayContaining([txId]) } });
  });

  it('funds an address that the client names', async () => {
    const sandbox = use(await TestSandbox.open());
    const { txid } = await sandbox.service.fund({ address: walletAddress, satoshis: 5_000 });
    expect(parseTx((await sandbox.service.node.transaction(txid))?.raw as Uint8Array).outputs[0]).toEqual({
      satoshis: satoshis(5_000),
      script: p2pkhScript(hash160(publicKeyOf(walletKey))),
    });
    await expect(sandbox.service.fund({ address: 'nonsense', satoshis: 1 })).rejects.toMatchObject({
      code: 'address-invalid',
    });
    await expect(sandbox.service.fund({ address: walletAddress, satoshis: 0.5 })).rejects.toMatchObject({
      code: 'invalid-input',
    });
    await expect(
      sandbox.service.fund({ address: walletAddress, satoshis: 2_000_000_000_000_000 }),
    ).rejects.toMatchObject({
      code: 'funds-insufficient',
    });
    await expect(sandbox.service.mine({ blocks: 0 })).rejects.toMatchObject({ code: 'invalid-input' });
  });
});

/** Listens where the system never lets another program listen by itself, so that the port stays free once it is closed. */
async function listenBelowEphemeralPorts(server: Server): Promise<number> {
  for (let port = 20_000 + (process.pid % 10_000); ; port++) {
    server.listen(port, '127.0.0.1');
    const failed = await once(server, 'listening').catch((error: NodeJS.ErrnoException) => error);
    if (Array.isArray(failed)) return port;
    if (failed.code !== 'EADDRINUSE') throw failed;
  }
}

describe('the sandbox service', () => {
  it('preserves everything over a restart', async () => {
    const sandbox = use(await TestSandbox.open());
    const { projectUid, outputUid, transactionUid, tx } = await sandbox.prepareMint();
    const apiKey = sandbox.service.apiKey();
    expect(apiKey).toMatch(/^sandboxnet_[a-z]{26}$/);
    const first = sandbox.service.endpoints();
    const minerId = JSON.parse((await sandbox.mapi('GET', '/feeQuote')).body.payload).minerId;

    await sandbox.restart();
    expect(sandbox.service.apiKey()).toBe(apiKey);
    expect(sandbox.service.endpoints().bitcoinRpcUrl).not.toBe(first.bitcoinRpcUrl);
    expect(JSON.parse((await sandbox.mapi('GET', '/feeQuote')).body.payload).minerId).toBe(minerId);
    const submitted = await sandbox.token('POST', '/submit', { transactionUid, tx });
    expect(submitted.status).toBe(200);
    await sandbox.service.mine({ blocks: 1 });

    await sandbox.restart();
    const again = await sandbox.token('POST', '/submit', { transactionUid, tx });
    expect(again.body).toEqual(submitted.body);
    const { body } = await sandbox.token('GET', `/output/by-project/${projectUid}?onchain=1`);
    expect(body.data.outputList.map(({ uid }: { uid: string }) => uid)).toEqual([outputUid]);
    expect((await sandbox.token('GET', '/quota')).body.data.totalUsed).toBe(1);
  });

  it('stops with a client connected, and then reports that it is stopped', async () => {
    const sandbox = use(await TestSandbox.open());
    await sandbox.token('GET', '/project/');
    await sandbox.service.stop();
    expect(() => sandbox.service.endpoints()).toThrow(expect.objectContaining({ code: 'not-running' }));
  });

  it('stops while a client holds back the rest of its request, which is cut off', async () => {
    const sandbox = use(await TestSandbox.open());
    const { port } = new URL(sandbox.root);
    const socket = connect(Number(port), '127.0.0.1');
    const cut = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => undefined);
    socket.write(
      `POST /token/v1/submit HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: application/json\r\nApikey: ${sandbox.service.apiKey()}\r\nContent-Length: 100\r\n\r\n{"tx`,
    );
    await sandbox.token('GET', '/project/');
    await sandbox.service.stop();
    await cut;
  });

  it('listens on both loopback addresses under the name localhost', async () => {
    const sandbox = use(await TestSandbox.open({ bind: 'localhost:0' }));
    expect((await sandbox.token('GET', '/quota')).status).toBe(200);
    expect(sandbox.service.endpoints().bitcoinZmqUrl).toMatch(/^tcp:\/\/127\.0\.0\.1:[1-9]\d*$/);
  });

  it('listens on this machine only', async () => {
    for (const bind of ['0.0.0.0:0', '[::]:0', '192.168.1.4:9600']) {
      const sandbox = use(new TestSandbox({ bind }));
      await expect(sandbox.service.start()).rejects.toMatchObject({ code: 'bind-refused' });
    }
    const sandbox = use(new TestSandbox({ zmqAddress: 'tcp://*:0' }));
    await expect(sandbox.service.start()).rejects.toMatchObject({ code: 'bind-refused' });
  });

  it('names the setting when its port is taken, and starts once it is free', async () => {
    const other = createServer();
    const port = await listenBelowEphemeralPorts(other);
    const sandbox = use(new TestSandbox({ bind: `127.0.0.1:${port}` }));
    await expect(sandbox.service.start()).rejects.toMatchObject({
      code: 'port-in-use',
      hint: expect.stringContaining('planchet settings set sandbox.bind'),
    });
    await sandbox.service.stop();
    await new Promise((resolve) => other.close(resolve));
    expect(await sandbox.service.start()).toEqual({ address: `http://127.0.0.1:${port}` });
  });

  it('leaves no fault on that was turned on during a start that failed', async () => {
    const other = createServer();
    const port = await listenBelowEphemeralPorts(other);
    const sandbox = use(new TestSandbox({ bind: `127.0.0.1:${port}` }));
    const starting = expect(sandbox.service.start()).rejects.toMatchObject({ code: 'port-in-use' });
    const set = sandbox.service.faults.set({ name: 'http-error', value: 503, times: null, area: 'mapi' });
    await expect(set).rejects.toMatchObject({ code: 'not-running' });
    await starting;
    expect(sandbox.service.activeFaults()).toEqual([]);
    await new Promise((resolve) => other.close(resolve));
  });

  it('mines automatically when a transaction arrives', async () => {
    const sandbox = use(await TestSandbox.open({ mineOnArrival: '1s' }));
    const { transactionUid, tx } = await sandbox.prepareMint();
    await sandbox.token('POST', '/submit', { transactionUid, tx });
    const next = new Promise((resolve) => sandbox.service.node.onTip(resolve));
    sandbox.clock.advance(1_000);
    await next;
    expect(sandbox.service.node.tip().height).toBe(121);
  });

  it('writes no API key to the log', async () => {
    const sandbox = use(await TestSandbox.open());
    await sandbox.token('GET', '/project/');
    const { password } = new URL(sandbox.service.endpoints().bitcoinRpcUrl);
    for (const secret of [sandbox.service.apiKey(), password]) expect(sandbox.logged.join('')).not.toContain(secret);
  });
});
