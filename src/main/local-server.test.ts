import { createServer } from 'node:http';
import { hostname } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { phrase } from '../contract/index.ts';
import {
  type ListenOptions,
  type LocalServer,
  listenLocally,
  parseBind,
  refuseBrowser,
  sameSecret,
} from './local-server.ts';

const open: LocalServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function listen(bind: string, changes: Partial<ListenOptions> = {}): Promise<LocalServer> {
  const server = await listenLocally({
    bind,
    key: 'rpcBind',
    remoteFix: phrase('fix.own-credentials'),
    create: () => createServer((_request, response) => response.end('ok')),
    ...changes,
  });
  open.push(server);
  return server;
}

describe('parseBind', () => {
  it.each([
    [':8332', ['127.0.0.1', '::1'], 8332, true],
    ['localhost:0', ['127.0.0.1', '::1'], 0, true],
    ['127.0.0.2:1', ['127.0.0.2'], 1, true],
    ['[::1]:1', ['::1'], 1, true],
    ['0.0.0.0:1', ['0.0.0.0'], 1, false],
    ['[::]:1', ['::'], 1, false],
    ['127.0.0.1.evil.example:1', ['127.0.0.1.evil.example'], 1, false],
    ['192.168.1.5:1', ['192.168.1.5'], 1, false],
  ])('reads %s', (text, hosts, port, loopback) => {
    expect(parseBind(text)).toEqual({ hosts, port, loopback });
  });
});

describe('listenLocally', () => {
  it('serves both loopback addresses on one free port', async () => {
    const server = await listen(':0');
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
    for (const host of ['127.0.0.1', '[::1]']) {
      expect(await (await fetch(`http://${host}:${server.port}/`)).text()).toBe('ok');
    }
  });

  it('holds neither address when the other is taken', async () => {
    const taken = await listen('[::1]:0');
    await expect(listen(`:${taken.port}`)).rejects.toMatchObject({ code: 'port-in-use' });
    const free = await listen(`127.0.0.1:${taken.port}`);
    expect(free.port).toBe(taken.port);
  });

  it('refuses other machines unless allowed, and an address this machine does not have', async () => {
    await expect(listen('0.0.0.0:0')).rejects.toMatchObject({
      code: 'bind-refused',
      hint: 'Set a user name and password of your own first, with rpcUsername and rpcPassword. Or listen on this machine alone: planchet settings set rpcBind :0',
    });
    await expect(listen('192.0.2.1:0', { remoteFix: null })).rejects.toMatchObject({ code: 'bind-refused' });
    expect((await listen('0.0.0.0:0', { remoteFix: null })).url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  it('stops though a connection was opened and never used', async () => {
    const { connect } = await import('node:net');
    const server = await listen(':0');
    const socket = connect(server.port, '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => {});
    socket.resume();
    await server.close();
    await closed;
  });
});

describe('the Host header', () => {
  it('names this server by a loopback name alone, with its port or none', async () => {
    const server = await listen(':0');
    const { port } = server;
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, 'localhost', '127.0.0.1', '[::1]']) {
      expect([host, server.isOurs(host)]).toEqual([host, true]);
    }
    const foreign = [
      undefined,
      '',
      ':',
      `:${port}`,
      `evil.example:${port}`,
      `localhost:${port}:`,
      `localhost:0${port}`,
    ];
    for (const host of [...foreign, 'localhost:1', 'localhost.', '::1', `127.0.0.1:${port}, x`, '127.1', hostname()]) {
      expect([host, server.isOurs(host)]).toEqual([host, host === 'localhost']);
    }
  });

  it('may be any address, but no foreign name, where other machines are allowed', async () => {
    const server = await listen('0.0.0.0:0', { remoteFix: null });
    expect(server.isOurs(`192.168.0.7:${server.port}`)).toBe(true);
    expect(server.isOurs(`${hostname()}:${server.port}`)).toBe(true);
    expect(server.isOurs(`evil.example:${server.port}`)).toBe(false);
  });

  it('is refused with a list of the accepted names, which are more where other machines are allowed', async () => {
    const own = await listen(':0');
    const open = await listen('0.0.0.0:0', { remoteFix: null });
    const asked = { host: 'evil.example' };
    expect(refuseBrowser(asked, own)).toMatch(new RegExp(`localhost:${own.port} or \\[::1\\]:${own.port}\\.$`));
    expect(refuseBrowser(asked, open)).toMatch(/this machine’s name or address with that port\.$/);
  });

  it('is checked before Origin and Sec-Fetch-Site', async () => {
    const server = await listen(':0');
    expect(refuseBrowser({ host: 'evil.example', origin: 'x' }, server)).toContain(`localhost:${server.port}`);
    expect(refuseBrowser({ host: 'localhost', origin: 'http://localhost' }, server)).toContain('Web pages');
    expect(refuseBrowser({ host: 'localhost', 'sec-fetch-site': 'cross-site' }, server)).toContain('Web pages');
    expect(refuseBrowser({ host: 'localhost', 'sec-fetch-site': 'none' }, server)).toBeUndefined();
  });
});

describe('sameSecret', () => {
  it('is true for equal texts of any length alone', () => {
    expect(sameSecret('a', 'a')).toBe(true);
    expect(sameSecret('a', 'b')).toBe(false);
    expect(sameSecret('', 'a'.repeat(1_000))).toBe(false);
  });
});
