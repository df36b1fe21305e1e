import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { GatewaySource, SandboxFault } from '../../../contract/index.ts';
import type { FollowedChain } from '../../chain-data/create-chain-data.ts';
import { createNodeRpc, type NodeRpcDispatcher } from '../../sandbox/node/rpc/dispatcher.ts';
import { type ConformanceChain, prepareChain } from '../../sandbox/node/test-support/conformance/chain.ts';
import type { Row } from '../../sandbox/node/test-support/conformance/row.ts';
import { rowsOf } from '../../sandbox/node/test-support/conformance/rows.ts';
import { walletKey } from '../../sandbox/node/test-support/open-node.ts';
import { addressOf, TestSandbox } from '../../sandbox/test-support/open-sandbox.ts';
import { publicSourcesAt } from '../../test-support/public-sources-at.ts';
import { methodNames } from '../methods/method-registry.ts';
import { servedMethods } from '../methods/served-methods.ts';
import { absentWithoutNode } from '../methods/without-node.ts';
import { besideNode, needsNode, textOf } from '../test-support/beside-node.ts';
import { followedChain, publicAnswers } from '../test-support/followed-chain.ts';
import { type RunningGateway, send, startBefore, startGateway } from '../test-support/gateway.ts';
import { failure, result } from '../test-support/upstream.ts';
import { publicCommands } from './public-answers.ts';

const answered = Object.keys(publicCommands);

/** The REST paths, with the commands whose answers they are made of where no node has them. */
const restWithoutNode: readonly {
  readonly path: string;
  readonly commands: readonly string[];
  /** In the form that the path has, the command needs a node. */
  readonly needsNode?: true;
}[] = [
  { path: '/rest/tx', commands: ['getrawtransaction'] },
  { path: '/rest/block', commands: ['getblock'] },
  { path: '/rest/block/notxdetails', commands: ['getblock'] },
  { path: '/rest/headers', commands: ['getblockheader', 'getblockhash'] },
  { path: '/rest/headers/extended', commands: ['getblockheader', 'getblockhash'] },
  { path: '/rest/getutxos', commands: ['gettxout', 'getblockheader'] },
  { path: '/rest/chaininfo', commands: ['getblockchaininfo'] },
  { path: '/rest/mempool/info', commands: ['getmempoolinfo'] },
  { path: '/rest/mempool/contents', commands: ['getrawmempool'], needsNode: true },
];

/** Largest block that is read. */
let mostTransactions = 10;
let sandbox: TestSandbox;
let node: NodeRpcDispatcher;
let chain: ConformanceChain;
let dataDir: string | undefined;
let followed: FollowedChain;
let gateway: RunningGateway;
let source: GatewaySource = 'public';
const withoutNode = () =>
  publicAnswers({ ...followed, mostTransactions: () => mostTransactions, source: () => source });

beforeAll(async () => {
  sandbox = await TestSandbox.open();
  for (let coin = 0; coin < 2; coin++)
    await sandbox.service.fund({ address: addressOf(walletKey), satoshis: 5_000_000_000 });
  await sandbox.service.mine({ blocks: 1 });
  node = createNodeRpc(sandbox.service.node);
  chain = await prepareChain(sandbox.service.node, async (method, params) =>
    JSON.parse(await textOf(node, { method, params })),
  );
  dataDir = mkdtempSync(join(tmpdir(), 'planchet-public-'));
  const { root } = sandbox;
  const publicSources = publicSourcesAt(root, ['whatsonchain', 'bananablocks', 'arcade']);
  followed = followedChain({ dataDir, publicSources: () => publicSources });
  followed.headers.start();
  await followed.headers.refresh();
  gateway = await startGateway('', { options: { withoutNode: withoutNode() } });
});
afterAll(async () => {
  await gateway?.stop();
  await followed?.headers.close();
  await sandbox.remove();
  if (dataDir !== undefined) rmSync(dataDir, { recursive: true, force: true });
});

