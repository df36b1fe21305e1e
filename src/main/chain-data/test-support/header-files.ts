import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { concatBytes, HEADER_BYTES } from '../../../chain/index.ts';
import type { FakeNode } from './header-node.ts';

export const LISTING = 'testNetBlockHeaders.json';
/** Headers of a file. */
const COUNT = 2_000;

/** What happens to an answer that has a file: `cut` ends the connection within it, `short` says that half of it is all, `held` never ends. */
export type FileFault = { readonly kind: 'cut' | 'short' | 'held'; readonly bytes: number };

interface HeaderFileEntry {
  readonly name: string;
  readonly first: number;
  readonly last: number;
  readonly bytes: Uint8Array;
}

/** Serves the headers of a chain as files with a listing of their hashes, on a port of this machine. */
export class HeaderFiles {
  readonly files: readonly HeaderFileEntry[];
  /** The files that were asked for, in order. */
  asked: HeaderFileEntry[] = [];
  /** Those of them that were sent whole. */
  sent: HeaderFileEntry[] = [];
  /** Asked for each answer. @param index of the request among those in {@link asked} */
  fault: (file: HeaderFileEntry, index: number) => FileFault | undefined = () => undefined;
  /** Called when an answer is held, and what is to be sent of it was sent. */
  onHeld: () => void = () => undefined;
  readonly #listing: string;
  readonly #server = createServer(({ url }, response) => this.#answer((url ?? '').slice(1), response));

  constructor({ headers, hashes }: FakeNode) {
    const firsts = Array.from({ length: Math.ceil(headers.length / COUNT) }, (_, index) => index * COUNT);
    this.files = firsts.map((first, index) => {
      const bytes = concatBytes(...headers.slice(first, first + COUNT));
      return { name: `testNet_${index}.headers`, first, last: first + bytes.length / HEADER_BYTES - 1, bytes };
    });
    this.#listing = JSON.stringify({
      files: this.files.map(({ name: fileName, first, last, bytes }) => ({
        ...{ chain: 'test', fileName, firstHeight: first, count: last + 1 - first, lastHash: hashes[last] },
        fileHash: createHash('sha256').update(bytes).digest('base64'),
      })),
    });
  }

  /** @returns where the files are */
  async open(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #answer(name: string, response: ServerResponse): void {
    if (name === LISTING) return void response.setHeader('content-type', 'application/json').end(this.#listing);
    const file = this.files.find((one) => one.name === name);
    if (file === undefined) return void response.writeHead(404).end();
    const fault = this.fault(file, this.asked.push(file) - 1);
    const length = fault?.kind === 'short' ? fault.bytes : file.bytes.length;
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': length });
    if (fault === undefined) {
      this.sent.push(file);
      return void response.end(file.bytes);
    }
    const begun = file.bytes.subarray(0, fault.bytes);
    if (fault.kind === 'short') return void response.end(begun);
    response.write(begun, () => {
      if (fault.kind === 'cut') response.destroy();
      else this.onHeld();
    });
  }
}
