import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** Numbers of the capabilities (BRFC). */
const DESTINATION = '2a40af698840';
const RECEIVE = '5f1323cddf31';
const RECEIVE_BEEF = '5c55a7fdb7bb';

interface Output {
  readonly script: string;
  readonly satoshis: number;
}

/** The host of paymail addresses: what it lists, chooses and is handed. */
export class PaymailServer {
  /** Chooses outputs for an amount; undefined where it does not know the name. */
  outputs: (satoshis: number, alias: string) => readonly Output[] | undefined = () => undefined;
  /** Which ways of handing over it lists. */
  receives: readonly ('raw' | 'beef')[] = ['raw'];
  /** What it answers to a transaction in place of taking it. */
  refusal: [number, unknown] | undefined;
  readonly handed: { hex?: string; beef?: string; reference: string }[] = [];
  readonly asked: string[] = [];
  /** The identity keys of names, and whether it denies them where it is asked whose they are. */
  keys: Record<string, string | undefined> = {};
  denies = false;
  /** What it lists beside these. */
  listed: Record<string, unknown> = {};
  readonly #server: Server;

  private constructor() {
    this.#server = createServer(async (request, response) => {
      const path = request.url ?? '';
      this.asked.push(path);
      const [status, body] = this.#answer(path, await text(request));
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  }

  static async open(): Promise<PaymailServer> {
    const host = new PaymailServer();
    await new Promise<void>((resolve) => host.#server.listen(0, '127.0.0.1', resolve));
    return host;
  }

  /** Where its addresses end. */
  get domain(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(path: string, body: string): [number, unknown] {
    const base = `http://${this.domain}/api`;
    const at = '{alias}@{domain.tld}';
    if (path === '/.well-known/bsvalias')
      return [
        200,
        {
          bsvalias: '1.0',
          capabilities: {
            pki: `${base}/id/${at}`,
            a9f510c16bde: `${base}/owner/${at}/{pubkey}`,
            [DESTINATION]: `${base}/destination/${at}`,
            ...(this.receives.includes('raw') && { [RECEIVE]: `${base}/receive/${at}` }),
            ...(this.receives.includes('beef') && { [RECEIVE_BEEF]: `${base}/beef/${at}` }),
            ...this.listed,
          },
        },
      ];
    const [, kind, alias = ''] = /^\/api\/(\w+)\/([^@]+)@/.exec(path) ?? [];
    const name = decodeURIComponent(alias);
    const pubkey = this.keys[name];
    if (kind === 'id')
      return pubkey === undefined
        ? [404, { message: 'no such name' }]
        : [200, { bsvalias: '1.0', handle: `${name}@${this.domain}`, pubkey }];
    if (kind === 'owner') return [200, { handle: `${name}@${this.domain}`, pubkey, match: !this.denies }];
    const value = JSON.parse(body === '' ? '{}' : body);
    if (kind === 'destination') {
      const outputs = this.outputs(value.satoshis, name);
      return outputs === undefined ? [404, { message: 'no such name' }] : [200, { outputs, reference: `ref-${alias}` }];
    }
    if (this.refusal !== undefined) return this.refusal;
    this.handed.push(value);
    return [200, { txid: '', note: '' }];
  }
}
