import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent, type Dispatcher } from 'undici';
import { bumpOfPath, concatBytes, parseHeader, toHex, tscNodes } from '../../../chain/index.ts';
import type { PlayedChain, PlayedPlace } from './played-chain.ts';
import type { SteppedClock } from './stepped-clock.ts';

const ALIVE_MS = 15_000;
/** A longer block is listed with the first ids, and the others on pages (public-services.md 1.3). */
const [WHOLE_LIST, FIRST_IDS, PAGE] = [1_000, 100, 1_000];
/** Turns of the event loop in which nothing arrives, until nothing is under way. */
const CALM_TURNS = 8;

/** Text, bytes, or a value that is sent as JSON; nothing where it is not known. */
type Wire = string | Uint8Array | object | undefined;
type Route = readonly [path: RegExp, answer: (parts: readonly string[], body: string) => Wire];

/**
 * The public services of the main network as far as they are asked about a {@link PlayedChain}, with their own paths and answers. What is sent to their
 * addresses is led here, and noted when it leaves.
 */
export class PlayedServices {
  readonly #chain: PlayedChain;
  readonly #clock: SteppedClock;
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  readonly #streams = new Set<ServerResponse>();
  readonly #agent = new Agent();
  readonly #led: Dispatcher;
  /** By host, when each request left. */
  readonly sent = new Map<string, number[]>();
  #underWay = 0;
  #seen = 0;

