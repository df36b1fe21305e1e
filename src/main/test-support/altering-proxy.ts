import Fastify, { type FastifyInstance } from 'fastify';

export interface ProxyCall {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/**
 * A service on loopback that passes calls on to another and changes some of the answers: what a dishonest operator, or somebody on the
 * way, can do.
 */
export class AlteringProxy {
  readonly calls: ProxyCall[] = [];
  /** Changes an answer; called with the parsed JSON of every answer with status 200. */
  alter: (answer: Record<string, unknown>, call: ProxyCall) => unknown = (answer) => answer;
  url = '';
  readonly #target: string;
  readonly #app: FastifyInstance;

  private constructor(target: string) {
    this.#target = target;
    this.#app = Fastify({ forceCloseConnections: true, bodyLimit: 100_000_000 });
    this.#app.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body));
    this.#app.removeContentTypeParser('application/json');
    this.#app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, body, done) => done(null, body));
    this.#app.all('/*', async ({ method, url, headers, body }, reply) => {
      const passed = Object.entries(headers).filter(([name]) =>
        ['authorization', 'apikey', 'content-type'].includes(name),
      );
      const sent = body instanceof Buffer ? body : undefined;
      const answer = await fetch(`${this.#target}${url}`, {
        method,
        headers: passed as [string, string][],
        ...(sent === undefined ? {} : { body: sent }),
      });
      const text = await answer.text();
      const call = { method, path: url, body: sent === undefined ? undefined : JSON.parse(sent.toString('utf8')) };
      this.calls.push(call);
      const altered = answer.status === 200 ? JSON.stringify(this.alter(JSON.parse(text), call)) : text;
      return reply
        .code(answer.status)
        .type(answer.headers.get('content-type') ?? 'application/json')
        .send(altered);
    });
  }

  /** @param target origin and path in front of which it stands */
  static async open(target: string): Promise<AlteringProxy> {
    const proxy = new AlteringProxy(target.replace(/\/+$/, ''));
    proxy.url = await proxy.#app.listen({ host: '127.0.0.1', port: 0 });
    return proxy;
  }

  async close(): Promise<void> {
    await this.#app.close();
  }
}
