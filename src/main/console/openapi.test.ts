import { describe, expect, it } from 'vitest';
import { contract } from '../../contract/index.ts';
import { Described } from '../open-api/test-support/described.ts';
import { consoleDocument } from './openapi.ts';
import { bearer, good, HttpConsole, json } from './test-support/http-console.ts';

const console = HttpConsole.forTests();

function proceduresIn(table: object, path = ''): string[] {
  return Object.entries(table).flatMap(([name, value]: [string, object]) =>
    '~orpc' in value ? [`${path}/${name}`] : proceduresIn(value, `${path}/${name}`),
  );
}

describe('GET /openapi', () => {
  it('gives the documents to anybody on this machine, and lists them', async () => {
    const index = await console.ask({ method: 'GET', path: '/openapi/index.json' });
    expect(JSON.parse(index.text)).toEqual({ documents: ['/openapi/console.json'] });
    const given = await console.ask({ method: 'GET', path: '/openapi/console.json' });
    expect(given).toMatchObject({ status: 200, headers: { 'content-type': 'application/json; charset=utf-8' } });
    expect(JSON.parse(given.text)).toEqual(JSON.parse(JSON.stringify(consoleDocument())));
    for (const path of ['/openapi/nothing.json', '/openapi/constructor.json', '/openapi/console']) {
      expect((await console.ask({ method: 'GET', path })).status).toBe(404);
    }
  });

  it('is refused to pages of other origins', async () => {
    const headers = { origin: 'https://page.example' };
    expect((await console.ask({ method: 'GET', path: '/openapi/console.json', headers })).status).toBe(403);
  });
});

/** Calls of every procedure over HTTP are held against the document in transports.test.ts. */
describe('the document of the console', () => {
  it('has every procedure of the contract', () => {
    const paths = Object.keys(consoleDocument().paths).filter((path) => path.startsWith('/api/'));
    expect(paths).toEqual(proceduresIn(contract, '/api'));
  });

  it('describes sign-in, probes and every kind of refusal', async () => {
    const described = new Described(consoleDocument());
    const ask = async (question: Parameters<HttpConsole['ask']>[0]): Promise<void> => {
      const { status, headers, text } = await console.ask(question);
      const { method = 'POST', path = '/api/app/info' } = question;
      expect(described.hold({ method, path, status, contentType: headers['content-type'] ?? '', headers, text })).toBe(
        true,
      );
    };
    const token = console.server.createLoginToken();
    await ask({ path: '/session', headers: json, body: JSON.stringify({ token }) });
    await ask({ path: '/session', headers: json, body: JSON.stringify({ token }) });
    await ask({ path: '/session', headers: json, body: '{}' });
    await ask({ method: 'GET', path: '/session', headers: bearer });
    await ask({ method: 'GET', path: '/session' });
    await ask({ method: 'GET', path: '/healthz' });
    await ask({ method: 'GET', path: '/readyz' });
    await ask({ method: 'GET', path: '/openapi/index.json' });
    await ask({ headers: json, body: '{}' });
    await ask({ headers: { ...good, host: 'evil.example' }, body: '{}' });
    await ask({ headers: { ...good, origin: 'https://evil.example' }, body: '{}' });
    await ask({ headers: { ...bearer, 'content-type': 'text/plain' }, body: '{}' });
    await ask({ headers: good, body: '{' });
    await ask({ headers: { ...good, 'content-length': String(100 * 1_048_576) } });
    await ask({ headers: good, path: '/api/projects/create', body: '{"json":{"name":1}}' });
    for (let left = 40; left > 0; left -= 1)
      await ask({ headers: { ...json, authorization: 'Bearer no' }, body: '{}' });
    const statuses = [...described.seen].flatMap((one) =>
      one.includes('/api/') ? [Number(one.split(' ').pop())] : [],
    );
    expect([...new Set(statuses)].sort()).toEqual([400, 401, 403, 413, 415, 422, 429]);
  });
});
