import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { UPLOAD_PIECE_BYTES } from '../../../contract/index.ts';
import { sendBeforeReading } from '../../test-support/send-before-reading.ts';
import { bearer, good, HttpConsole, json, type Question } from '../test-support/http-console.ts';
import { CLI_TOKEN } from '../test-support/transports.ts';

const open = HttpConsole.forTests();

describe('attacks on the console', () => {
  const attacks: Record<string, () => Question & { expected: number; code?: string }> = {
    'a page of another origin': () => ({
      headers: { ...good, origin: 'https://evil.example' },
      expected: 403,
    }),
    'a page of another port of this machine': () => ({
      headers: { ...good, origin: 'http://127.0.0.1:3000' },
      expected: 403,
    }),
    'a page under another of our names': () => ({
      headers: { ...good, origin: `http://localhost:${open.port}` },
      expected: 403,
    }),
    'a page without origin': () => ({ headers: { ...good, origin: 'null' }, expected: 403 }),
    'a page over https under our name': () => ({
      headers: { ...good, origin: `https://127.0.0.1:${open.port}` },
      expected: 403,
    }),
    'a name rebound to this machine': () => ({
      headers: { ...good, host: `evil.example:${open.port}`, origin: `http://evil.example:${open.port}` },
      expected: 403,
    }),
    'a name that begins like ours': () => ({
      headers: { ...good, host: `127.0.0.1:${open.port}.evil.example` },
      expected: 403,
    }),
    'our name without the port': () => ({ headers: { ...good, host: '127.0.0.1' }, expected: 403 }),
    'our name with another port': () => ({ headers: { ...good, host: '127.0.0.1:1' }, expected: 403 }),
    'an empty name': () => ({ headers: { ...good, host: '' }, expected: 400 }),
    'a request from another site': () => ({ headers: { ...good, 'sec-fetch-site': 'cross-site' }, expected: 403 }),
    'a request from the same site': () => ({ headers: { ...good, 'sec-fetch-site': 'same-site' }, expected: 403 }),
    'a form as text': () => ({ headers: { ...bearer, 'content-type': 'text/plain' }, expected: 415 }),
    'a form as form': () => ({
      headers: { ...bearer, 'content-type': 'application/x-www-form-urlencoded' },
      expected: 415,
    }),
    'a body without type': () => ({ headers: bearer, expected: 415 }),
    'a type that hides another': () => ({
      headers: { ...bearer, 'content-type': 'text/plain; application/json' },
      expected: 415,
    }),
    'no credential': () => ({ headers: json, expected: 401, code: 'unauthorized' }),
    'a wrong token': () => ({ headers: { ...json, authorization: `Bearer ${CLI_TOKEN}x` }, expected: 401 }),
    'a part of the token': () => ({
      headers: { ...json, authorization: `Bearer ${CLI_TOKEN.slice(0, -1)}` },
      expected: 401,
    }),
    'an empty token': () => ({ headers: { ...json, authorization: 'Bearer ' }, expected: 401 }),
    'the token as a password': () => ({
      headers: { ...json, authorization: `Basic ${Buffer.from(`:${CLI_TOKEN}`).toString('base64')}` },
      expected: 401,
    }),
    'a made-up cookie': () => ({
      headers: { ...json, cookie: `planchet_session_${open.port}=${'A'.repeat(43)}` },
      expected: 401,
    }),
    'a one-time token as a cookie': () => ({
      headers: { ...json, cookie: `planchet_session_${open.port}=${open.server.createLoginToken()}` },
      expected: 401,
    }),
    'a procedure by GET': () => ({ method: 'GET', path: '/api/app/info?data=%7B%7D', headers: bearer, expected: 405 }),
    'a procedure by PUT': () => ({ method: 'PUT', headers: good, expected: 405 }),
    'a preflight': () => ({
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
      expected: 405,
    }),
    'a TRACE': () => ({ method: 'TRACE', path: '/', expected: 405 }),
    'deleting the page': () => ({ method: 'DELETE', path: '/', expected: 405 }),
    'a procedure that is none': () => ({ path: '/api/app/nothing', headers: good, body: '{}', expected: 404 }),
    'a property of objects as a procedure': () => ({
      path: '/api/__proto__/constructor',
      headers: good,
      body: '{}',
      expected: 404,
    }),
    'a body that is no JSON': () => ({ headers: good, body: '{"json":', expected: 400, code: 'invalid-input' }),
    'a body that reaches for the prototype': () => ({
      headers: good,
      body: '{"json":{"__proto__":{"admin":true}}}',
      expected: 400,
    }),
    'a body that is null': () => ({ headers: good, body: 'null', expected: 422, code: 'FAILED' }),
    'a form that is none': () => ({
      path: '/api/files/append',
      headers: { ...bearer, 'content-type': 'multipart/form-data; boundary=x' },
      body: 'nonsense',
      expected: 400,
    }),
    'a large JSON body': () => ({ headers: good, body: `{"json":"${'a'.repeat(5_000_000)}"}`, expected: 413 }),
    'a larger body for a backup': () => ({
      path: '/api/wallet/backup/check',
      headers: { ...good, 'content-length': '8100000' },
      body: '{}',
      expected: 413,
    }),
    'a larger body for a backup that is restored': () => ({
      path: '/api/wallet/restoreBackup',
      headers: good,
      body: `{"json":{"text":"${'a'.repeat(5_000_000)}","passphrase":"p"}}`,
      expected: 422,
      code: 'FAILED',
    }),
    'a larger body for a settings file': () => ({
      path: '/api/settings/previewImport',
      headers: { ...good, 'content-length': '1048577' },
      body: '{}',
      expected: 413,
    }),
    'a JSON body of many values': () => ({
      headers: good,
      body: `{"json":[${'0,'.repeat(1_000_000)}0]}`,
      expected: 413,
      code: 'invalid-input',
    }),
    'a JSON body of many levels': () => ({
      headers: good,
      body: `{"json":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`,
      expected: 413,
    }),
    'a large login': () => ({
      path: '/session',
      headers: json,
      body: `{"token":"${'a'.repeat(5_000)}"}`,
      expected: 413,
    }),
    'a large form': () => ({
      path: '/api/files/append',
      headers: { ...bearer, 'content-type': 'multipart/form-data; boundary=x' },
      body: Buffer.alloc(UPLOAD_PIECE_BYTES + 100_000),
      expected: 413,
    }),
    'a body that says it is large': () => ({
      headers: { ...good, 'content-length': '99999999' },
      body: '{}',
      expected: 413,
    }),
    'a large unauthenticated body': () => ({
      headers: { ...json, 'content-length': '99999999' },
      body: '{}',
      expected: 401,
    }),
    'headers without end': () => ({ headers: { ...good, cookie: 'a'.repeat(20_000) }, body: '{}', expected: 431 }),
    'another page as the target': () => ({ method: 'GET', path: 'http://evil.example/', expected: 400 }),
    'a path that leads up': () => ({ method: 'GET', path: '/../../etc/passwd', expected: 404 }),
    'an encoded path that leads up': () => ({ method: 'GET', path: '/%2e%2e/%2e%2e/etc/passwd', expected: 404 }),
    'a path with encoded slashes': () => ({ method: 'GET', path: '/..%2f..%2fetc%2fpasswd', expected: 404 }),
    'a path with backslashes': () => ({ method: 'GET', path: '/..%5c..%5cetc%5cpasswd', expected: 404 }),
    'a path with a NUL': () => ({ method: 'GET', path: '/index.html%00.js', expected: 404 }),
    'a path that is no UTF-8': () => ({ method: 'GET', path: '/%ff', expected: 400 }),
    'the page from another site': () => ({
      method: 'GET',
      path: '/',
      headers: { 'sec-fetch-site': 'cross-site' },
      expected: 403,
    }),
    'the page under a rebound name': () => ({
      method: 'GET',
      path: '/',
      headers: { host: `evil.example:${open.port}` },
      expected: 403,
    }),
    'a login from another origin': () => ({
      path: '/session',
      headers: { ...json, origin: 'https://evil.example' },
      body: JSON.stringify({ token: open.server.createLoginToken() }),
      expected: 403,
    }),
    'a login as text': () => ({
      path: '/session',
      headers: { 'content-type': 'text/plain' },
      body: JSON.stringify({ token: open.server.createLoginToken() }),
      expected: 415,
    }),
    'a login without token': () => ({ path: '/session', headers: json, body: '{"token":5}', expected: 400 }),
  };

  it.each(Object.keys(attacks))('%s', async (name) => {
    const { expected, code, ...question } = (attacks[name] as (typeof attacks)[string])();
    const answer = await open.ask(question);
    expect(answer.status).toBe(expected);
    for (const header of Object.keys(answer.headers)) expect(header).not.toMatch(/^access-control-/);
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(answer.text).not.toMatch(/evil|passwd|stack|node_modules/);
    if (code) expect(answer.text).toContain(code);
  });

  it('have no effect where a check refuses them', async () => {
    const body = JSON.stringify({ json: { theme: 'dark' } });
    for (const headers of [
      { ...good, origin: 'https://evil.example' },
      { ...bearer, 'content-type': 'text/plain' },
      json,
    ]) {
      await open.ask({ path: '/api/app/setTheme', headers, body });
    }
    expect(await open.host.context.app.snapshot()).toMatchObject({ theme: 'system' });
    await open.ask({ path: '/api/app/setTheme', headers: good, body });
    expect(await open.host.context.app.snapshot()).toMatchObject({ theme: 'dark' });
  });

  it('are answered with the hosts that are accepted', async () => {
    const answer = await open.ask({ headers: { ...good, host: 'my-machine:9400' } });
    expect(JSON.parse(answer.text)).toMatchObject({
      code: 'forbidden',
      message: `The console answers only to the names localhost:${open.port}, 127.0.0.1:${open.port}, [::1]:${open.port}.`,
      hint: `Open http://localhost:${open.port} instead.`,
    });
  });

  it('with two Host headers or a line break in a header are refused', async () => {
    const raw = (lines: string[]): Promise<string> =>
      new Promise((resolve, reject) => {
        const socket = connect(open.port, '127.0.0.1', () => socket.write(`${lines.join('\r\n')}\r\n\r\n`));
        let text = '';
        socket.on('data', (chunk) => {
          text += chunk.toString();
        });
        socket.on('error', reject);
        socket.on('close', () => resolve(text));
      });
    const host = `Host: 127.0.0.1:${open.port}`;
    expect(await raw(['GET / HTTP/1.1', host, 'Host: evil.example', 'Connection: close'])).toMatch(/^HTTP\/1.1 40[03]/);
    expect(await raw(['GET / HTTP/1.1', host, 'X-A: b\rSet-Cookie: c=d', 'Connection: close'])).toMatch(
      /^HTTP\/1.1 400/,
    );
    expect(await raw(['GET / HTTP/1.1', 'Connection: close'])).toMatch(/^HTTP\/1.1 40[03]/);
    expect(await raw(['GET / HTTP/1.1', host, 'Connection: close'])).toMatch(/^HTTP\/1.1 200/);
  });

  it.each([
    ['an unauthenticated call', '/api/app/info', '', 401],
    ['a procedure', '/api/app/info', `Authorization: ${bearer.authorization}\r\n`, 413],
    ['a login', '/session', '', 413],
  ])('that send 60 MB before they read still get the reason, to %s', async (_, path, authorization, status) => {
    for (const length of ['Content-Length: 60000000', 'Transfer-Encoding: chunked']) {
      const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${open.port}\r\nContent-Type: application/json\r\n${authorization}${length}\r\n\r\n`;
      const body = length.startsWith('T') ? `${head}3938700\r\n` : head;
      const { heard, errors } = await sendBeforeReading(open.port, body, 60_000_000);
      expect(errors).toEqual([]);
      expect(heard).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    }
  });

  it('with a login of 60 kB get the reason of the refusal', async () => {
    const head = `POST /session HTTP/1.1\r\nHost: 127.0.0.1:${open.port}\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n`;
    const { heard, errors } = await sendBeforeReading(open.port, head, 60_000);
    expect(errors).toEqual([]);
    expect(heard).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('leave no credential in the log', async () => {
    const token = open.server.createLoginToken();
    const cookie = await open.signIn(token);
    await open.ask({ headers: { ...json, cookie }, body: '{}' });
    await open.ask({ headers: { ...good, origin: 'https://evil.example' } });
    await open.ask({ headers: { ...json, authorization: 'Bearer some-wrong-token' } });
    const log = open.host.logs.join('\n');
    expect(log).toContain('request refused');
    for (const secret of [token, cookie.split('=')[1] as string, CLI_TOKEN, 'some-wrong-token']) {
      expect(log).not.toContain(secret);
    }
  });
});
