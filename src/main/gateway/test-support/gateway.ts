import { mkdtemp, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Settings } from '../../../contract/index.ts';
import { systemClock } from '../../clock.ts';
import { Described } from '../../open-api/test-support/described.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ChainView } from '../chain/chain-view.ts';
import { createChainView } from '../chain/create-chain-view.ts';
import { type GatewayOptions, GatewayService } from '../gateway.ts';
import { gatewayDocument } from '../openapi.ts';
import { NodeClient } from '../upstream/client.ts';
import { type Answer, clientParts, endpointsOf, quiet, settingsOf, Upstream } from './upstream.ts';

export interface RunningGateway {
  readonly service: GatewayService;
  readonly chain: ChainView;
  readonly dataDir: string;
  readonly port: number;
  readonly address: string;
  stop(): Promise<void>;
}

/** A gateway on a free port, with user `planchet` and password `secret`. */
export async function startGateway(
  bitcoinRpcUrl: string,
  changes: {
    settings?: Partial<Settings>;
    options?: Partial<Omit<GatewayOptions, 'node' | 'chain'>> & { node?: NodeClient };
    mapiUrl?: string;
    clock?: Clock;
  } = {},
): Promise<RunningGateway> {
  const dataDir = await mkdtemp(join(tmpdir(), 'planchet-gateway-'));
  const settings = settingsOf(changes.settings);
  const clock = changes.clock ?? systemClock;
  const endpoints = endpointsOf({ bitcoinRpcUrl, mapiUrl: changes.mapiUrl ?? 'http://127.0.0.1:9600/mapi' });
  const node = new NodeClient({ ...clientParts, endpoints, settings, clock });
  const chain = createChainView({ node, network: 'sandbox', clock, settings, ...changes.options });
  const service = new GatewayService({
    node,
    chain,
    network: 'sandbox',
    clock,
    settings,
    endpoints,
    dataDir,
    credentialsAreDefault: () => true,
    logger: quiet,
    ...changes.options,
  });
  const stop = async (): Promise<void> => {
    await service.stop();
    await node.close();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const { address = '' } = await service.start();
    return { service, chain, dataDir, address, port: Number(new URL(address).port), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** An upstream with the test's answers, a gateway in front of it, and a function to call it. All are added to `open`, to be stopped. */
export async function startBefore(
  open: { stop(): Promise<void> }[],
  answer: Answer,
  changes: Parameters<typeof startGateway>[1] = {},
): Promise<{
  upstream: Upstream;
  gateway: RunningGateway;
  rpc: (body: unknown, sent?: Sent) => ReturnType<typeof send>;
}> {
  const upstream = await new Upstream(answer).start();
  open.push(upstream);
  const gateway = await startGateway(upstream.url, changes);
  open.push(gateway);
  const rpc = (body: unknown, sent: Sent = {}) =>
    send(gateway.port, { body: typeof body === 'string' ? body : JSON.stringify(body), ...sent });
  return { upstream, gateway, rpc };
}

export const basic = (credential: string): string => `Basic ${Buffer.from(credential).toString('base64')}`;

export interface Answered {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
  readonly bytes: Buffer;
}

export interface Sent {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  host?: string;
}

/** What the gateway's tests exchange is held against its document. */
export const described = new Described(gatewayDocument);
/** Bytes of the largest answer that is held against it; parsing longer ones would slow the tests. */
const LARGEST_DESCRIBED = 262_144;

/** Sends one request with the correct password, unless `headers` say otherwise. An empty value removes a header. */
export function send(
  port: number,
  { method = 'POST', path = '/', headers = {}, body = '', host }: Sent,
): Promise<Answered> {
  const all = { authorization: basic('planchet:secret'), 'content-type': 'application/json', ...headers };
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { host: host ?? '127.0.0.1', port, method, path, headers: given, agent: false },
      (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('error', reject);
        response.on('end', () => {
          const bytes = Buffer.concat(pieces);
          const { statusCode: status = 0, headers } = response;
          const text = bytes.toString('utf8');
          const contentType = headers['content-type'] ?? '';
          if (bytes.length <= LARGEST_DESCRIBED) {
            try {
              described.hold({ method, path, status, contentType, headers, text });
            } catch (error) {
              return reject(error);
            }
          }
          resolve({ status, headers, text, bytes });
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

/** Writes raw bytes to a port and returns what comes back until the other side closes. */
export function sendRaw(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    let heard = '';
    socket.on('data', (piece) => {
      heard += piece.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(heard));
  });
}
