import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { selfSigned } from '../../test-support/certificate.ts';
import { basic, type RunningGateway, startGateway } from '../../test-support/gateway.ts';
import { type SandboxUpstream, startSandboxUpstream } from '../../test-support/sandbox-upstream.ts';
import { failure, result, Upstream } from '../../test-support/upstream.ts';
import { lastBlock, type TestSubject, testConnection } from './connection-test.ts';

let node: SandboxUpstream;
const open: { stop(): Promise<void> }[] = [];

beforeAll(async () => {
  node = await startSandboxUpstream();
});
afterAll(() => node.stop());
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part.stop();
});

function subject(address: string, changes: Partial<TestSubject> = {}): TestSubject {
  return { subject: 'upstream', address, headers: {}, ignoreCertificate: false, chains: ['regtest'], ...changes };
}

async function outcomes(tested: TestSubject) {
  const { passed, steps } = await testConnection(tested);
  const failed = steps.find(({ outcome }) => outcome === 'failed');
  return { passed, steps: steps.map(({ step, outcome }) => `${step} ${outcome}`), failed };
}

const authorized = { authorization: basic('me:up') };

describe('a connection test', () => {
  it('passes every step for a node, and for a gateway in front of it', async () => {
    const direct = await testConnection(subject(`http://127.0.0.1:${node.port}/`, { headers: authorized }));
    expect(direct).toMatchObject({ subject: 'upstream', passed: true });
    expect(direct.steps.map(({ outcome }) => outcome)).toEqual([
      'passed',
      'skipped',
      'passed',
      'passed',
      'passed',
      'passed',
    ]);
    expect(direct.steps[4]?.message).toContain('the chain regtest');
    const gateway: RunningGateway = await startGateway(node.url);
    open.push(gateway);
    const headers = { authorization: basic('planchet:secret') };
    const own = await testConnection(subject(`${gateway.address}/`, { subject: 'gateway', headers }));
    expect(own).toMatchObject({ subject: 'gateway', passed: true });
  });

  it('reports that the address does not accept connections', async () => {
    const upstream = await new Upstream(result('1')).start();
    await upstream.stop();
    const { passed, steps, failed } = await outcomes(subject(`${upstream.url}/`));
    expect(passed).toBe(false);
    expect(steps).toEqual([
      'tcp failed',
      'tls skipped',
      'credential skipped',
      'method skipped',
      'chain skipped',
      'serves skipped',
    ]);
    expect(failed?.failure).toMatchObject({ code: 'upstream-unreachable', hint: expect.any(String) as string });
  });

  it('reports that a certificate is not trusted, and continues if the setting allows it', async () => {
    const server = createTlsServer(selfSigned, (request, response) => {
      request.once('data', (body: Buffer) => {
        const info = body.includes('getblockchaininfo') ? '{"chain":"regtest","blocks":1}' : '1';
        const answer = body.includes('getblockheader') ? '{"height":1,"time":5}' : info;
        response.end(`{"result":${answer},"error":null,"id":"test"}`);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.push({ stop: () => new Promise((resolve) => server.close(() => resolve())) });
    const address = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const strict = await outcomes(subject(address));
    expect(strict.steps.slice(0, 3)).toEqual(['tcp passed', 'tls failed', 'credential skipped']);
    expect(strict.failed?.failure?.hint).toContain('ignoreCertificate');
    const loose = await outcomes(subject(address, { ignoreCertificate: true }));
    expect(loose.steps.slice(0, 3)).toEqual(['tcp passed', 'tls passed', 'credential passed']);
    expect(loose.passed).toBe(true);
    expect(await lastBlock(subject(address, { ignoreCertificate: true }))).toEqual({ height: 1, time: 5 });
  });

  it('reports that a port does not speak TLS', async () => {
    const { steps, failed } = await outcomes(subject(`https://127.0.0.1:${node.port}/`));
    expect(steps.slice(0, 2)).toEqual(['tcp passed', 'tls failed']);
    expect(failed?.failure?.hint).toContain('http://');
  });

  it('reports that the credential is refused', async () => {
    const address = `http://127.0.0.1:${node.port}/`;
    const { steps, failed } = await outcomes(subject(address, { headers: { authorization: basic('me:wrong') } }));
    expect(steps.slice(2)).toEqual(['credential failed', 'method skipped', 'chain skipped', 'serves skipped']);
    expect(failed?.failure?.code).toBe('unauthorized');
  });

  it('reports that it is not a node, or one that is still starting', async () => {
    const upstream = await new Upstream((_request, response) => response.end('<html>')).start();
    open.push(upstream);
    const page = await outcomes(subject(`${upstream.url}/`));
    expect(page.steps.slice(2)).toEqual(['credential passed', 'method failed', 'chain skipped', 'serves skipped']);
    expect(page.failed?.message).toContain('not JSON-RPC');
    upstream.answer = failure(-28, 'Loading block index...');
    expect((await outcomes(subject(`${upstream.url}/`))).failed?.message).toContain('Loading block index...');
  });

  it.each(['{"message":"no Route matched with those values"}', 'null', '7', '{"result":"welcome"}'])(
    'is not taken in by JSON that no node sends: %s',
    async (text) => {
      const upstream = await new Upstream((_request, response) => response.end(text)).start();
      open.push(upstream);
      const { steps, failed } = await outcomes(subject(`${upstream.url}/`));
      expect(steps.slice(2)).toEqual(['credential passed', 'method failed', 'chain skipped', 'serves skipped']);
      expect(failed?.failure?.hint).toContain('RPC address of a node');
    },
  );

  it('gives hints for the gateway, whose address is not in the upstream settings', async () => {
    const upstream = await new Upstream(result('1')).start();
    await upstream.stop();
    const { failed } = await outcomes(subject(`${upstream.url}/`, { subject: 'gateway' }));
    expect(failed?.failure?.hint).toBe('Restart the gateway service.');
  });

  it('reports that the node is on another chain', async () => {
    const address = `http://127.0.0.1:${node.port}/`;
    const { steps, failed } = await outcomes(subject(address, { headers: authorized, chains: ['main'] }));
    expect(steps.slice(-2)).toEqual(['chain failed', 'serves skipped']);
    expect(failed?.message).toContain('regtest');
  });

  it('reports that a port closes the connection', async () => {
    const sockets: Socket[] = [];
    const server = createTcpServer((socket) => {
      sockets.push(socket);
      socket.on('data', () => socket.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.push({ stop: () => new Promise((resolve) => server.close(() => resolve())) });
    const { steps, failed } = await outcomes(subject(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`));
    expect(steps.slice(0, 3)).toEqual(['tcp passed', 'tls skipped', 'credential failed']);
    expect(failed?.message).toContain('was not answered');
    for (const socket of sockets) socket.destroy();
  });
});
