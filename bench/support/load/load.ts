import { connect, type Socket } from 'node:net';

export interface Load {
  readonly port: number;
  readonly connections: number;
  /** Ends after so many milliseconds or, where it is given, so many answers. */
  readonly milliseconds?: number;
  readonly answers?: number;
  readonly credential: string;
  /** The body of a request; `n` rises by one. */
  readonly body: (n: number) => string;
  /** What the answer to it must hold near its end. */
  readonly expect?: (n: number) => string;
}

export interface Measured {
  readonly perSecond: number;
  /** Microseconds. */
  readonly p50: number;
  readonly answers: number;
}

const READ_BYTES = 256 * 1024;
const MOST_TIMES = 200_000;

/**
 * Keeps connections busy with one request after the other, each answer checked. Written on bare sockets, whose bytes go to one buffer: it
 * must be faster than what it measures.
 */
export async function measure(load: Load): Promise<Measured> {
  const run = new Run(load);
  const started = performance.now();
  await Promise.all(Array.from({ length: load.connections }, () => run.connection()));
  const seconds = (performance.now() - started) / 1_000;
  const times = run.times.subarray(0, Math.min(run.done, MOST_TIMES)).sort();
  return { answers: run.done, perSecond: run.done / seconds, p50: (times[times.length >> 1] ?? 0) * 1_000 };
}

class Run {
  readonly times = new Float64Array(MOST_TIMES);
  readonly #load: Load;
  readonly #head: string;
  readonly #until: number;
  #sent = 0;
  done = 0;

  constructor(load: Load) {
    this.#load = load;
    const credential = Buffer.from(load.credential).toString('base64');
    this.#head = `POST / HTTP/1.1\r\nHost: 127.0.0.1:${load.port}\r\nAuthorization: Basic ${credential}\r\nContent-Type: application/json\r\nContent-Length: `;
    this.#until = performance.now() + (load.milliseconds ?? Number.POSITIVE_INFINITY);
  }

  connection(): Promise<void> {
    const { port, body, expect, answers = Number.POSITIVE_INFINITY } = this.#load;
    return new Promise((resolve, reject) => {
      const buffer = Buffer.allocUnsafe(READ_BYTES);
      const reader = new AnswerReader();
      let n = 0;
      let at = 0;
      const next = (): void => {
        n = ++this.#sent;
        const text = body(n);
        at = performance.now();
        socket.write(`${this.#head}${text.length}\r\n\r\n${text}`, 'latin1');
      };
      const heard = (length: number): void => {
        const problem = reader.take(buffer, length);
        if (problem === 'more') return;
        const tail = reader.tail;
        const now = performance.now();
        if (problem !== undefined || (expect !== undefined && !tail.includes(expect(n)))) {
          socket.destroy();
          reject(new Error(problem ?? `answer ${n} ends in ${tail}`));
          return;
        }
        this.times[this.done % MOST_TIMES] = now - at;
        this.done += 1;
        if (now < this.#until && this.done < answers) {
          next();
          return;
        }
        socket.destroy();
        resolve();
      };
      const socket: Socket = connect({
        port,
        host: '127.0.0.1',
        noDelay: true,
        onread: {
          buffer,
          callback: (length) => {
            heard(length);
            return true;
          },
        },
      });
      socket.on('error', reject);
      socket.on('connect', next);
    });
  }
}

/** Finds where an answer ends, by its length or by its last chunk. */
class AnswerReader {
  #missing = 0;
  #chunked = false;
  tail = '';

  /** @returns undefined where the answer is complete, `more` where it is not, and else what is wrong with it */
  take(bytes: Buffer, length: number): string | undefined {
    if (this.#missing === 0 && !this.#chunked) {
      const head = bytes.toString('latin1', 0, Math.min(length, 512));
      const end = head.indexOf('\r\n\r\n');
      if (!head.startsWith('HTTP/1.1 200') || end < 0) return head;
      const field = /content-length: (\d+)/i.exec(head);
      this.#chunked = field === null;
      this.#missing = field === null ? 0 : end + 4 + Number(field[1]);
    }
    this.tail = bytes.toString('latin1', Math.max(0, length - 40), length);
    if (this.#chunked) {
      if (!this.tail.endsWith('0\r\n\r\n')) return 'more';
      this.#chunked = false;
      return undefined;
    }
    this.#missing -= length;
    return this.#missing > 0 ? 'more' : undefined;
  }
}
