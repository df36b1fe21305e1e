import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { PlanchetError } from '../../../contract/index.ts';
import { createServer } from '../../http/node-http.ts';
import { drainRefusedBody } from '../../infrastructure/drain-request.ts';
import {
  type LocalServer,
  listenLocally,
  parseBind,
  refuseAmbiguousTarget,
  refuseBrowser,
  sameSecret,
} from '../../local-server.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Service } from '../../ports/service.ts';
import type { SettingsView } from '../../ports/settings.ts';
import type { ConsoleContext } from '../context.ts';
import { FailureLimit } from '../sessions.ts';
import { Metrics, PROMETHEUS_TYPE } from './metrics.ts';

const LIMITS = { headersTimeout: 10_000, requestTimeout: 10_000, keepAliveTimeout: 65_000, maxHeaderSize: 16_384 };
const MAX_CONNECTIONS = 64;

interface Refusal {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const unauthorized: Refusal = {
  status: 401,
  text: 'The figures need the key of the setting metricsKey, as a bearer token.',
  headers: { 'www-authenticate': 'Bearer' },
};

export interface MetricsServerOptions {
  settings: SettingsView;
  context: ConsoleContext;
  clock: Clock;
  logger: Logger;
}

/**
 * `GET /metrics` on an address of its own (setting `metricsBind`), for a Prometheus server on another machine. It only reads, and lets nobody
 * into the console. Other machines are answered only with the key of `metricsKey`.
 */
export class MetricsServer implements Service {
  readonly name = 'metrics';
  readonly #options: MetricsServerOptions;
  readonly #metrics: Metrics;
  readonly #failures: FailureLimit;
  #server: LocalServer | undefined;
  #isLoopback = true;
  #reading: Promise<string> | undefined;

  constructor(options: MetricsServerOptions) {
    this.#options = options;
    this.#metrics = new Metrics(options.context);
    this.#failures = new FailureLimit(options.clock);
  }

  /** @throws PlanchetError `bind-refused` for an address that other machines reach while there is no key, `port-in-use` */
  async start(): Promise<{ address: string }> {
    const { metricsBind, metricsKey } = this.#options.settings.current();
    const { loopback, hosts, port } = parseBind(metricsBind);
    if (!loopback && metricsKey === '')
      throw new PlanchetError('server.metrics-without-key', { hosts: hosts.join(', '), port });
    this.#isLoopback = loopback;
    const create = (): Server => this.#createServer();
    this.#server = await listenLocally({ bind: metricsBind, key: 'metricsBind', remoteFix: null, create });
    return { address: this.#server.url };
  }

  async stop(): Promise<void> {
    await this.#server?.close();
    this.#server = undefined;
    this.#metrics.close();
  }

  #createServer(): Server {
    const server = createServer(LIMITS, (request, response) => void this.#answer(request, response));
    server.maxConnections = MAX_CONNECTIONS;
    return server;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refused = this.#check(request);
    if (refused !== undefined) return send(request, response, refused);
    try {
      // Simultaneous requests share one reading.
      this.#reading ??= this.#metrics.text().finally(() => {
        this.#reading = undefined;
      });
      const text = await this.#reading;
      send(request, response, { status: 200, text, headers: { 'content-type': PROMETHEUS_TYPE } });
    } catch (error) {
      this.#options.logger.error({ err: error }, 'the figures could not be read');
      send(request, response, { status: 500, text: 'The figures could not be read. The log has the reason.' });
    }
  }

  #check(request: IncomingMessage): Refusal | undefined {
    const ambiguous = refuseAmbiguousTarget(request);
    if (ambiguous !== undefined) return { status: 400, text: ambiguous };
    if (request.url?.split('?', 1)[0] !== '/metrics') return { status: 404, text: 'Only /metrics is here.' };
    if (request.method !== 'GET') return { status: 405, text: 'Only GET is answered.', headers: { allow: 'GET' } };
    return this.#checkCaller(request);
  }

  /** With a key, the name by which this machine is called does not matter: no web page has the key. */
  #checkCaller({ headers }: IncomingMessage): Refusal | undefined {
    const key = this.#options.settings.current().metricsKey;
    if (key !== '') {
      const given = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
      if (given !== undefined && sameSecret(given, key)) return undefined;
      const isGuess = headers.authorization !== undefined;
      return isGuess && !this.#failures.take() ? { status: 429, text: 'Too many wrong keys.' } : unauthorized;
    }
    // The key was removed while other machines can connect.
    if (!this.#isLoopback) return unauthorized;
    const reason = this.#server === undefined ? 'Planchet is stopping.' : refuseBrowser(headers, this.#server);
    return reason === undefined ? undefined : { status: 403, text: reason };
  }
}

function send(request: IncomingMessage, response: ServerResponse, { status, text, headers }: Refusal): void {
  if (status >= 400 && drainRefusedBody(request, status)) response.setHeader('connection', 'close');
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  response.end(status === 200 ? text : `${text}\n`);
}
