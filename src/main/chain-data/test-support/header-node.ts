import { concatBytes, headerHash, meetsTarget, parseHeader, serializeHeader, toHex } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import { type ChainRules, rulesOf } from '../headers/chain-rules.ts';

export const regtest = rulesOf('sandbox', 'regtest') as ChainRules;
/** Of the first block, in seconds. */
export const TIME = parseHeader(regtest.genesis).time;

/** A node's chain of headers, with real work. */
export class FakeNode {
  headers: Uint8Array[];
  hashes: string[];
  chain = 'regtest';
  isAway = false;
  refusesBatches = false;
  readonly calls: string[] = [];
  #salt = 0;

  constructor(genesis: Uint8Array = regtest.genesis) {
    this.headers = [genesis];
    this.hashes = [headerHash(genesis)];
  }

  get height(): number {
    return this.headers.length - 1;
  }

  mine(count: number, more: { bits?: number; time?: number; previousHash?: string; worthless?: boolean } = {}): this {
    for (let left = count; left > 0; left--) {
      const { bits = 0x207fffff, time = TIME + 600 * this.headers.length, worthless = false } = more;
      const previousHash = more.previousHash ?? (this.hashes.at(-1) as string);
      for (let nonce = 0; ; nonce++) {
        const merkleRoot = String(++this.#salt).padStart(64, '0');
        const header = serializeHeader({ version: 0x20000000, previousHash, merkleRoot, time, bits, nonce });
        const hash = headerHash(header);
        if (meetsTarget(hash, bits) === worthless) continue;
        this.headers.push(header);
        this.hashes.push(hash);
        break;
      }
    }
    return this;
  }

  unmine(count: number): this {
    this.headers.length -= count;
    this.hashes.length -= count;
    return this;
  }

  async call<T>(method: string, params: readonly unknown[] = []): Promise<T> {
    this.calls.push(method);
    if (this.isAway) throw new Error('away');
    return this.#answer(method, params) as T;
  }

  readonly callAll = async <T>(method: string, params: readonly (readonly unknown[])[]): Promise<T[]> => {
    this.calls.push('batch');
    if (this.refusesBatches)
      throw new PlanchetError('upstream.not-json-rpc', { origin: 'http://127.0.0.1', status: 400 });
    return params.map((own) => this.#answer(method, own) as T);
  };

  #answer(method: string, [first]: readonly unknown[]): unknown {
    if (method === 'getblockcount') return this.height;
    if (method === 'getblockchaininfo') return { chain: this.chain };
    if (method === 'getblockhash') return this.hashes[first as number];
    return toHex(this.headers[this.hashes.indexOf(first as string)] as Uint8Array);
  }

  readonly readRest = async (path: string): Promise<Uint8Array | undefined> => {
    this.calls.push('rest');
    if (this.isAway) throw new Error('away');
    const [, count, hash] = /^\/headers\/(\d+)\/([0-9a-f]+)[.]bin$/.exec(path) as unknown as [string, string, string];
    const from = this.hashes.indexOf(hash);
    return from < 0 ? new Uint8Array() : concatBytes(...this.headers.slice(from, from + Number(count)));
  };
}
