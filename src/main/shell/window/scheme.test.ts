import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appRequestHandler, devRequestHandler } from './scheme.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-scheme-'));
  writeFileSync(join(folder, 'index.html'), '<meta content="__CSP_NONCE__">');
  writeFileSync(join(folder, 'a.js'), 'export {}');
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Electron accepts its own schemes here; Node's Request does too. */
const ask = (url: string, init?: RequestInit): Promise<Response> => appRequestHandler(folder)(new Request(url, init));

describe('the scheme', () => {
  it('serves the page under its policy', async () => {
    const answer = await ask('planchet://app/');
    expect(answer.status).toBe(200);
    const nonce = /content="([^"]+)"/.exec(await answer.text())?.[1];
    expect(answer.headers.get('content-security-policy')).toContain(`'nonce-${nonce}'`);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect((await ask('planchet://app/a.js?v=1#x')).headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(await (await ask('planchet://app/a.js', { method: 'HEAD' })).text()).toBe('');
  });

  it.each([
    ['planchet://app/../../etc/passwd', 404],
    ['planchet://app/%2e%2e/%2e%2e/etc/passwd', 404],
    ['planchet://app/nothing.js', 404],
    ['planchet://other/', 404],
    ['planchet://app:81/', 404],
    ['https://app/', 404],
  ])('serves nothing for %s', async (url, status) => {
    const answer = await ask(url);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it('accepts no other method', async () => {
    expect((await ask('planchet://app/', { method: 'POST', body: '{}' })).status).toBe(405);
  });
});

describe('the scheme over a development server', () => {
  let server: Server;
  let url: string;
  const seen: string[] = [];
  beforeAll(async () => {
    server = createServer((request, response) => {
      seen.push(`${request.method} ${request.url}`);
      response.setHeader('content-type', 'text/javascript');
      response.end('export {}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  it('passes requests on and sets its own policy', async () => {
    const answer = await devRequestHandler(url)(new Request('planchet://app/@vite/client?t=1'));
    expect(await answer.text()).toBe('export {}');
    expect(seen).toEqual(['GET /@vite/client?t=1']);
    expect(answer.headers.get('content-security-policy')).toContain(`connect-src 'self' ws://${new URL(url).host}`);
    expect((await devRequestHandler(url)(new Request('planchet://other/'))).status).toBe(404);
  });

  it('never asks another host, whatever the path', async () => {
    const before = seen.length;
    await devRequestHandler(url)(new Request('planchet://app//evil.example/x'));
    expect(seen).toHaveLength(before + 1);
  });
});
