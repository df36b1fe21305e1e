import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TestSandbox } from '../test-support/open-sandbox.ts';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await TestSandbox.open();
});
afterAll(() => sandbox.remove());

const JSON_TYPE = 'application/json';
const words = expect.stringMatching(/\w/);

/** The complete error of each API. The documents describe the same; `send` holds every answer against them. */
const forms = {
  token: (_status: number, code: string) => [JSON_TYPE, { success: false, error: { code, message: words } }],
  mapi: (status: number) => ['application/problem+json', { type: 'about:blank', title: words, status, traceId: words }],
  funding: (status: number) => [JSON_TYPE, { status, error: words }],
  arc: (status: number) => [
    JSON_TYPE,
    {
      type: expect.stringContaining(`errors?id=_${status}`),
      title: words,
      status,
      detail: words,
      instance: null,
      txid: null,
      extraInfo: words,
    },
  ],
  rpc: () => [JSON_TYPE, { result: null, error: { code: -32600, message: words }, id: null }],
  node: () => ['text/plain', expect.stringMatching(/^\w.*\r\n$/)],
} as const;

async function expectError(
  form: keyof typeof forms,
  [method, path]: readonly [string, string],
  status: number,
  code: string,
): Promise<void> {
  const key = sandbox.service.apiKey();
  const answer = await sandbox.send(method, path, undefined, { apikey: key, authorization: `Bearer ${key}` });
  const type = answer.headers.get('content-type')?.split(';')[0];
  expect([answer.status, [type, answer.body]], `${method} ${path}`).toEqual([status, forms[form](status, code)]);
}

const a = (count: number) => 'a'.repeat(count);

describe('an error has the form of the API that was addressed', () => {
  it.each<[keyof typeof forms, string, string]>([
    ['token', 'GET', '/token/v1/project/%ff'],
    ['token', 'GET', '/console/v1/%ff'],
    ['token', 'DELETE', '/admin/snapshots/%ff'],
    ['mapi', 'GET', '/mapi/tx/%ff'],
    ['mapi', 'GET', '/mapi/pubkey/%ff'],
    ['arc', 'GET', '/arc/v1/tx/%ff'],
    ['rpc', 'POST', '/rpc/%ff'],
    ['node', 'GET', '/rpc/rest/tx/%ff.json'],
    ['node', 'GET', '/rest/tx/%ff.json'],
  ])('where the path is no text (%s): %s %s', async (form, method, path) => {
    await expectError(form, [method, path], 400, 'invalid-request');
  });

  it('where a parameter of the path is long', async () => {
    await expectError('token', ['GET', `/token/v1/project/${a(300)}`], 404, 'not-found');
    await expectError('token', ['DELETE', `/admin/snapshots/${a(300)}`], 400, 'invalid-request');
    await expectError('mapi', ['GET', `/mapi/tx/${a(128)}`], 400, '');
    await expectError('arc', ['GET', `/arc/v1/tx/${a(200)}`], 400, '');
    // as long as the headers of a request may be
    await expectError('arc', ['GET', `/arc/v1/tx/${a(15_000)}`], 400, '');
  });

  it('where the merchant API is asked for something that is not a txid', async () => {
    for (const txid of [a(63), a(128), a(15_000), '%ff', '%E0%A4%A', '%']) {
      const { status, body } = await sandbox.mapi('GET', `/tx/${txid}`);
      expect([status, body.title], txid).toEqual([400, 'Invalid format of TransactionId']);
    }
  });

  it.each<[keyof typeof forms, string, string, number]>([
    ['token', 'GET', '/nothing', 404],
    ['token', 'GET', '/token/v1/nothing', 404],
    ['token', 'GET', '/token/v1/submit', 405],
    ['token', 'GET', '/admin/mine', 405],
    ['mapi', 'GET', '/mapi/nothing', 404],
    ['mapi', 'GET', '/mapi/api/v1/nothing', 404],
    ['mapi', 'GET', '/mapi/tx', 405],
    ['mapi', 'DELETE', '/mapi/feeQuote?x=/arc/v1', 405],
    ['funding', 'GET', '/mapi/pubkey', 405],
    ['funding', 'PUT', '/mapi/api/v1/submitTransactions', 405],
    ['arc', 'GET', '/arc/v1/nothing', 404],
    ['arc', 'PUT', '/arc/v1/txs', 405],
  ])('where there is nothing, or not for this method (%s): %s %s', async (form, method, path, status) => {
    await expectError(form, [method, path], status, status === 404 ? 'not-found' : 'method-not-allowed');
  });
});

describe('an error before routing has the form of the API that was addressed', () => {
  beforeEach(async () => void (await sandbox.service.faults.clear({})));

  it.each<[keyof typeof forms, string, string]>([
    ['token', 'GET', '/token/v1/quota'],
    ['mapi', 'GET', '/mapi/feeQuote'],
    ['funding', 'GET', '/mapi/txTemplates?size=1'],
    ['funding', 'POST', '/mapi/pubkey'],
    ['funding', 'POST', '/mapi/submitTransactions/'],
    ['funding', 'GET', '/mapi/api/v1/txTemplates?size=1'],
    ['funding', 'POST', '/mapi/api/v1/pubkey'],
    ['funding', 'POST', '/mapi/api/v1/submitTransactions'],
    ['arc', 'GET', '/arc/v1/policy'],
  ])('%s: %s %s', async (form, method, path) => {
    for (const value of [403, 404, 429, 503]) {
      await sandbox.service.faults.set({ name: 'http-error', value, times: 1, area: 'all' });
      await expectError(form, [method, path], value, 'fault');
    }
  });

  it('is the text of the reference for 401 of the merchant API, and the form of the others elsewhere', async () => {
    const refusal = async (path: string) => {
      await sandbox.service.faults.set({ name: 'http-error', value: 401, times: 1, area: 'mapi' });
      const { status, headers, body } = await sandbox.mapi('GET', path);
      return [status, headers.get('content-type')?.split(';')[0], body];
    };
    expect(await refusal('/feeQuote')).toEqual([401, JSON_TYPE, 'Incorrectly formatted token']);
    expect(await refusal('/txTemplates?size=1')).toEqual([401, JSON_TYPE, { status: 401, error: words }]);
  });
});
