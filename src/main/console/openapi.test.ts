import { describe, expect, it } from 'vitest';
import { contract } from '../../contract/index.ts';
import type { Answer, Content, OpenApiDocument, Operation, Part } from '../open-api/parts.ts';
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
    for (const path of ['/openapi', '/openapi/', '/openapi/index.json']) {
      const index = await console.ask({ method: 'GET', path });
      expect(JSON.parse(index.text)).toEqual({ documents: ['/openapi/console.json'] });
    }
    const given = await console.ask({ method: 'GET', path: '/openapi/console.json' });
    expect(given).toMatchObject({ status: 200, headers: { 'content-type': 'application/json; charset=utf-8' } });
    expect(JSON.parse(given.text)).toEqual(
      JSON.parse(JSON.stringify(consoleDocument(`http://127.0.0.1:${console.port}`))),
    );
    for (const path of ['/openapi/nothing.json', '/openapi/constructor.json', '/openapi/console']) {
      expect((await console.ask({ method: 'GET', path })).status).toBe(404);
    }
  });

  it('names the address and the cookie of the port that the console listens on', async () => {
    const { text } = await console.ask({ method: 'GET', path: '/openapi/console.json' });
    const { servers, components } = JSON.parse(text) as OpenApiDocument;
    expect(servers?.[0]?.url).toBe(`http://127.0.0.1:${console.port}`);
    const cookie = await console.signIn();
    expect(components?.securitySchemes?.session).toMatchObject({ name: cookie.split('=')[0] });
  });

  it('is refused to pages of other origins', async () => {
    const headers = { origin: 'https://page.example' };
    expect((await console.ask({ method: 'GET', path: '/openapi/console.json', headers })).status).toBe(403);
  });
});

describe('files in the OpenAPI document of the console', () => {
  const { paths } = consoleDocument();
  /** The fields of a form: those of `data` with their schemas, and the names of all. */
  function formOf(content: Content = {}): { fields: string[]; data: string[] } {
    const schema = content['multipart/form-data']?.schema as { properties: Record<string, Part>; required: string[] };
    const envelope = schema.properties.data?.contentSchema as { required: string[] };
    return { fields: schema.required, data: envelope.required };
  }
  const call = async (path: string, json: unknown): Promise<unknown> => {
    const { text } = await console.ask({ path, headers: good, body: JSON.stringify({ json }) });
    return JSON.parse(text).json;
  };
  async function send(path: string, body: FormData | string): Promise<Response> {
    const headers = typeof body === 'string' ? good : bearer;
    return fetch(`http://127.0.0.1:${console.port}${path}`, { method: 'POST', headers, body });
  }

  async function upload(text: string, contentType: string): Promise<string> {
    const operation = paths['/api/files/append']?.post as Operation;
    const { fields, data } = formOf(operation.requestBody?.content);
    const { uploadId } = (await call('/api/files/begin', { name: 'a', bytes: text.length, contentType })) as never;
    const maps = /`maps`[^`]*`([^`]*)`/.exec(operation.description as string)?.[1] as string;
    const values = { json: { uploadId, offset: 0, piece: null }, maps: JSON.parse(maps) };
    expect(data).toEqual(Object.keys(values));
    const parts = { data: JSON.stringify(values), '0': new Blob([text]) };
    const form = new FormData();
    for (const field of fields) form.set(field, parts[field as keyof typeof parts]);
    const response = await send('/api/files/append', form);
    expect([response.status, await response.json()]).toEqual([200, { json: { received: text.length } }]);
    const { sha256 } = (await call('/api/files/finish', { uploadId })) as { sha256: string };
    return sha256;
  }

  it('can be sent by what the document says alone', async () => {
    expect(await upload('abc', 'text/plain')).toMatch(/^[0-9a-f]{64}$/);
  });

  it('are answered as the document says, with a file and without one', async () => {
    const sha256 = await upload('abc', 'text/plain');
    const answerOf = (path: string): Answer => paths[path]?.post?.responses['200'] as Answer;
    const body = JSON.stringify({ json: { sha256 } });

    const read = await (await send('/api/files/read', body)).formData();
    const { fields, data } = formOf(answerOf('/api/files/read').content);
    expect(fields.sort()).toEqual([...read.keys()].sort());
    const told = JSON.parse(read.get('data') as string) as object;
    expect(data).toEqual(Object.keys(told));
    expect(told).toMatchObject({ maps: [[]] });
    expect(answerOf('/api/files/read').description).toContain('`[[]]`');
    expect(await (read.get('0') as File).text()).toBe('abc');

    const thumbnail = await send('/api/files/thumbnail', body);
    expect(await thumbnail.json()).toEqual({ json: null });
    expect(Object.keys(answerOf('/api/files/thumbnail').content ?? {})).toEqual([
      'multipart/form-data',
      'application/json',
    ]);
  });
});

/** Calls of every procedure over HTTP are held against the document in transports.test.ts. */
describe('the OpenAPI document of the console', () => {
  it('has every procedure of the contract', () => {
    const paths = Object.keys(consoleDocument().paths).filter((path) => path.startsWith('/api/'));
    expect(paths).toEqual(proceduresIn(contract, '/api'));
  });

  it('says that every request has a body, which is `{}` where nothing need be said', async () => {
    const bodies = Object.entries(consoleDocument().paths).flatMap(([path, { post }]) =>
      path.startsWith('/api/') ? [{ path, ...post?.requestBody }] : [],
    );
    expect(bodies.filter(({ required }) => required !== true)).toEqual([]);
    const schemaOf = ({ content = {} }: (typeof bodies)[number]): Part => content['application/json']?.schema ?? {};
    const unsaid = bodies.filter((body) => 'properties' in schemaOf(body) && !('required' in schemaOf(body)));
    expect(unsaid.length).toBeGreaterThan(50);
    for (const { content = {} } of unsaid) expect(content['application/json']).toMatchObject({ example: {} });
    // What the server makes of a request without one, and of the example.
    expect((await console.ask({ headers: bearer })).status).toBe(415);
    expect((await console.ask({ headers: good })).status).toBe(400);
    const { content } = bodies.find(({ path }) => path === '/api/app/info') as (typeof bodies)[number];
    const body = JSON.stringify(content?.['application/json']?.example);
    expect((await console.ask({ headers: good, body })).status).toBe(200);
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
    for (const path of ['/healthz', '/readyz', '/openapi/console.json']) {
      await ask({ method: 'GET', path, headers: { host: 'evil.example' } });
      await ask({ method: 'GET', path, headers: { origin: 'https://evil.example' } });
    }
    for (const name of ['nothing', 'a'.repeat(200), 'a'.repeat(10_000), '%ff'])
      await ask({ method: 'GET', path: `/openapi/${name}.json` });
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
    const refusals = ['/healthz', '/readyz', '/openapi/{name}.json'].map((path) => `GET ${path} 403`);
    const missing = [400, 404].map((status) => `GET /openapi/{name}.json ${status}`);
    expect([...described.seen]).toEqual(expect.arrayContaining([...refusals, ...missing]));
  });
});
