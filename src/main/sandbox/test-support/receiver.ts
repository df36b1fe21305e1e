import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import {
  hash160,
  p2pkhScript,
  satoshis,
  serializeTx,
  signP2pkhInputs,
  toHex,
  verifyEnvelope,
} from '../../../chain/index.ts';
import { publicKeyOf, type TestSandbox, walletKey } from './open-sandbox.ts';

const ownScript = p2pkhScript(hash160(publicKeyOf(walletKey)));

/** A payment of the wallet to itself. */
export function spend(coin: { txid: string; vout: number; satoshis: number }, fee = 200): Uint8Array {
  const tx = {
    version: 1,
    inputs: [{ txid: coin.txid, vout: coin.vout, script: new Uint8Array(), sequence: 0xffffffff }],
    outputs: [{ satoshis: satoshis(coin.satoshis - fee), script: ownScript }],
    lockTime: 0,
  };
  return serializeTx(
    signP2pkhInputs(tx, [{ ...coin, satoshis: satoshis(coin.satoshis), lockingScript: ownScript }], walletKey),
  );
}

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A receiver of callbacks on a port of its own. */
export class Receiver {
  readonly got: Received[] = [];
  status = 200;
  /** Never answers. */
  silent = false;
  /** How many messages it was sent at the same time, at most. */
  most = 0;
  #open = 0;
  readonly #server: Server;

  static async open(port = 0): Promise<Receiver> {
    const receiver = new Receiver();
    await new Promise<void>((resolve) => receiver.#server.listen(port, '127.0.0.1', resolve));
    return receiver;
  }

  private constructor() {
    this.#server = createServer((request, response) => {
      this.most = Math.max(this.most, ++this.#open);
      response.once('close', () => this.#open--);
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        this.got.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(parts) });
        if (!this.silent) response.writeHead(this.status).end();
      });
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async next(count = 1): Promise<Received> {
    await expect.poll(() => this.got.length, { timeout: 8_000, interval: 10 }).toBeGreaterThanOrEqual(count);
    return this.got[count - 1] as Received;
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

export async function submit(sandbox: TestSandbox, raw: Uint8Array, options: Record<string, unknown>): Promise<void> {
  const { body } = await sandbox.mapi('POST', '/tx', { rawTx: toHex(raw), ...options });
  expect(JSON.parse(body.payload)).toMatchObject({ returnResult: 'success' });
}

/** What a message holds, once its envelope was checked. */
export function messageOf(body: Buffer, signature: 'valid' | 'unsigned' = 'valid') {
  const envelope = JSON.parse(body.toString('utf8'));
  expect(verifyEnvelope(envelope)).toBe(signature);
  const message = JSON.parse(envelope.payload);
  return { envelope, message, payload: JSON.parse(message.callbackPayload) };
}
