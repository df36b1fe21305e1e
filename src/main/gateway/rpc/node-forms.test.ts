import { afterEach, describe, expect, it } from 'vitest';
import { send, startBefore } from '../test-support/gateway.ts';
import type { Answer } from '../test-support/upstream.ts';

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part.stop();
});

/** The text before a result, and the text after it up to the id. */
const forms: [what: string, before: string, after: string][] = [
  ['a whole answer of a node', '{"result":', ',"error":null,"id":'],
  ['an object a node streams', '{"result": ', ',"error": null,"id": '],
  ['hex a node streams', '{"result": ', ', "error": null, "id": '],
  ['another implementation', '{"jsonrpc":"1.0","result":', ',"error":null,"id":'],
  ['one without the error', '{ "jsonrpc" : "2.0",\n "result" : ', ',\n "id" : '],
];

const hash = 'ab'.repeat(32);
const hex = '0123456789abcdef'.repeat(40_000);
const size = hex.length / 2;
const filler = `"filler":"${'x'.repeat(300_000)}"`;
const header = `"hash": "${hash}","confirmations": 3,"height": 7,"nextblockhash": "${'cd'.repeat(32)}","size": ${size}`;

/** A node without REST paths that writes its answers in one form. */
function answerIn(before: string, after: string): Answer {
  return ({ method, params, id }, response) => {
    const [, verbosity] = params as unknown[];
    const result =
      method === 'getblock' && verbosity === 0 ? `"${hex}"` : `{${header}${method === 'getblock' ? `,${filler}` : ''}}`;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(`${before}${result}${after}${id}}`);
  };
}

describe.each(forms)('answers in the form of %s', (_what, before, after) => {
  it('are passed on with the client’s id, short and long', async () => {
    const { rpc } = await startBefore(open, answerIn(before, after));
    const long = await rpc({ method: 'getblock', params: [hash, 0], id: 'me' });
    expect(long.text === `${before}"${hex}"${after}"me"}`).toBe(true);
    const short = await rpc({ method: 'getblockheader', params: [hash], id: 5 });
    expect(short.text).toBe(`${before}{${header}}${after}5}`);
  });

  it('become REST answers without the text around the result', async () => {
    const { gateway } = await startBefore(open, answerIn(before, after));
    const get = (path: string, headers: Record<string, string> = {}) =>
      send(gateway.port, { method: 'GET', path, headers: { 'content-type': '', ...headers } });
    const same = (read: { text: string }, wanted: string): boolean => read.text === wanted;
    expect(same(await get(`/rest/block/${hash}.hex`), `${hex}\n`)).toBe(true);
    expect((await get(`/rest/block/${hash}.bin`)).bytes.equals(Buffer.from(hex, 'hex'))).toBe(true);
    const part = await get(`/rest/block/${hash}.bin`, { range: 'bytes=7-15' });
    expect([part.status, part.bytes.toString('hex')]).toEqual([206, hex.slice(14, 32)]);
    expect(same(await get(`/rest/block/${hash}.json`), `{${header},${filler}}\n`)).toBe(true);
  });
});
