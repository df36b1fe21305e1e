import { createServer, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { parentPort } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import type { Answered, Order } from './hostile.ts';
import { hostile, within } from './shapes.ts';

const PIECE = 65_536;
let server: Server | undefined;
let answer: { bytes: Buffer; headers: Record<string, string> } = { bytes: Buffer.alloc(0), headers: {} };

/** The other end of each surface, on a thread of its own, so that what it does is not measured. */
parentPort?.on('message', ({ id, order }: { id: number; order: Order }) => {
  const done = (result: Answered): void => parentPort?.postMessage({ id, result });
  carryOut(order).then(done, (error: unknown) => done({ error: String((error as NodeJS.ErrnoException).code) }));
});

async function carryOut(order: Order): Promise<Answered> {
  const shape = hostile(order.shape, order.bytes);
  if (order.do === 'answer') {
    const bytes = within(shape, order.around);
    answer = order.gzip ? { bytes: gzipSync(bytes), headers: { 'content-encoding': 'gzip' } } : { bytes, headers: {} };
    server ??= await serve();
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  }
  return order.do === 'send' ? send(order, within(shape, order.around)) : sendPlain(order, shape);
}

function serve(): Promise<Server> {
  const made = createServer((asked, response) => {
    asked.resume().once('end', () => {
      response.writeHead(200, { 'content-type': 'application/json', ...answer.headers });
      piecesOf(answer.bytes).pipe(response);
    });
  });
  return new Promise((resolve) => made.listen(0, '127.0.0.1', () => resolve(made)));
}

function send({ url, headers }: Extract<Order, { do: 'send' }>, body: Buffer): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: 'POST', headers, agent: false }, (response) => {
      response.resume();
      response.once('close', () => resolve({ status: response.statusCode ?? 0 }));
    });
    asked.once('error', reject);
    piecesOf(body).pipe(asked);
  });
}

/** Bytes that are no HTTP, until the other side hangs up. */
function sendPlain({ url }: Extract<Order, { do: 'send plain' }>, body: Buffer): Promise<Answered> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.end(body));
    socket.resume();
    socket.once('error', () => undefined);
    socket.once('close', () => resolve({ status: 0 }));
  });
}

function piecesOf(bytes: Buffer): Readable {
  const count = Math.ceil(bytes.length / PIECE);
  return Readable.from(Array.from({ length: count }, (_, n) => bytes.subarray(n * PIECE, (n + 1) * PIECE)));
}