/** Whether a row is about a block that left the chain, of which its headers do not tell. */
function isOfOtherBranch({ params }: Row): boolean {
  return [chain.stale, chain.invalid].some((hash) => JSON.stringify(params).includes(hash));
}

describe('a gateway without a node', () => {
  it('has a row for each command that says what it rests on', () => {
    const rows = methodNames.filter((name) => servedMethods[name]?.withoutNode !== 'none');
    expect(rows.filter((name) => name !== 'help').sort()).toEqual([...answered].sort());
  });

  it('is listed in the documentation command by command, and path by path', () => {
    const page = readFileSync(new URL('../../../../docs/node-conformance.md', import.meta.url), 'utf8');
    const absentOf = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(' ') || '–';
    for (const name of methodNames) {
      const basis = servedMethods[name]?.withoutNode;
      const row = `| \`${name}\` | ${basis === 'none' ? 'needs a node' : basis} | ${absentOf(absentWithoutNode[name] ?? [])} |`;
      expect(page.split('\n')).toContain(row);
    }
    for (const { path, commands, needsNode: needsOne } of restWithoutNode) {
      const made = commands.map((name) => `\`${name}\``).join(', ');
      expect(page.split('\n')).toContain(`| \`${path}\` | ${needsOne ? 'needs a node' : 'as'} ${made} | |`);
    }
  });

  it.each(answered)('answers %s as the node does', async (method) => {
    const faults: string[] = [];
    let same = 0;
    for (const row of rowsOf[method]?.(chain) ?? []) {
      const verdict = await besideNode(node, gateway.port, row, isOfOtherBranch(row));
      if (typeof verdict === 'object') faults.push(verdict.different);
      else if (verdict !== 'needs-node') same += 1;
    }
    expect(faults).toEqual([]);
    expect(same).toBeGreaterThan(0);
  });

  it('reads no block with more transactions than the setting allows', async () => {
    mostTransactions = 1;
    const ask = async (params: unknown[]) =>
      JSON.parse((await send(gateway.port, { body: JSON.stringify({ method: 'getblock', params, id: 1 }) })).text);
    expect((await ask([chain.block, 2])).error.message).toContain('Raise gatewayBlockTransactions');
    expect((await ask([chain.block, 1])).result.tx).toHaveLength(2);
    mostTransactions = 10;
  });

  it('names in a header what an answer rests on', async () => {
    const headerOf = async (method: string, params: unknown[]) =>
      (await send(gateway.port, { body: JSON.stringify({ method, params, id: 1 }) })).headers['planchet-basis'];
    expect(await headerOf('getblockhash', [1])).toBe('proven');
    expect(await headerOf('getblockcount', [])).toBe('agreed');
    expect(await headerOf('getchaintips', [])).toBe('told');
    const file = await send(gateway.port, { method: 'GET', path: `/rest/tx/${chain.mined}.hex` });
    expect([file.text.trim(), file.headers['planchet-basis']]).toEqual([chain.minedHex, 'proven']);
  });

  it('answers a batch', async () => {
    const body = JSON.stringify([
      { method: 'getblockcount', id: 1 },
      { method: 'gettxoutsetinfo', params: [], id: 2 },
      { method: 'getrawtransaction', params: [chain.mined], id: 3 },
    ]);
    const answers = JSON.parse((await send(gateway.port, { body })).text) as { result: unknown; error: unknown }[];
    expect(answers[0]?.result).toBe(chain.height);
    expect(answers[1]?.error).toMatchObject({ code: -1 });
    expect(answers[2]?.result).toBe(chain.minedHex);
  });

  describe('beside services that lie or are gone', () => {
    afterEach(() => sandbox.service.faults.clear({}));
    const play = (name: SandboxFault['name'], area: SandboxFault['area']) =>
      sandbox.service.faults.set({ name, area, value: 503, times: null });
    const ask = async (method: string, params: unknown[]) =>
      JSON.parse((await send(gateway.port, { body: JSON.stringify({ method, params, id: 1 }) })).text) as {
        result: unknown;
        error: { message: string } | null;
      };

    it.each(['woc', 'bananablocks'] as const)('finds the spend that %s denies', async (area) => {
      await play('denied-spend', area);
      expect(await ask('gettxout', [chain.mined, 1])).toMatchObject({ result: null, error: null });
    });

    it.each(['woc', 'bananablocks'] as const)('does not call an output unspent without %s', async (area) => {
      await play('http-error', area);
      const { result, error } = await ask('gettxout', [chain.mined, 0]);
      expect([result, error?.message]).toEqual([null, expect.stringContaining('Only one public service answered')]);
    });

    it.each(['woc', 'bananablocks'] as const)('does not call a transaction unknown without %s', async (area) => {
      await play('http-error', area);
      const { error } = await ask('getrawtransaction', ['ab'.repeat(32)]);
      expect(error?.message).toContain('Only one public service answered');
    });

    it('tells nothing of the mempool without the operator that tells of it', async () => {
      await play('http-error', 'woc');
      for (const method of ['getmempoolinfo', 'getrawmempool'])
        expect((await ask(method, [])).error?.message).toMatch(/^No public service/);
    });

    it('does not call the last of a chain without descendants where an operator hides a spend', async () => {
      await play('denied-spend', 'woc');
      expect(await ask('getmempooldescendants', [chain.waiting])).toMatchObject({ result: [chain.child] });
    });

    it.each(['other-bytes', 'other-block', 'inner-node'] as const)('gives the right proof beside %s', async (name) => {
      const { result: honest } = await ask('getmerkleproof2', ['', chain.mined]);
      for (const area of ['woc', 'bananablocks'] as const) {
        await play(name, area);
        expect(await ask('getmerkleproof2', ['', chain.mined])).toMatchObject({ result: honest, error: null });
        sandbox.service.faults.clear({});
      }
    });

    it.each(['other-bytes', 'other-block', 'inner-node'] as const)('lists no other block beside %s', async (name) => {
      const calls = [
        ['getblock', [chain.block, 0]],
        ['getblock', [chain.block, 1]],
        ['getblock', [chain.block, 2]],
        ['gettxoutproof', [[chain.mined], chain.block]],
        ['getblockstats', [chain.block]],
      ] as const;
      const honest = await Promise.all(calls.map(([method, params]) => ask(method, [...params])));
      await play(name, 'woc');
      for (const [index, [method, params]] of calls.entries()) {
        const { result, error } = await ask(method, [...params]);
        // nobody else lists blocks
        if (error === null) expect(result).toEqual(honest[index]?.result);
        else expect(error.message).toMatch(/^No public service/);
      }
    });
  });

  it('says which commands need a node', async () => {
    const calls = [
      ['gettxoutsetinfo', []],
      ['getrawnonfinalmempool', []],
      ['getrawmempool', [true]],
    ] as const;
    for (const [method, params] of calls) {
      const { status, text } = await send(gateway.port, { body: JSON.stringify({ method, params, id: 1 }) });
      expect(status).toBe(500);
      expect(needsNode(text)).toBe(true);
    }
  });
});

