import type { FastifyInstance, FastifyReply } from 'fastify';

/** Requests the node works on at the same time, and how many more may wait, where its operator says nothing. */
const THREADS = 4;
const DEPTH = 16;

/** Bounds what is asked of the node at once, as its threads and their queue do: `-rpcthreads`, `-rpcworkqueue`. */
export class WorkQueue {
  readonly #waiting: (() => void)[] = [];
  #working = 0;

  /**
   * Takes a place, when one is free.
   * @returns how to give it back, undefined where too many wait already
   */
  async enter(): Promise<(() => void) | undefined> {
    if (this.#working < THREADS) this.#working++;
    else if (this.#waiting.length >= DEPTH) return undefined;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const next = this.#waiting.shift();
      if (next === undefined) this.#working--;
      else next();
    };
  }
}

/** Holds the routes of a scope to a queue: a place is held from when the body is there until the answer is sent, or nobody waits for it. */
export function queueScope(app: FastifyInstance, queue: WorkQueue): void {
  app.addHook('preHandler', async (_, reply) => {
    const leave = await queue.enter();
    if (leave === undefined) return reply.code(500).type('text/plain').send('Work queue depth exceeded');
    if (reply.raw.destroyed) leave();
    else reply.raw.once('close', leave);
  });
}

/** The page of the node's HTTP library for a request that comes while the node stops. */
const STOPPING = `<HTML><HEAD>
<TITLE>503 Service Unavailable</TITLE>
</HEAD><BODY>
<H1>Service Unavailable</H1>
</BODY></HTML>
`;

/** Answers as a node does that is stopping. */
export function answerStopping(reply: FastifyReply): FastifyReply {
  return reply.code(503).header('content-type', 'text/html').header('connection', 'close').send(Buffer.from(STOPPING));
}
