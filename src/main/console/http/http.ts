import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import { RPCHandler } from '@orpc/server/fastify';
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { z } from 'zod';
import { PlanchetError, phrase, toFailure } from '../../../contract/index.ts';
import { endsWithin } from '../../clock.ts';
import { createServer } from '../../http/node-http.ts';
import { drainRefusedBody } from '../../infrastructure/drain-request.ts';
import { type LocalServer, listenLocally, parseBind, probeAnswer, sameSecret } from '../../local-server.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Service } from '../../ports/service.ts';
import type { SettingsView } from '../../ports/settings.ts';
import type { ConsoleContext } from '../context.ts';
import { DebugPages } from '../debug/debug-pages.ts';
import { FILE_PATHS, MAX_FORM_BYTES, MAX_JSON_BYTES, MAX_LOGIN_BYTES, passedBound } from '../input-bounds.ts';
import { isReady } from '../readiness.ts';
import { router } from '../router.ts';
import { FailureLimit, type Sessions } from '../sessions.ts';
import { bufferForms } from './buffered-forms.ts';
import { acceptedHosts, areaOf, checkHead, type Refusal, refusal } from './request-checks.ts';
import { answerStatic, DATA_POLICY, hardeningHeaders } from './static-files.ts';
import { refuseUndecodable } from './undecodable-requests.ts';

/** Request line and headers. */
const MAX_HEAD_BYTES = 16_384;
const MAX_CONNECTIONS = 512;
/** How long replies that are being written may take once the console stops. */
const STOP_GRACE_MS = 1_000;

export interface ConsoleServerOptions {
  settings: SettingsView;
  context: ConsoleContext;
  /** The token that the command line of the same user sends as `Authorization: Bearer`. */
  cliToken: string;
  /** Folder of the built page; it need not exist yet. */
  rendererDir: string;
  /** OpenAPI documents by name, made when one is asked for first, for a console at this address. They hold nothing secret. */
  documents: (address: string | undefined) => Promise<Readonly<Record<string, object>>>;
  /** Tokens of links and the sessions they were exchanged for. */
  sessions: Sessions;
  clock: Clock;
  logger: Logger;
}

const loginSchema = z.object({ token: z.string().max(512) });

/**
 * The console over HTTP, on loopback alone: the page's files, `/session` (a one-time token for a cookie), `/api` (the contract), `/openapi` and, with
 * the setting `debugServer`, `/debug`. A request is authenticated before its body is read; see docs/security.md.
 */
export class ConsoleServer implements Service {
  readonly name = 'console';
  readonly #options: ConsoleServerOptions;
  readonly #sessions: Sessions;
  readonly #failures: FailureLimit;
  readonly #rpc = new RPCHandler(router, { interceptors: [refuseUndecodable], rootInterceptors: [bufferForms] });
  readonly #answering = new Set<ServerResponse>();
  /** The session that each unfinished reply belongs to. */
  readonly #owners = new WeakMap<ServerResponse, { session: string; endsIt: boolean }>();
  readonly #debug: DebugPages;
  #servers: Server[] = [];
  #listening: LocalServer | undefined;
  #app: FastifyInstance | undefined;
  #hosts: readonly string[] = [];

  constructor(options: ConsoleServerOptions) {
    this.#options = options;
    this.#sessions = options.sessions;
    this.#sessions.onEnd = (id) => this.#cutOff(id);
    this.#failures = new FailureLimit(options.clock);
    this.#debug = new DebugPages(options.context, options.clock);
  }

