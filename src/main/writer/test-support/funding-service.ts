import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import secp256k1 from 'secp256k1';
import { fromHex, hash160, p2pkhScript, satoshis, serializeTx, sha256, toHex, txidOf } from '../../../chain/index.ts';
import type { Templates } from '../funding/service/funding-client.ts';
import { SigningKey, unsignedTx } from '../sending/data-transaction.ts';
import type { TestHarness } from './harness.ts';

const COIN = 1_000_000;
const FEE_OF_FEE = 200;

/** A funding service (wire reference 4.1) for tests: it checks each request, pays, and fails where the test says so. */
export class TestFundingService {
  readonly #harness: TestHarness;
  readonly #server: Server;
  readonly #key = new SigningKey(Uint8Array.from(Buffer.from('3'.padStart(64, '0'), 'hex')));
  readonly #publicKeys = new Map<string, string>();
  readonly apiKeys = new Set<string>();
  /** What it pays for a document's transaction, in satoshis. */
  amount = 2_000;
  readonly submitted: Templates[] = [];
  /** What it makes of its templates before it sends them. */
  tamper: (templates: Templates) => Templates = (templates) => templates;
  /** Answers in its place with this status, before or after it did what was asked. */
  fail: (path: string) => { status: number; when: 'before' | 'after' } | undefined = () => undefined;
  readonly queries: URLSearchParams[] = [];

  private constructor(harness: TestHarness) {
    this.#harness = harness;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch(() => response.destroy());
    });
  }

  static async open(harness: TestHarness, ...apiKeys: string[]): Promise<TestFundingService> {
    const service = new TestFundingService(harness);
    for (const apiKey of apiKeys) service.apiKeys.add(apiKey);
    await service.listen(0);
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/api/v1`;
  }

  listen(port: number): Promise<void> {
    return new Promise((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
  }

  /** Goes away; {@link listen} brings it back. @returns its port */
  async close(): Promise<number> {
    const { port } = this.#server.address() as AddressInfo;
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    return port;
  }

  get listening(): boolean {
    return this.#server.listening;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const url = new URL(request.url ?? '/', this.url);
    const path = url.pathname.replace('/api/v1', '');
    const fault = this.fail(path);
    let [status, body]: [number, unknown] = [500, { error: 'out of order' }];
    if (fault?.when !== 'before') {
      const text = Buffer.concat(pieces).toString('utf8');
      [status, body] = this.#do(path, url.searchParams, text, request.headers.authorization ?? '');
    }
    if (fault !== undefined) [status, body] = [fault.status, { error: 'out of order' }];
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(body === undefined ? '' : JSON.stringify(body));
  }

  #do(path: string, query: URLSearchParams, text: string, authorization: string): [number, unknown] {
    // One of the three calls has the key without "Bearer".
    const bare = path === '/submitTransactions';
    const apiKey = bare ? authorization : authorization.replace(/^Bearer /, '');
    if (!this.apiKeys.has(apiKey)) return [401, { error: 'unknown apikey' }];
    if (path === '/pubkey') return this.#register(apiKey, JSON.parse(text));
    if (path === '/txTemplates') return this.#templates(apiKey, query);
    if (path === '/submitTransactions') return this.#submit(JSON.parse(text));
    return [404, { error: 'not here' }];
  }

  #register(apiKey: string, { publicKey, signature }: { publicKey: string; signature: string }): [number, unknown] {
    const compact = secp256k1.signatureImport(fromHex(signature));
    const digest = sha256(new TextEncoder().encode(apiKey));
    if (!secp256k1.ecdsaVerify(compact, digest, fromHex(publicKey))) return [400, { error: 'wrong signature' }];
    const known = this.#publicKeys.get(apiKey);
    if (known !== undefined && known !== publicKey) return [409, { error: 'registered already' }];
    this.#publicKeys.set(apiKey, publicKey);
    return [200, undefined];
  }

  #templates(apiKey: string, query: URLSearchParams): [number, unknown] {
    this.queries.push(query);
    const publicKey = this.#publicKeys.get(apiKey);
    if (publicKey === undefined) return [400, { error: 'no public key' }];
    const coin = this.#harness.grant(this.#key.lockingScript, COIN);
    const outputs = [
      { satoshis: satoshis(this.amount), script: p2pkhScript(hash160(fromHex(publicKey))) },
      { satoshis: satoshis(COIN - this.amount - FEE_OF_FEE), script: this.#key.lockingScript },
    ];
    const fee = serializeTx(this.#key.sign(unsignedTx([coin], outputs), [coin]));
    const data = serializeTx(unsignedTx([{ txid: txidOf(fee), vout: 0 }], []));
    return [200, this.tamper({ feeTransaction: toHex(fee), dataTransaction: toHex(data) })];
  }

  #submit(templates: Templates): [number, unknown] {
    this.submitted.push(templates);
    for (const raw of [templates.feeTransaction, templates.dataTransaction]) {
      const refusal = this.#harness.take(fromHex(raw));
      if (refusal !== undefined) return [400, { error: refusal }];
    }
    return [201, { status: 201, txid: txidOf(fromHex(templates.dataTransaction)) }];
  }
}
