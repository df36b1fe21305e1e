import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { basic } from '../../test-support/gateway.ts';
import { type SandboxUpstream, startSandboxUpstream } from '../../test-support/sandbox-upstream.ts';
import { testConnection } from './connection-test.ts';
import { type AskNode, type NodeAnswer, nodeLacks } from './node-needs.ts';

let sandbox: SandboxUpstream;
beforeAll(async () => {
  sandbox = await startSandboxUpstream();
  await sandbox.node.mine(12);
});
afterAll(() => sandbox.stop());

/** The sandbox's node over HTTP. */
const ask: AskNode = async (method, params) => {
  const response = await fetch(`http://127.0.0.1:${sandbox.port}/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: basic('me:up') },
    body: JSON.stringify({ id: 1, method, params }),
  });
  return (await response.json()) as NodeAnswer;
};
const without =
  (refused: (method: string, params: readonly unknown[]) => NodeAnswer | 'as it is'): AskNode =>
  async (method, params) => {
    const answer = refused(method, params);
    return answer === 'as it is' ? ask(method, params) : answer;
  };
const ids = async (asked: AskNode) => (await nodeLacks(asked)).map(({ id }) => id);

describe('what a node lacks', () => {
  it('is nothing for the node of the sandbox', async () => {
    expect(await ids(ask)).toEqual([]);
  });

  it('is every command that it does not know, or that a proxy keeps back', async () => {
    const notFound = { error: { code: -32_601, message: 'Method not found' } };
    const [lack] = await nodeLacks(
      without((method) => (method === 'gettxout' ? notFound : method === 'getrawmempool' ? undefined : 'as it is')),
    );
    expect(lack?.message).toBe('The node does not offer getrawmempool, gettxout, which Planchet needs.');
  });

  it.each<[string, AskNode]>([
    [
      'says so',
      without((method) =>
        method === 'getblockchaininfo' ? { result: { pruned: true, blocks: 900_000 } } : 'as it is',
      ),
    ],
    [
      'has no early block',
      without((method, [, verbosity]) =>
        method === 'getblock' && verbosity === 0
          ? { error: { code: -1, message: 'Block not available (pruned data)' } }
          : 'as it is',
      ),
    ],
  ])('is its old blocks where it %s', async (_, asked) => {
    expect(await ids(asked)).toEqual(['upstream.node-pruned']);
  });

  it('is its index where it does not know a transaction whose outputs are spent', async () => {
    const unknown = { error: { code: -5, message: 'No such mempool transaction. Use -txindex' } };
    // It still finds what has an unspent output, as a node without an index does.
    const looked: unknown[] = [];
    const asked = without((method, [txid]) => {
      if (method === 'gettxout' && txid !== '0'.repeat(64)) {
        looked.push(txid);
        return looked.length === 2 ? { result: null } : 'as it is';
      }
      return method === 'getrawtransaction' && txid === looked[1] ? unknown : 'as it is';
    });
    expect(await ids(asked)).toEqual(['upstream.node-no-txindex']);
    expect(new Set(looked).size).toBe(2);
  });

  it('is looked for in the last step of the connection test', async () => {
    const { steps, passed } = await testConnection({
      subject: 'upstream',
      address: `http://127.0.0.1:${sandbox.port}/`,
      headers: { authorization: basic('me:up') },
      ignoreCertificate: false,
      chains: ['regtest'],
    });
    expect([passed, steps.at(-1)?.step, steps.at(-1)?.outcome]).toEqual([true, 'serves', 'passed']);
  });

  it('fails the last step of the connection test where a proxy keeps a command back', async () => {
    const proxy = createServer(async (request, response) => {
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(piece as Buffer);
      const { method, params } = JSON.parse(Buffer.concat(pieces).toString()) as { method: string; params: unknown[] };
      if (method === 'gettxout') response.writeHead(403).end('<html>no</html>');
      else response.end(JSON.stringify(await ask(method, params)));
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/`;
    const subject = {
      subject: 'upstream',
      address,
      headers: {},
      ignoreCertificate: false,
      chains: ['regtest'],
    } as const;
    const { passed, steps } = await testConnection(subject);
    proxy.close();
    expect([passed, steps.at(-2)?.outcome, steps.at(-1)?.failure?.id]).toEqual([
      false,
      'passed',
      'upstream.node-commands',
    ]);
  });
});
