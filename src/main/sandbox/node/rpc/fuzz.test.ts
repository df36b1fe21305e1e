import fc from 'fast-check';
import fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NodeRpcError } from '../../../ports/node.ts';
import { openTestNode, type TestNode } from '../test-support/open-node.ts';
import { rebuildUtxoSet, storedUtxoSet } from '../test-support/rebuild.ts';
import { textOf } from '../test-support/rpc-world.ts';
import { createNodeRpc, type NodeRpcDispatcher } from './dispatcher.ts';
import { registerNodeRpc } from './server.ts';

const RUNS = process.env.PLANCHET_LONG ? 20_000 : 500;

let opened: TestNode;
let rpc: NodeRpcDispatcher;
let reading: string[];
let known: string[];
beforeAll(async () => {
  opened = await openTestNode();
  rpc = createNodeRpc(opened.node);
  reading = rpc.commands.filter((command) => !command.startsWith('generate'));
  const { txid } = await opened.node.db.selectFrom('node_transactions').select('txid').executeTakeFirstOrThrow();
  known = [opened.node.tip().hash, txid];
});
afterAll(() => opened.remove());

/** Values near what commands take: known hashes, small numbers, hex, and anything else JSON can say. */
function value(): fc.Arbitrary<unknown> {
  return fc.oneof(
    fc.constantFrom(...known, '', '*', 'ab', 'hash'),
    fc.integer({ min: -2, max: 200 }),
    fc.stringMatching(/^[0-9a-f]{0,100}$/),
    fc.jsonValue(),
    fc.array(fc.constantFrom(...known)),
    fc.array(fc.record({ txid: fc.constantFrom(...known), n: fc.nat(3) })),
    fc.record({ flags: fc.constant(2), index: fc.nat(), txOrId: fc.constantFrom(...known), target: fc.jsonValue() }),
  );
}

describe('for any RPC request', () => {
  it('a command returns a result or an error of the node, never an internal failure', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...reading), fc.array(value(), { maxLength: 5 }), async (command, params) => {
        try {
          JSON.parse(await textOf(await rpc.dispatch(command, params)));
        } catch (error) {
          expect(error).toBeInstanceOf(NodeRpcError);
          expect((error as NodeRpcError).code, `${command} ${JSON.stringify(params)}`).not.toBe(-32603);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('the server answers with JSON that has a result or an error', async () => {
    const app = fastify();
    await app.register(registerNodeRpc, { prefix: '/rpc', rpc, username: 'u', password: 'p' });
    const authorization = `Basic ${Buffer.from('u:p').toString('base64')}`;
    const item = fc.oneof(
      fc.jsonValue(),
      fc.record({ id: fc.jsonValue(), method: fc.constantFrom(...reading, 'nope'), params: fc.jsonValue() }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          fc.json(),
          item.map((one) => JSON.stringify(one)),
          fc.array(item).map((all) => JSON.stringify(all)),
        ),
        async (payload) => {
          const response = await app.inject({ method: 'POST', url: '/rpc', headers: { authorization }, payload });
          expect([200, 400, 404, 500]).toContain(response.statusCode);
          const body: unknown = response.json();
          for (const reply of Array.isArray(body) ? body : [body]) {
            expect(Object.keys(reply as object)).toEqual(['result', 'error', 'id']);
          }
        },
      ),
      { numRuns: RUNS / 2 },
    );
    await app.close();
    // blocks may have been declared invalid and taken back
    expect(await storedUtxoSet(opened.node.db)).toEqual(await rebuildUtxoSet(opened.node.db));
  });
});
