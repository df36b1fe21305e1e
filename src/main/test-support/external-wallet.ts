import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type PrivateKey, ProtoWallet } from '@bsv/sdk';

/** A wallet of another program (BRC-100 over JSON): the SDK's own keys and signatures behind a server. */
export class ExternalWalletServer {
  /** What it pays with; undefined where it pays nothing. */
  paying: { answer: (call: string, args: never) => Promise<[number, unknown] | undefined> } | undefined;
  /** Who answers at the address. */
  answering: Pick<ProtoWallet, 'getPublicKey' | 'createSignature'>;
  /** What it says instead of an answer. */
  refusal: string | undefined;
  readonly asked: string[] = [];
  readonly #server: Server;

  private constructor(key: PrivateKey) {
    this.answering = new ProtoWallet(key);
    this.#server = createServer(async (request, response) => {
      const call = request.url?.slice(1) ?? '';
      const [status, body] = await this.#answer(call, await text(request));
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  }

  static async open(key: PrivateKey): Promise<ExternalWalletServer> {
    const wallet = new ExternalWalletServer(key);
    await new Promise<void>((resolve) => wallet.#server.listen(0, '127.0.0.1', resolve));
    return wallet;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(call: string, question: string): Promise<[number, unknown]> {
    const args = JSON.parse(question);
    this.asked.push(call);
    if (this.refusal !== undefined) return [500, { message: this.refusal }];
    const paid = await this.paying?.answer(call, args as never);
    if (paid !== undefined) return paid;
    if (call === 'getPublicKey') return [200, await this.answering.getPublicKey(args)];
    if (call === 'createSignature') return [200, await this.answering.createSignature(args)];
    return [404, { message: `unknown: ${call}` }];
  }
}