  /** @throws PlanchetError `bind-refused` | `port-in-use` */
  async start(): Promise<{ address: string }> {
    const { consoleAddress } = this.#options.settings.current();
    const bind = parseBind(consoleAddress);
    if (!bind.loopback) throw new PlanchetError('console.bind-refused', { consoleAddress });
    const app = this.#build();
    await app.ready();
    this.#app = app;
    this.#listening = await listenLocally({
      bind: consoleAddress,
      key: 'consoleAddress',
      remoteFix: phrase('fix.console-local'),
      create: () => this.#createServer(app),
    });
    this.#hosts = acceptedHosts(bind.hosts, this.#listening.port);
    return { address: this.#listening.url };
  }

  /** Waits for replies that are being written, for a second at most; event streams end at once. Sessions survive a restart. */
  async stop(): Promise<void> {
    const closed = this.#listening?.close();
    this.#listening = undefined;
    for (const response of this.#answering) if (isStream(response)) response.destroy();
    const answered = [...this.#answering].map(
      (response) => new Promise<void>((resolve) => response.once('close', resolve)),
    );
    await endsWithin(Promise.all(answered), STOP_GRACE_MS);
    // Browsers open connections ahead of use; nothing else would close them.
    for (const server of this.#servers) server.closeAllConnections();
    this.#servers = [];
    await closed;
    await this.#app?.close();
    this.#app = undefined;
    this.#debug.close();
  }

  /**
   * A token that signs one browser in, once.
   * @param options.lasting valid until used, as the link of the start is; otherwise it expires after ten minutes
   */
  createLoginToken(options: { lasting?: boolean } = {}): string {
    return this.#sessions.createToken(options.lasting ?? false);
  }

  /**
   * A link with a one-time token. The token is in the fragment, which browsers send neither to servers nor as a referrer.
   * @throws PlanchetError `not-running`
   */
  createLoginUrl(options: { lasting?: boolean } = {}): string {
    if (this.#listening === undefined) throw new PlanchetError('console.no-link');
    return `${this.#listening.url}/#token=${this.createLoginToken(options)}`;
  }

  #createServer(app: FastifyInstance): Server {
    const limits = {
      headersTimeout: 10_000,
      requestTimeout: 60_000,
      keepAliveTimeout: 5_000,
      maxHeaderSize: MAX_HEAD_BYTES,
    };
    const server = createServer(limits, (request: IncomingMessage, response: ServerResponse) => {
      this.#answering.add(response);
      response.once('close', () => this.#answering.delete(response));
      app.routing(request, response);
    });
    server.maxConnections = MAX_CONNECTIONS;
    this.#servers.push(server);
    return server;
  }

  #build(): FastifyInstance {
    const app = Fastify({
      logger: false,
      bodyLimit: MAX_JSON_BYTES,
      // Otherwise a long name under /openapi would be taken for one of the page's files, which are refused in plain text.
      routerOptions: { maxParamLength: MAX_HEAD_BYTES },
      frameworkErrors: (_error, _request, reply) => void this.#refuse(reply, refusal('console.target-unreadable')),
    });
    app.removeAllContentTypeParsers();
    const parse = app.getDefaultJsonParser('error', 'error');
    app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
      const fault = passedBound(body);
      if (fault === undefined) return parse(request, body.toString(), done);
      done(Object.assign(new Error(`the body passes the bound ${fault}`), { statusCode: 413 }));
    });
    app.addContentTypeParser('multipart/form-data', { parseAs: 'buffer', bodyLimit: MAX_FORM_BYTES }, readForm);
    app.addHook('onRequest', async (request, reply) => {
      reply.headers({ ...hardeningHeaders, 'content-security-policy': DATA_POLICY, 'cache-control': 'no-store' });
      const refused = this.#check(request.raw);
      if (refused) return this.#refuse(reply, refused);
    });
    app.addHook('onSend', async (request, reply) => {
      if (reply.statusCode >= 400 && drainRefusedBody(request.raw, reply.statusCode))
        reply.header('connection', 'close');
    });
    app.setErrorHandler<FastifyError>((error, request, reply) => this.#onError(error, request, reply));
    app.setNotFoundHandler((_, reply) => this.#refuse(reply, notFound));

    app.post('/api/*', (request, reply) => this.#onApi(request, reply));
    for (const [path, bodyLimit] of Object.entries(FILE_PATHS))
      app.post(path, { bodyLimit }, (request, reply) => this.#onApi(request, reply));
    app.get('/session', (request, reply) => {
      if (this.#hasCredential(request.raw)) return reply.send({ signedIn: true });
      return this.#refuse(reply, unauthorized);
    });
    app.post('/session', { bodyLimit: MAX_LOGIN_BYTES }, (request, reply) => this.#onLogin(request, reply));
    app.register(async (debug) => {
      debug.addHook('onRequest', async (request, reply) => {
        const refused = this.#checkDebug(request.raw);
        if (refused) return this.#refuse(reply, refused);
      });
      this.#debug.register(debug);
    });
    for (const path of ['/healthz', '/readyz']) {
      app.get(path, async (request, reply) => {
        const services = await this.#options.context.services.list();
        const answer = probeAnswer(request.raw, () => isReady(services));
        return reply
          .code(answer?.status ?? 404)
          .type('text/plain; charset=utf-8')
          .send(answer?.text ?? '');
      });
    }
    app.get<{ Params: { name: string } }>('/openapi/:name', (request, reply) =>
      this.#onDocument(request.params.name, reply),
    );
    for (const path of ['/openapi', '/openapi/']) app.get(path, (_, reply) => this.#onDocument('index.json', reply));
    app.get('/*', async (request, reply) => {
      const path = request.raw.url?.split('?', 1)[0] ?? '/';
      const { status, headers, body } = await answerStatic(
        this.#options.rendererDir,
        path,
        request.headers['accept-encoding'],
      );
      return reply.code(status).headers(headers).send(body);
    });
    return app;
  }

  /** All checks that need no body. */
  #check(request: IncomingMessage): Refusal | undefined {
    const url = request.url ?? '';
    const hostHeaders = request.rawHeaders.filter(
      (name, index) => index % 2 === 0 && name.toLowerCase() === 'host',
    ).length;
    const refused = checkHead(
      { method: request.method ?? '', url, headers: request.headers, hostHeaders },
      this.#hosts,
    );
    if (refused) return refused;
    return areaOf(url) === 'api' ? this.#checkCredential(request) : undefined;
  }

  #checkCredential(request: IncomingMessage): Refusal | undefined {
    if (this.#hasCredential(request)) return undefined;
    const guessed = request.headers.authorization !== undefined || request.headers.cookie !== undefined;
    return guessed && !this.#failures.take() ? tooMany : unauthorized;
  }

  /** Checked for each route, since several spellings of a path lead to one route. */
  #checkDebug(request: IncomingMessage): Refusal | undefined {
    return this.#options.settings.current().debugServer ? this.#checkCredential(request) : notFound;
  }

  #hasCredential({ headers }: IncomingMessage): boolean {
    const bearer = /^Bearer ([\w.~+/-]{1,512}=*)$/i.exec(headers.authorization ?? '')?.[1];
    if (bearer !== undefined) return sameSecret(bearer, this.#options.cliToken);
    return this.#sessionOf(headers) !== undefined;
  }

  /** Id of the browser's session. */
  #sessionOf(headers: IncomingHttpHeaders): string | undefined {
    if (headers.authorization !== undefined) return undefined;
    for (const secret of this.#secretsOf(headers)) {
      const id = this.#sessions.find(secret);
      if (id !== undefined) return id;
    }
    return undefined;
  }

  #secretsOf({ cookie = '' }: IncomingHttpHeaders): string[] {
    return cookie.split(';').flatMap((pair) => {
      const [name, value] = pair.trim().split('=', 2);
      return name === this.#cookieName && value !== undefined ? [value] : [];
    });
  }

  /** Aborts all unfinished replies of an ended session, except the reply about its end. */
  #cutOff(session: string): void {
    for (const response of this.#answering) {
      const owner = this.#owners.get(response);
      if (owner?.session === session && !owner.endsIt) response.destroy();
    }
  }

  /** Browsers send cookies to every port of a host, so the name tells two applications on one machine apart. */
  get #cookieName(): string {
    return `planchet_session_${this.#listening?.port}`;
  }

  async #onApi(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    // Its body may have taken long to arrive, and its session may have ended meanwhile.
    if (!this.#hasCredential(request.raw)) return this.#refuse(reply, unauthorized);
    const session = this.#sessionOf(request.headers);
    const endsIt = request.url.startsWith('/api/sessions/');
    if (session !== undefined) this.#owners.set(reply.raw, { session, endsIt });
    const context = { ...this.#options.context, session, isPage: session !== undefined };
    const { matched } = await this.#rpc.handle(request, reply, { prefix: '/api', context });
    return matched ? reply : this.#refuse(reply, notFound);
  }

  /** `/openapi/console.json`; `/openapi/` and `/openapi/index.json` list all of them. */
  async #onDocument(file: string, reply: FastifyReply): Promise<FastifyReply> {
    const documents = await this.#options.documents(this.#listening?.url);
    const name = /^(\w+)\.json$/.exec(file)?.[1] ?? '';
    if (name === 'index') return reply.send({ documents: Object.keys(documents).map((one) => `/openapi/${one}.json`) });
    if (!Object.hasOwn(documents, name)) return this.#refuse(reply, notFound);
    return reply.send(documents[name]);
  }

  async #onLogin(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const parsed = loginSchema.safeParse(request.body);
    if (!parsed.success) return this.#refuse(reply, refusal('console.token-missing'));
    const { headers } = request;
    const from = { userAgent: headers['user-agent'], secrets: this.#secretsOf(headers) };
    const secret = this.#sessions.redeem(parsed.data.token, from);
    if (secret === undefined) return this.#refuse(reply, this.#failures.take() ? unauthorized : tooMany);
    return reply
      .header('set-cookie', `${this.#cookieName}=${secret}; HttpOnly; SameSite=Strict; Path=/`)
      .send({ signedIn: true });
  }

  #onError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const status = error.statusCode ?? 500;
    if (status === 413) return this.#refuse(reply, refusal('console.body-too-large'));
    if (status >= 400 && status < 500) return this.#refuse(reply, { ...refusal('console.body-unreadable'), status });
    this.#options.logger.error({ err: error, path: request.routeOptions.url }, 'the console failed to answer');
    return this.#refuse(reply, { status: 500, failure: toFailure(error) });
  }

  #refuse(reply: FastifyReply, { status, failure, headers = {} }: Refusal): FastifyReply {
    const { request } = reply;
    this.#options.logger.debug({ status, code: failure.code, method: request.method }, 'request refused');
    // A client of the contract gets the same failure in its protocol's error format.
    const json = { defined: true, code: 'FAILED', status, message: failure.message, data: failure };
    return reply
      .code(status)
      .headers(headers)
      .send(areaOf(request.raw.url ?? '') === 'api' ? { ...failure, json } : failure);
  }
}

/** Whether a reply is an event stream, which does not end by itself. */
function isStream(response: ServerResponse): boolean {
  return String(response.getHeader('content-type')).startsWith('text/event-stream');
}

const unauthorized = refusal('console.signed-out');
const tooMany = refusal('console.too-many-attempts');
const notFound = refusal('console.nothing-here');

async function readForm(request: FastifyRequest, body: Buffer): Promise<FormData> {
  try {
    const headers = { 'content-type': request.headers['content-type'] ?? '' };
    return await new Response(new Uint8Array(body), { headers }).formData();
  } catch (error) {
    throw Object.assign(new Error('the form cannot be read', { cause: error }), { statusCode: 400 });
  }
}
