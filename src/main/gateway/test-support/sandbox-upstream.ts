import Fastify from 'fastify';
import type { SandboxNode } from '../../sandbox/node/node.ts';
import { createNodeRpc, type NodeRpcDispatcher, RpcStream } from '../../sandbox/node/rpc/dispatcher.ts';
import { registerNodeRpc } from '../../sandbox/node/rpc/server.ts';
import { openTestNode } from '../../sandbox/node/test-support/open-node.ts';
import { ZmqPublisher } from '../../sandbox/node/zmq/publisher.ts';

/** A real chain behind a real RPC port and ZMQ. */
export interface SandboxUpstream {
  readonly node: SandboxNode;
  /** Address with user and password. */
  readonly url: string;
  readonly port: number;
  readonly zmq: string;
  /** Number of requests to the RPC port. */
  requests(): number;
  /** Commands of the single calls received. */
  readonly methods: readonly string[];
  /** Number of requests for REST paths among them. */
  restRequests(): number;
  /** Delays the answers to all further requests until `until` resolves. */
  delay(until: Promise<void>): void;
  stop(): Promise<void>;
}

/**
 * A node with its RPC port and no gateway.
 * @param options.countsOrphans it also counts confirmations for blocks of dead branches, as bcash does
 */
export async function startSandboxUpstream(options: { countsOrphans?: boolean } = {}): Promise<SandboxUpstream> {
  const opened = await openTestNode();
  const app = Fastify();
  let requests = 0;
  let restRequests = 0;
  let delayed: Promise<void> | undefined;
  app.addHook('onRequest', async (request) => {
    await delayed;
    requests += 1;
    if (request.url.startsWith('/rest/')) restRequests += 1;
  });
  const methods: string[] = [];
  app.addHook('preHandler', async ({ body }) => {
    const method = Buffer.isBuffer(body) ? /"method":"(\w+)"/.exec(body.toString('latin1', 0, 200))?.[1] : undefined;
    if (method !== undefined) methods.push(method);
  });
  const rpc = options.countsOrphans ? countingOrphans(createNodeRpc(opened.node)) : createNodeRpc(opened.node);
  await app.register(registerNodeRpc, { rpc, username: 'me', password: 'up' });
  const zmq = await ZmqPublisher.open({ node: opened.node, address: 'tcp://127.0.0.1:0' });
  const port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
  return {
    node: opened.node,
    url: `http://me:up@127.0.0.1:${port}`,
    port,
    zmq: zmq.address,
    requests: () => requests,
    methods,
    restRequests: () => restRequests,
    delay: (until) => {
      delayed = until;
    },
    stop: async () => {
      await zmq.close();
      await app.close();
      await opened.remove();
    },
  };
}

/** Commands that report `confirmations` as the distance from the tip, even for blocks that are not on the main chain. */
function countingOrphans(rpc: NodeRpcDispatcher): NodeRpcDispatcher {
  const counted = (height: number): number => rpc.node.tip().height - height + 1;
  return {
    ...rpc,
    dispatch: async (method, params) => {
      const answer = await rpc.dispatch(method, params);
      if (answer instanceof RpcStream) {
        return new RpcStream(async function* () {
          let text = '';
          for await (const piece of answer.pieces()) text += piece;
          yield text.replace(
            /"confirmations":-1(,"size":\d+)?,"height":(\d+)/g,
            (_, size: string | undefined, height: string) =>
              `"confirmations":${counted(Number(height))}${size ?? ''},"height":${height}`,
          );
        });
      }
      const header = answer as { confirmations?: unknown; height?: unknown } | null;
      if (header?.confirmations !== -1 || typeof header.height !== 'number') return answer;
      return { ...(answer as object), confirmations: counted(header.height) };
    },
  };
}
