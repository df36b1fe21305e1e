import { getHeapSnapshot } from 'node:v8';
import type { FastifyInstance } from 'fastify';
import { PlanchetError } from '../../../contract/index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ConsoleContext } from '../context.ts';
import { healthOf } from './health.ts';
import { Metrics, PROMETHEUS_TYPE } from './metrics.ts';

const busy = new PlanchetError('console.heap-snapshot-running').toFailure();

/**
 * The pages that `debugServer` turns on, under `/debug` of the console and behind its login: `metrics`, `health` (HTTP 503 while something fails)
 * and `heap`, a snapshot for the developer tools of a browser. The snapshot contains all memory of the process, secrets included.
 */
export class DebugPages {
  readonly #context: ConsoleContext;
  readonly #clock: Clock;
  readonly #metrics: Metrics;
  #dumping = false;

  constructor(context: ConsoleContext, clock: Clock) {
    this.#context = context;
    this.#clock = clock;
    this.#metrics = new Metrics(context);
  }

  /** @param app its hooks reject requests that are not signed in */
  register(app: FastifyInstance): void {
    const onlyGet = { exposeHeadRoute: false };
    app.get('/debug/*', onlyGet, (_, reply) => reply.callNotFound());
    app.get('/debug/metrics', onlyGet, async (_, reply) =>
      reply.type(PROMETHEUS_TYPE).send(await this.#metrics.text()),
    );
    app.get('/debug/health', onlyGet, async (_, reply) => {
      const health = await healthOf(this.#context, this.#clock.now());
      return reply.code(health.status === 'ok' ? 200 : 503).send(health);
    });
    app.get('/debug/heap', onlyGet, (_, reply) => {
      if (this.#dumping) return reply.code(409).send(busy);
      this.#dumping = true;
      const snapshot = getHeapSnapshot();
      snapshot.once('close', () => {
        this.#dumping = false;
      });
      const at = new Date(this.#clock.now()).toISOString().replaceAll(/[:.]/g, '-');
      return reply
        .type('application/octet-stream')
        .header('content-disposition', `attachment; filename="planchet-${at}.heapsnapshot"`)
        .send(snapshot);
    });
  }

  close(): void {
    this.#metrics.close();
  }
}