const run = promisify(execFile);
const hasPython = await run('python3', ['--version']).then(
  () => true,
  () => false,
);

/** As python-bitcoinrpc asks: one connection, its version, decimals for amounts; it refuses any other content type. */
const PYTHON = `
import base64, http.client, json, sys
from decimal import Decimal
port, mined, block = sys.argv[1:]
connection = http.client.HTTPConnection('127.0.0.1', int(port), timeout=30)
headers = {'Host': '127.0.0.1', 'User-Agent': 'AuthServiceProxy/0.1', 'Content-type': 'application/json',
  'Authorization': 'Basic ' + base64.b64encode(b'planchet:secret').decode()}
def post(body):
  connection.request('POST', '/', json.dumps(body), headers)
  response = connection.getresponse()
  assert response.getheader('Content-Type') == 'application/json', response.getheader('Content-Type')
  return json.loads(response.read().decode('utf8'), parse_float=Decimal)
def call(method, *params):
  answer = post({'version': '1.1', 'method': method, 'params': params, 'id': 1})
  if answer['error'] is not None: raise Exception(answer['error'])
  return answer['result']
count = call('getblockcount')
assert call('getblockhash', count) == call('getbestblockhash')
raw = call('getrawtransaction', mined, 1)
assert raw['blockhash'] == block and isinstance(raw['vout'][0]['value'], Decimal), raw
assert isinstance(call('getblockstats', block, ['totalfee'])['totalfee'], Decimal)
batch = post([{'version': '1.1', 'method': 'getblockhash', 'params': [n], 'id': n} for n in (0, 1, count + 1)])
assert [one['id'] for one in batch] == [0, 1, count + 1] and batch[2]['error']['code'] == -8, batch
try: call('getblock', '00' * 32)
except Exception as error: print(error.args[0]['code'])
`;

