import { afterAll, describe, expect, it } from 'vitest';
import { servedMethods } from './methods/served-methods.ts';
import { gatewayDocument } from './openapi.ts';
import { described, type Sent, send, startGateway } from './test-support/gateway.ts';
import { startSandboxUpstream } from './test-support/sandbox-upstream.ts';

const open: { stop(): Promise<void> }[] = [];
afterAll(async () => {
  for (const one of open.splice(0).reverse()) await one.stop();
});

/** Everything that the gateway's other tests exchange is held against the document too. */
describe('the document of the gateway', () => {
  it('names every command with its parameters', () => {
    const description = JSON.stringify(gatewayDocument.components?.schemas?.Call)
      .replaceAll('\\n', '\n')
      .replaceAll('\\"', '"');
    for (const name of Object.keys(servedMethods)) expect(description).toMatch(new RegExp(`- \`${name}[ \`]`));
    expect(description).toContain('- `getblock "blockhash" (verbosity)`: A block');
  });

  it('names the code of each refused call beside the status that it is sent with', async () => {
    const { port, stop } = await startGateway('http://127.0.0.1:1');
    open.push({ stop });
    const describing = (code: number) =>
      Object.entries(gatewayDocument.components?.responses ?? {}).flatMap(([name, { description }]) =>
        description.includes(`${code}:`) ? [name] : [],
      );
    for (const [code, status, ...bodies] of [
      [-32_700, 500, '', '{', '5', 'null', '"x"'],
      [-32_600, 400, '{}', '{"id":1}', '{"method":5}'],
      [-32_601, 404, '{"method":"nothing"}'],
    ] as const) {
      for (const body of bodies) {
        const answer = await send(port, { body });
        expect([answer.status, JSON.parse(answer.text).error.code], body).toEqual([status, code]);
      }
      expect(describing(code)).toEqual([`Rpc${status}`]);
    }
  });

  it('describes results, errors and refusals of calls, and REST in each form', async () => {
    const upstream = await startSandboxUpstream();
    open.push(upstream);
    const { port, stop } = await startGateway(upstream.url);
    open.push({ stop });
    const rpc = (body: unknown, sent: Sent = {}) =>
      send(port, { body: typeof body === 'string' ? body : JSON.stringify(body), ...sent });
    described.seen.clear();
    await rpc({ id: 1, method: 'getblockcount' });
    await rpc([
      { id: 1, method: 'help' },
      { id: 2, method: 'nothing' },
    ]);
    await rpc({ id: 1, method: 'nothing' });
    await rpc('{');
    await rpc([]);
    await rpc({ id: 1 });
    await rpc({ id: 1, method: 'help' }, { headers: { authorization: '' } });
    await rpc({ id: 1, method: 'help' }, { headers: { origin: 'https://page.example' } });
    await rpc({ id: 1, method: 'help' }, { headers: { 'content-type': 'text/html' } });
    const statuses = (path: string) =>
      [...described.seen].flatMap((one) => (one.includes(` ${path} `) ? [Number(one.split(' ').pop())] : [])).sort();
    const get = (path: string) => send(port, { method: 'GET', path, headers: { 'content-type': '' } });
    await get('/rest/chaininfo.json');
    await get(`/rest/block/${upstream.node.tip().hash}.json`);
    await get(`/rest/block/${upstream.node.tip().hash}.bin`);
    await get('/rest/block/none.hex');
    await get(`/rest/block/${upstream.node.tip().hash}.pdf`);
    const outputs = [0, 1].map((vout) => `${'ab'.repeat(32)}-${vout}`);
    const multi = ['/rest/getutxos/{outpoints}.{format}', '/rest/getutxos/checkmempool/{outpoints}.{format}'];
    for (const separator of ['/', '%2F']) {
      for (const path of multi) await get(path.replace('{outpoints}.{format}', `${outputs.join(separator)}.json`));
      for (const path of multi) {
        expect(statuses(path), separator).toEqual([200]);
        described.seen.delete(`GET ${path} 200`);
      }
    }
    await get('/healthz');
    await get('/readyz');
    expect(statuses('/')).toEqual([200, 400, 401, 403, 404, 415, 500]);
    expect(statuses('/rest/block/{hash}.{format}')).toEqual([200, 400, 404]);
    expect(statuses('/rest/chaininfo.json')).toEqual([200]);
  });
});