  constructor(chain: PlayedChain, clock: SteppedClock) {
    this.#chain = chain;
    this.#clock = clock;
    this.#led = this.#agent.compose((dispatch) => (options, handler) => {
      const { host } = new URL(String(options.origin));
      const times = this.sent.get(host) ?? [];
      times.push(clock.now());
      this.sent.set(host, times);
      this.#seen += 1;
      return dispatch({ ...options, origin: this.#origin, path: `/${host}${options.path}` }, handler);
    });
  }

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#clock.every(ALIVE_MS, async () => this.#tell(': keepalive\n\n'));
  }

  async stop(): Promise<void> {
    await this.#agent.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  readonly outbound = (): Dispatcher => this.#led;

  /** Tells who listens of the newest block. */
  tellTip(): void {
    const { hash, height } = this.#chain.tip;
    this.#tell(`data: ${JSON.stringify({ hash, height })}\n\n`);
  }

  /** Waits until what was sent is answered, or waits for the clock. */
  readonly settled = async (): Promise<void> => {
    for (let calm = 0, before = this.#seen; calm < CALM_TURNS; calm++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#underWay === 0 && before === this.#seen) continue;
      calm = -1;
      before = this.#seen;
    }
  };

  get #origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  #tell(text: string): void {
    for (const stream of this.#streams) stream.write(text);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '' } = request;
    this.#seen += 1;
    if (url.endsWith('/tip/stream')) return this.#stream(response);
    this.#underWay += 1;
    response.once('close', () => {
      this.#underWay -= 1;
      this.#seen += 1;
    });
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const found = this.#routes.find(([path]) => path.test(url));
    const answer = found?.[1](found[0].exec(url)?.slice(1) ?? [], Buffer.concat(pieces).toString());
    if (answer === undefined) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('Not Found');
      return;
    }
    const etag = `"${this.#chain.tip.hash}"`;
    if (isOfTip(url) && request.headers['if-none-match'] === etag) {
      response.writeHead(304, { etag }).end();
      return;
    }
    const isText = typeof answer === 'string';
    const type = isText ? 'text/plain' : answer instanceof Uint8Array ? 'application/octet-stream' : 'application/json';
    response.writeHead(200, { 'content-type': type, ...(isOfTip(url) && { etag }) });
    response.end(isText || answer instanceof Uint8Array ? answer : JSON.stringify(answer));
  }

  #stream(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    this.#streams.add(response);
    response.once('close', () => this.#streams.delete(response));
    this.tellTip();
  }

  readonly #routes: readonly Route[] = [
    [/^\/api\.whatsonchain\.com\/v1\/bsv\/main\/chain\/info$/, () => this.#info()],
    [/^\/api\.whatsonchain\.com\/.*\/block\/(\w+)\/header$/, ([id = '']) => this.#place(id)],
    [
      /^\/api\.whatsonchain\.com\/.*\/block\/headers\/resources$/,
      () => ({ files: ['https://api.whatsonchain.com/v1/bsv/main/block/headers/latest'] }),
    ],
    [
      /^\/api\.whatsonchain\.com\/.*\/block\/headers\/latest(?:\?count=(\d+))?$/,
      ([count]) => this.#headers(count === undefined ? 0 : this.#chain.tip.height + 1 - Number(count)),
    ],
    [/^\/api\.whatsonchain\.com\/.*\/block\/hash\/(\w{64})$/, ([hash = '']) => this.#listing(hash)],
    [
      /^\/api\.whatsonchain\.com\/.*\/block\/hash\/(\w{64})\/page\/(\d+)$/,
      ([hash = '', page]) => {
        const from = FIRST_IDS + (Number(page) - 1) * PAGE;
        return this.#chain.find(hash)?.txids.slice(from, from + PAGE);
      },
    ],
    [/\/tx\/(\w{64})\/bin$/, ([txid = '']) => this.#known(txid, (place) => this.#chain.raw(place))],
    [
      /^\/api\.whatsonchain\.com\/.*\/tx\/(\w{64})\/proof\/bump$/,
      ([txid = '']) => {
        const found = this.#chain.place(txid);
        return found?.block && toHex(bumpOfPath(found.height, found.block.tree.path(found.index)));
      },
    ],
    [/^\/api\.whatsonchain\.com\/.*\/tx\/(\w{64})\/proof\/tsc$/, () => []],
    [
      /^\/api\.whatsonchain\.com\/.*\/tx\/(\w{64})\/(\d+)\/spent$/,
      ([txid = '', vout]) =>
        this.#known(txid, (place) => {
          const spender = this.#chain.spender(place, Number(vout));
          return spender === undefined ? undefined : { txid: spender, vin: 0 };
        }),
    ],
    [
      /^\/api\.whatsonchain\.com\/.*\/txs\/hex$/,
      (_, body) =>
        (JSON.parse(body) as { txids: string[] }).txids.map((txid) => ({
          txid,
          hex: this.#known(txid, (place) => toHex(this.#chain.raw(place))),
        })),
    ],
    [
      /^\/bananablocks\.com\/api\/v1\/block\/tip$/,
      () => ({ hash: this.#chain.tip.hash, height: this.#chain.tip.height }),
    ],
    [/^\/bananablocks\.com\/.*\/block\/headers\/(\d+)-(\d+)$/, ([from, to]) => this.#headers(Number(from), Number(to))],
    [/^\/bananablocks\.com\/.*\/tx\/(\w{64})$/, ([txid = '']) => this.#known(txid, ({ block }) => placed(txid, block))],
    [
      /^\/bananablocks\.com\/.*\/tx\/(\w{64})\/proof$/,
      ([txid = '']) => {
        const found = this.#chain.place(txid);
        if (found?.block === undefined) return undefined;
        const path = found.block.tree.path(found.index);
        const { merkleRoot: target } = parseHeader(found.block.header);
        return { index: path.index, txOrId: txid, targetType: 'merkleRoot', target, nodes: tscNodes(path) };
      },
    ],
    [
      /^\/bananablocks\.com\/.*\/txo\/(\w{64})\/(\d+)\/spend$/,
      ([txid = '', vout]) =>
        this.#known(txid, (place) => {
          const spentTxid = this.#chain.spender(place, Number(vout));
          return spentTxid === undefined ? { spent: false } : { spent: true, spentTxid };
        }),
    ],
    [/\/chaintracks\/v2\/network$/, () => ({ network: 'mainnet' })],
    [/\/chaintracks\/v2\/tip$/, () => this.#place(this.#chain.tip.hash)],
    [/\/chaintracks\/v2\/header\/hash\/(\w{64})$/, ([hash = '']) => this.#place(hash)],
    [
      /\/chaintracks\/v2\/headers\?height=(\d+)&count=(\d+)$/,
      ([first, count]) => this.#headers(Number(first), Number(first) + Number(count) - 1),
    ],
  ];

  #info(): object {
    const { hash, height } = this.#chain.tip;
    return { chain: 'main', blocks: height, headers: height, bestblockhash: hash };
  }

  #place(id: string): object | undefined {
    const found = /^\d{1,9}$/.test(id) ? this.#chain.at(Number(id)) : this.#chain.find(id);
    return found && { hash: found.hash, height: found.height };
  }

  #headers(first: number, last = this.#chain.tip.height): Uint8Array | undefined {
    const headers: Uint8Array[] = [];
    for (let height = Math.max(0, first); height <= last; height++) {
      const block = this.#chain.at(height);
      if (block === undefined) break;
      headers.push(block.header);
    }
    return headers.length === 0 ? undefined : concatBytes(...headers);
  }

  #listing(hash: string): object | undefined {
    const block = this.#chain.find(hash);
    if (block === undefined) return undefined;
    const { txids, height } = block;
    const isWhole = txids.length <= WHOLE_LIST;
    const pages = Math.ceil((txids.length - FIRST_IDS) / PAGE);
    const uri = Array.from({ length: pages }, (_, n) => `/block/hash/${hash}/page/${n + 1}`);
    const tx = isWhole ? txids : txids.slice(0, FIRST_IDS);
    return { hash, height, txcount: txids.length, tx, pages: isWhole ? null : { size: PAGE, uri } };
  }

  #known<T>(txid: string, answer: (place: PlayedPlace) => T): T | undefined {
    const place = this.#chain.place(txid);
    return place && answer(place);
  }
}

function placed(txid: string, block: PlayedPlace['block']): object {
  return { txid, block_hash: block?.hash ?? null, block_height: block?.height ?? null };
}

/** Whether an answer changes with the newest block alone. */
function isOfTip(url: string): boolean {
  return /\/(chain\/info|block\/tip|v2\/tip)$/.test(url);
}
