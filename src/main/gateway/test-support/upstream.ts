import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { type Settings, settingsSchema } from '../../../contract/index.ts';
import type { Endpoints, SettingsView } from '../../ports/settings.ts';

export const quiet = pino({ level: 'silent' });

/** The options of a node client in tests, besides its addresses and settings. */
export const clientParts = { network: 'sandbox' as const, logger: quiet, apiKey: () => undefined };

export interface UpstreamRequest {
  /** The body as received. */
  readonly text: string;
  readonly method: string;
  readonly params: unknown;
  /** JSON text of the id. */
  readonly id: string;
  readonly authorization: string | undefined;
}

export type Answer = (request: UpstreamRequest, response: ServerResponse, raw: IncomingMessage) => void;

/** A node's RPC port whose answers are written by the test, byte by byte. */
export class Upstream {
  readonly requests: UpstreamRequest[] = [];
  answer: Answer;
  /** Whether calls of the health monitor go to `answer` too. Otherwise they are refused, and not listed in `requests`. */
  tellsChain = false;
  #server: Server | undefined;
  #port = 0;

  constructor(answer: Answer) {
    this.answer = answer;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Starts on the same port as before, if there was one. */
  async start(): Promise<this> {
    const server = createServer((raw, response) => {
      // like a node without REST paths
      if (raw.method !== 'POST') return void response.writeHead(404).end();
      const pieces: Buffer[] = [];
      raw.on('data', (piece: Buffer) => pieces.push(piece));
      raw.on('end', () => {
        const text = Buffer.concat(pieces).toString('utf8');
        const body = JSON.parse(text) as { method: string; params: unknown; id: unknown };
        const request = {
          text,
          method: body.method,
          params: body.params,
          id: JSON.stringify(body.id),
          authorization: raw.headers.authorization,
        };
        if (body.method === 'getblockchaininfo' && typeof body.id === 'number' && !this.tellsChain) {
          failure(-32601, 'Method not found', 404)(request, response, raw);
          return;
        }
        this.requests.push(request);
        this.answer(request, response, raw);
      });
    });
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
    return this;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server) return;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** Answers each call with its command and parameters, so that a wrong answer is noticed. */
export const echo: Answer = ({ method, params, id }, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(`{"result":${JSON.stringify(`${method} ${JSON.stringify(params)}`)},"error":null,"id":${id}}\n`);
};

/** Answers with a result, in the node's form. */
export function result(json: string): Answer {
  return ({ id }, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(`{"result":${json},"error":null,"id":${id}}\n`);
  };
}

/** Answers with an error, in the node's form. */
export function failure(code: number, message: string, status = 500): Answer {
  return ({ id }, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(`{"result":null,"error":{"code":${code},"message":${JSON.stringify(message)}},"id":${id}}\n`);
  };
}

export function settingsOf(changes: Partial<Settings> = {}): SettingsView {
  const settings = settingsSchema.parse({
    rpcBind: ':0',
    zmqAddress: 'tcp://:0',
    rpcPassword: 'secret',
    gatewayShareFor: '0',
    ...changes,
  });
  return { current: () => settings, onChange: () => () => {} };
}

export function endpointsOf(changes: Partial<Endpoints>): () => Endpoints {
  const empty = { baseUrl: '', consoleBaseUrl: '', mapiUrl: '', bitcoinRpcUrl: '', bitcoinZmqUrl: '' };
  return () => ({ ...empty, ...changes });
}
