import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConformanceChain, prepareChain } from '../test-support/conformance/chain.ts';
import { rowsOf } from '../test-support/conformance/rows.ts';
import { bodyOf, faultsOf } from '../test-support/conformance/verdict.ts';
import { openTestNode, type TestNode } from '../test-support/open-node.ts';
import { textOf } from '../test-support/rpc-world.ts';
import { createNodeRpc } from './dispatcher.ts';
import { registerNodeRpc } from './server.ts';

/** Fewest and most parameters of the commands that take some (node-rpc.md sections 1 to 5), and of the node's own five. */
const arities: Readonly<Record<string, readonly [least: number, most: number]>> = {
  getblockhash: [1, 1],
  getblockheader: [1, 2],
  getblock: [1, 2],
  getblockbyheight: [1, 2],
  getchaintxstats: [0, 2],
  getblockstats: [1, 4],
  getblockstatsbyheight: [1, 4],
  getrawmempool: [0, 1],
  getmempoolentry: [1, 1],
  getmempoolancestors: [1, 2],
  getmempooldescendants: [1, 2],
  gettxout: [2, 3],
  gettxouts: [2, 3],
  gettxoutproof: [1, 2],
  verifytxoutproof: [1, 1],
  getmerkleproof: [1, 2],
  getmerkleproof2: [2, 5],
  verifymerkleproof: [1, 1],
  getrawtransaction: [1, 2],
  decoderawtransaction: [1, 1],
  decodescript: [1, 1],
  help: [0, 1],
  sendrawtransaction: [1, 3],
  generate: [1, 2],
  generatetoaddress: [2, 3],
  invalidateblock: [1, 1],
  reconsiderblock: [1, 1],
};

/** A value of the wrong type for each parameter of the node's own five. */
const ownRefusals: readonly [method: string, params: readonly unknown[], failure: string][] = [
  ['sendrawtransaction', [{}], '-3 Expected type string, got object'],
  ['sendrawtransaction', ['00', 1], '-3 Expected type bool, got number'],
  ['generate', ['1'], '-1 JSON value is not an integer as expected'],
  ['generatetoaddress', [1, 5], '-1 JSON value is not a string as expected'],
  ['invalidateblock', [5], '-1 JSON value is not a string as expected'],
  ['reconsiderblock', [5], '-1 JSON value is not a string as expected'],
];

let opened: TestNode;
let app: FastifyInstance;
let url: string;
let chain: ConformanceChain;
beforeAll(async () => {
  opened = await openTestNode();
  const rpc = createNodeRpc(opened.node);
  chain = await prepareChain(opened.node, async (method, params) =>
    JSON.parse(await textOf(await rpc.dispatch(method, params))),
  );
  app = fastify();
  await app.register(registerNodeRpc, { rpc, username: 'me', password: 'it' });
  url = await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await app.close();
  await opened.remove();
});

async function post(body: string) {
  const headers = { authorization: `Basic ${Buffer.from('me:it').toString('base64')}` };
  const answer = await fetch(url, { method: 'POST', headers, body });
  const contentType = answer.headers.get('content-type') ?? undefined;
  return { status: answer.status, contentType, text: await answer.text() };
}

async function failureOf(method: string, params: readonly unknown[]): Promise<string> {
  const { error } = JSON.parse((await post(JSON.stringify({ method, params }))).text) as {
    error: { code: number; message: string } | null;
  };
  return error === null ? 'no failure' : `${error.code} ${error.message}`;
}

it('the conformance table has rows for every RPC command', () => {
  const own = Object.keys(Object.fromEntries(ownRefusals.map(([method]) => [method, true])));
  expect([...Object.keys(rowsOf), ...own].sort()).toEqual(createNodeRpc(opened.node).commands);
});

it.each(Object.keys(rowsOf))('%s matches node-rpc.md', async (method) => {
  const faults: string[] = [];
  for (const row of rowsOf[method]?.(chain) ?? []) {
    for (const fault of faultsOf(row, await post(bodyOf(row)))) faults.push(`${bodyOf(row).slice(0, 300)}: ${fault}`);
  }
  expect(faults).toEqual([]);
});

it('the node answers a wrong number of parameters with -1 and the help of the command', async () => {
  for (const method of createNodeRpc(opened.node).commands) {
    const [least, most] = arities[method] ?? [0, 0];
    const help = `-1 ${(JSON.parse((await post(JSON.stringify({ method: 'help', params: [method] }))).text) as { result: string }).result}\n`;
    const given = (count: number) => failureOf(method, new Array(count).fill({}));
    if (least > 0) expect(await given(least - 1), method).toBe(help);
    expect(await given(least), method).not.toBe(help);
    expect(await given(most), method).not.toBe(help);
    expect(await given(most + 1), method).toBe(help);
  }
});

it.each(ownRefusals)('%s %j: %s', async (method, params, failure) => {
  expect(await failureOf(method, params)).toBe(failure);
});
