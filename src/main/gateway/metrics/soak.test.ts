import { connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { basic, type RunningGateway, send, startGateway } from '../test-support/gateway.ts';
import { echo, Upstream } from '../test-support/upstream.ts';

const SECONDS = process.env.PLANCHET_LONG ? 600 : 2;
const CALLERS = 8;
const BOUND = 16 * 1024 * 1024;

let upstream: Upstream;
let gateway: RunningGateway;

beforeAll(async () => {
  upstream = await new Upstream(echo).start();
  gateway = await startGateway(upstream.url, { settings: { gatewayShareFor: '250ms' } });
});

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

function heapAfterCollection(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

it(
  'calls, batches, clients that leave and short connections leak no memory',
  async () => {
    const until = performance.now() + SECONDS * 1_000;
    let number = 0;
    const wrong: string[] = [];
    const one = async (): Promise<void> => {
      const id = ++number;
      if (upstream.requests.length > 1_000) upstream.requests.length = 0;
      const call = (n: number): string => `{"id":${n},"method":"gettxout","params":["${n}",0]}`;
      const answer = (n: number): string => `{"result":"gettxout [\\"${n}\\",0]","error":null,"id":${n}}`;
      const kind = id % 4;
      if (kind === 3) {
        // sends a request and disconnects at once
        const socket = connect(gateway.port, '127.0.0.1');
        const head = `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${basic('planchet:secret')}\r\n`;
        await new Promise<void>((resolve) => {
          socket.on('error', () => {});
          socket.on('close', () => resolve());
          socket.on('connect', () => {
            socket.write(`${head}Content-Length: ${call(id).length}\r\n\r\n${call(id)}`, () => socket.destroy());
          });
        });
        return;
      }
      let body = '{"id":1,"method":"getblockcount"}';
      let expected: string | undefined;
      if (kind === 0)
        [body, expected] = [
          call(id),
          `${answer(id)}
`,
        ];
      if (kind === 1)
        [body, expected] = [
          `[${call(id)},${call(-id)}]`,
          `[${answer(id)},${answer(-id)}]
`,
        ];
      // every other request is answered by node's own server
      const { text } = await send(gateway.port, { body, headers: id % 2 === 0 ? {} : { 'x-other': '1' } });
      if (expected !== undefined && text !== expected) wrong.push(text);
    };
    let first: number | undefined;
    const callers = Array.from({ length: CALLERS }, async () => {
      while (performance.now() < until) {
        await one();
        // by now, everything that is created once exists, and the counters have their full size
        if (first === undefined && performance.now() > until - SECONDS * 800) first = heapAfterCollection();
      }
    });
    await Promise.all(callers);
    const last = heapAfterCollection();
    upstream.requests.length = 0;
    expect(wrong).toEqual([]);
    expect(last - (first as number)).toBeLessThan(BOUND);
    const { connections } = await gateway.service.status();
    expect(connections).toBeLessThanOrEqual(CALLERS);
    if (process.env.PLANCHET_LONG) {
      const megabytes = [first as number, last].map((bytes) => (bytes / 1_048_576).toFixed(1)).join(' to ');
      process.stdout.write(`${number} requests in ${SECONDS} s; heap ${megabytes} MB\n`);
    }
  },
  1_000 * (SECONDS + 60),
);
