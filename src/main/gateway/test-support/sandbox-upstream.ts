import Fastify from 'fastify';
import type { SandboxNode } from '../../sandbox/node/node.ts';
import { createNodeRpc, registerNodeRpc } from '../../sandbox/node/rpc.ts';
import { openTestNode } from '../../sandbox/node/test-support/open-node.ts';
import { ZmqPublisher } from '../../sandbox/node/zmq.ts';
import { quiet } from './upstream.ts';

/** A real chain behind a real RPC port and ZMQ. */
export interface SandboxUpstream {
  readonly node: SandboxNode;
  /** With user and password. */
  readonly url: string;
  readonly port: number;
  readonly zmq: string;
  /** Requests that came to the RPC port. */
  requests(): number;
  /** Commands of single calls that came. */
  readonly methods: readonly string[];
  /** Requests for REST paths among them. */
  restRequests(): number;
  stop(): Promise<void>;
}

/** The node behind its RPC port, with no gateway between. */
export async function startSandboxUpstream(): Promise<SandboxUpstream> {
  const opened = await openTestNode();
  const app = Fastify();
  let requests = 0;
  let restRequests = 0;
  app.addHook('onRequest', async (request) => {
    requests += 1;
    if (request.url.startsWith('/rest/')) restRequests += 1;
  });
  const methods: string[] = [];
  app.addHook('preHandler', async ({ body }) => {
    const method = Buffer.isBuffer(body) ? /"method":"(\w+)"/.exec(body.toString('latin1', 0, 200))?.[1] : undefined;
    if (method !== undefined) methods.push(method);
  });
  await app.register(registerNodeRpc, { rpc: createNodeRpc(opened.node), username: 'me', password: 'up' });
  const zmq = await ZmqPublisher.open({ node: opened.node, logger: quiet, address: 'tcp://127.0.0.1:0' });
  const port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
  return {
    node: opened.node,
    url: `http://me:up@127.0.0.1:${port}`,
    port,
    zmq: zmq.address,
    requests: () => requests,
    methods,
    restRequests: () => restRequests,
    stop: async () => {
      await zmq.close();
      await app.close();
      await opened.remove();
    },
  };
}
