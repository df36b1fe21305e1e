import { MalformedResponseError, type ResponseHead } from './response-head.ts';

/** Characters of a chunk's size line, or of a trailer. */
const MAX_LINE_LENGTH = 4_096;
const MAX_TRAILERS = 64;

/** Extracts the body of an answer from the received bytes, and finds its end. */
export class ResponseBody {
  readonly #chunked: boolean;
  /** Bytes missing from the body or the current chunk. */
  #remaining: number;
  #state: 'data' | 'size' | 'after data' | 'trailers' = 'data';
  #line = '';
  #trailers = 0;
  /** The body is complete. */
  done = false;

  constructor(body: ResponseHead['body']) {
    this.#chunked = body === 'chunked';
    this.#remaining = typeof body === 'number' ? body : Number.POSITIVE_INFINITY;
    if (this.#chunked) this.#state = 'size';
    this.done = body === 0;
  }

  /**
   * @param take receives each piece of the body, a view of `bytes`
   * @returns number of bytes that belong to this answer; fewer than given only if the body is complete
   * @throws MalformedResponseError if the chunks cannot be read
   */
  read(bytes: Buffer, take: (piece: Buffer) => void): number {
    let at = 0;
    while (!this.done && at < bytes.length) {
      if (this.#state === 'data') {
        const end = Math.min(bytes.length, at + this.#remaining);
        take(bytes.subarray(at, end));
        this.#remaining -= end - at;
        at = end;
        if (this.#remaining === 0) this.#endOfData();
      } else {
        const end = bytes.indexOf(0x0a, at);
        this.#line += bytes.toString('latin1', at, end < 0 ? bytes.length : end);
        if (this.#line.length > MAX_LINE_LENGTH) throw new MalformedResponseError('it has a chunk that cannot be read');
        if (end < 0) return bytes.length;
        at = end + 1;
        const line = this.#line;
        this.#line = '';
        if (!line.endsWith('\r')) throw new MalformedResponseError('it has a chunk that cannot be read');
        this.#onLine(line.slice(0, -1));
      }
    }
    return at;
  }

  #endOfData(): void {
    if (this.#chunked) this.#state = 'after data';
    else this.done = true;
  }

  #onLine(line: string): void {
    if (this.#state === 'size') {
      const size = /^([0-9a-fA-F]{1,12})[ \t]*(?:;.*)?$/.exec(line)?.[1];
      if (size === undefined) throw new MalformedResponseError('it has a chunk without a size');
      this.#remaining = Number.parseInt(size, 16);
      this.#state = this.#remaining === 0 ? 'trailers' : 'data';
    } else if (this.#state === 'after data') {
      if (line !== '') throw new MalformedResponseError('it has a chunk longer than its size');
      this.#state = 'size';
    } else if (line === '') this.done = true;
    else if (++this.#trailers > MAX_TRAILERS) throw new MalformedResponseError('it has too many trailers');
  }
}
