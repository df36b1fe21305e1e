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
}

export interface Measured {
  readonly perSecond: number;
  /** Microseconds. */
  readonly p50: number;
}

/** Keeps connections busy with one request after the other. Written on bare sockets: it must be faster than what it measures. */
export async function measure(load: Load): Promise<Measured> {
  const { port, connections, milliseconds = Number.POSITIVE_INFINITY, answers = Number.POSITIVE_INFINITY } = load;
  const head = `POST / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Basic ${Buffer.from(load.credential).toString('base64')}\r\nContent-Type: application/json\r\nContent-Length: `;
  const times: number[] = [];
  let sent = 0;
  let done = 0;
  const started = performance.now();
  const one = (socket: Socket): Promise<void> =>
    new Promise((resolve, reject) => {
      let heard = '';
      let at = 0;
      const next = (): void => {
        const body = load.body(++sent);
        at = performance.now();
        socket.write(`${head}${Buffer.byteLength(body)}\r\n\r\n${body}`);
      };
      socket.setNoDelay(true);
      socket.setEncoding('latin1');
      socket.on('error', reject);
      socket.on('data', (text: string) => {
        heard = heard === '' ? text : heard + text;
        if (!isWhole(heard)) return;
        if (!heard.startsWith('HTTP/1.1 200')) return reject(new Error(heard.slice(0, 300)));
        heard = '';
        done += 1;
        if (times.length < 200_000) times.push(performance.now() - at);
        if (performance.now() - started < milliseconds && done < answers) return next();
        socket.destroy();
        resolve();
      });
      next();
    });
  await Promise.all(Array.from({ length: connections }, () => one(connect(port, '127.0.0.1'))));
  const seconds = (performance.now() - started) / 1_000;
  times.sort((a, b) => a - b);
  return { perSecond: done / seconds, p50: (times[times.length >> 1] ?? 0) * 1_000 };
}

function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const length = /content-length: (\d+)/i.exec(text.slice(0, end))?.[1];
  return length === undefined ? text.endsWith('0\r\n\r\n') : text.length >= end + 4 + Number(length);
}
