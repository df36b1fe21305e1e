import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConformanceChain, prepareChain } from '../../sandbox/node/test-support/conformance/chain.ts';
import { rowsOf } from '../../sandbox/node/test-support/conformance/rows.ts';
import { bodyOf, faultsOf } from '../../sandbox/node/test-support/conformance/verdict.ts';
import { basic, type RunningGateway, send, startGateway } from '../test-support/gateway.ts';
import { type SandboxUpstream, startSandboxUpstream } from '../test-support/sandbox-upstream.ts';

let upstream: SandboxUpstream;
let gateway: RunningGateway;
let chain: ConformanceChain;

beforeAll(async () => {
  upstream = await startSandboxUpstream();
  chain = await prepareChain(upstream.node, async (method, params) => {
    const { text } = await directly(JSON.stringify({ method, params }));
    return (JSON.parse(text) as { result: unknown }).result;
  });
  gateway = await startGateway(upstream.url);
});
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

const directly = (body: string) => send(upstream.port, { body, headers: { authorization: basic('me:up') } });

it.each(Object.keys(rowsOf))('%s is answered through the gateway byte for byte like by the node', async (method) => {
  const faults: string[] = [];
  for (const row of rowsOf[method]?.(chain) ?? []) {
    const body = bodyOf(row);
    const [here, node] = await Promise.all([send(gateway.port, { body }), directly(body)]);
    const contentType = here.headers['content-type'];
    for (const fault of faultsOf(row, { ...here, contentType })) faults.push(`${body.slice(0, 300)}: ${fault}`);
    if (here.text !== node.text) faults.push(`${body.slice(0, 300)}: the node says ${node.text}`);
  }
  expect(faults).toEqual([]);
});

// by now, some answers are cached
it('the gateway answers every command in one batch too', async () => {
  const rows = Object.values(rowsOf).flatMap((of) => of(chain));
  const body = `[${rows.map(bodyOf).join(',')}]`;
  const [here, node] = await Promise.all([send(gateway.port, { body }), directly(body)]);
  expect([here.status, node.status]).toEqual([200, 200]);
  expect(here.text === node.text).toBe(true);
  expect(JSON.parse(here.text)).toHaveLength(rows.length);
});
