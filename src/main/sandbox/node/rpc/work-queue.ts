import type { FastifyInstance, FastifyReply } from 'fastify';

/** Concurrent requests and queue length; the node's defaults. */
const THREADS = 4;
const DEPTH = 16;

/** Limits concurrent requests like the node's threads and queue: `-rpcthreads`, `-rpcworkqueue`. */
export class WorkQueue {
  readonly #waiting: (() => void)[] = [];
  #working = 0;

  /**
   * Waits for a free slot.
   * @returns a function that releases it, or undefined if the queue is full
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

/** Applies a queue to the routes of a scope: a slot is held from the end of the body until the response is sent or the client disconnects. */
export function queueScope(app: FastifyInstance, queue: WorkQueue): void {
  app.addHook('preHandler', async (_, reply) => {
    const leave = await queue.enter();
    if (leave === undefined) return reply.code(500).type('text/plain').send('Work queue depth exceeded');
    if (reply.raw.destroyed) leave();
    else reply.raw.once('close', leave);
  });
}

/** The page that the node's HTTP library returns while the node is stopping. */
const STOPPING = `<HTML><HEAD>
<TITLE>503 Service Unavailable</TITLE>
</HEAD><BODY>
<H1>Service Unavailable</H1>
</BODY></HTML>
`;

/** Answers like a node that is stopping. */
export function answerStopping(reply: FastifyReply): FastifyReply {
  return reply.code(503).header('content-type', 'text/html').header('connection', 'close').send(Buffer.from(STOPPING));
}