describe.runIf(hasPython)('a client in Python', () => {
  it('reads a chain without a node, single calls and a batch, on one connection', async () => {
    const { stdout } = await run('python3', ['-c', PYTHON, String(gateway.port), chain.mined, chain.block]);
    expect(stdout).toBe('-5\n');
  });
});

describe('a gateway with a node and public services', () => {
  let open: { stop(): Promise<void> }[] = [];
  beforeAll(() => {
    source = 'both';
  });
  afterEach(async () => {
    for (const one of open.splice(0)) await one.stop();
  });
  afterAll(() => {
    source = 'public';
    open = [];
  });
  const rawTransaction = () => JSON.stringify({ method: 'getrawtransaction', params: [chain.mined], id: 'row' });

  it('answers where no node can be reached', async () => {
    const alone = await startGateway('http://me:up@127.0.0.1:1', { options: { withoutNode: withoutNode() } });
    open.push(alone);
    const { text, headers } = await send(alone.port, { body: rawTransaction() });
    expect((JSON.parse(text) as { result: unknown }).result).toBe(chain.minedHex);
    expect(headers['planchet-basis']).toBe('proven');
  });

  it.each([
    [-5, 'No such mempool or blockchain transaction. Use gettransaction for wallet transactions.'],
    [-32601, 'Method not found'],
    [-1, 'Block not available (pruned data)'],
  ])('answers what the node refuses with %i', async (code, message) => {
    const changes = { options: { withoutNode: withoutNode() } };
    const { rpc } = await startBefore(open, failure(code, message), changes);
    const { text, headers } = await rpc(rawTransaction());
    expect((JSON.parse(text) as { result: unknown }).result).toBe(chain.minedHex);
    expect(headers['planchet-basis']).toBe('proven');
  });

  it('answers the calls of the application itself likewise', async () => {
    const refuses = await startBefore(open, failure(-5, 'not here'), { options: { withoutNode: withoutNode() } });
    const { result } = await refuses.gateway.service.call('getrawtransaction', [chain.mined]);
    expect(result).toBe(chain.minedHex);
    const nowhere = await startGateway('http://me:up@127.0.0.1:1', { options: { withoutNode: withoutNode() } });
    open.push(nowhere);
    expect((await nowhere.service.call('getrawtransaction', [chain.mined])).result).toBe(chain.minedHex);
    await expect(nowhere.service.call('gettxoutsetinfo', [])).rejects.toMatchObject({ name: 'PlanchetError' });
  });

  it('passes on what the node answers, and its refusal of what nobody has', async () => {
    const refuses = failure(-5, 'the words of the node');
    const answers = result('["of the node"]');
    const { rpc } = await startBefore(
      open,
      (request, ...rest) => (request.method === 'getchaintips' ? answers : refuses)(request, ...rest),
      { options: { withoutNode: withoutNode() } },
    );
    expect((await rpc({ method: 'getchaintips', params: [], id: 1 })).text).toContain('of the node');
    const unknown = await rpc({ method: 'getrawtransaction', params: ['ab'.repeat(32)], id: 1 });
    expect(unknown.text).toContain('the words of the node');
    expect(unknown.headers['planchet-basis']).toBeUndefined();
  });
});
