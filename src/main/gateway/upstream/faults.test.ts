import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { PlanchetError } from '../../../contract/index.ts';
import { upstreamFault } from '../rpc/reply.ts';
import { basic, type RunningGateway, send, startGateway } from '../test-support/gateway.ts';
import { type Answer, failure, result, Upstream } from '../test-support/upstream.ts';

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part.stop();
});

async function upstreamOf(answer: Answer): Promise<Upstream> {
  const upstream = await new Upstream(answer).start();
  open.push(upstream);
  return upstream;
}

async function gatewayAt(url: string, bitcoinTimeout = '500ms'): Promise<RunningGateway> {
  const gateway = await startGateway(url, { settings: { bitcoinTimeout } });
  open.push(gateway);
  return gateway;
}

const body = '{"method":"gettxout","params":["00",0],"id":7}';

/** The answer to {@link body} on a bare kept-alive connection, as the fast path serves it. */
function sendPlain(port: number): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let heard = '';
    socket.on('error', reject);
    socket.on('data', (piece) => {
      heard += piece.toString('latin1');
      const end = heard.indexOf('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(heard.slice(0, end))?.[1]);
      if (end < 0 || heard.length < end + 4 + length) return;
      socket.destroy();
      resolve({ status: Number(heard.split(' ')[1]), text: heard.slice(end + 4) });
    });
    const head = `POST / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: ${basic('planchet:secret')}\r\n`;
    socket.write(`${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  });
}

const json = { 'content-type': 'application/json' };
const dripping: Answer = (_, response) => {
  response.writeHead(200).write('{"result":"');
  const timer = setInterval(() => response.write('x'), 50);
  response.on('close', () => clearInterval(timer));
};
const faults: [string, Answer][] = [
  ['a page', (_, response) => void response.writeHead(200).end('<html>')],
  ['a page of a proxy', (_, response) => void response.writeHead(502).end('<html>')],
  ['JSON of a proxy', (_, response) => void response.writeHead(503, json).end('{"message":"Service Unavailable"}')],
  ['a refused key', (_, response) => void response.writeHead(401, json).end('{"error":"invalid api key"}')],
  ['nothing', (_, response) => void response.end()],
  ['an array', (_, response) => void response.end('[]')],
  ['half a JSON', (_, response) => void response.end('{"result":1')],
  ['the answer to another call', (_, response) => void response.end('{"result":1,"error":null,"id":99}')],
  ['neither result nor error', ({ id }, response) => void response.end(`{"id":${id}}`)],
  [
    'less than it said',
    (_, response) => {
      response.writeHead(200, { 'content-length': 1_000 });
      response.write('{"result":1', () => response.destroy());
    },
  ],
  [
    'more than it said',
    ({ id }, { socket }) => {
      socket?.write(`HTTP/1.1 200 OK\r\ncontent-length: 12\r\n\r\n{"result":1,"error":null,"id":${id}}\n`);
    },
  ],
  ['no HTTP', (_, { socket }) => socket?.end('SSH-2.0-OpenSSH\r\n')],
  ['one byte after the other', dripping],
  ['silence', () => {}],
  ['a broken connection', (_, response) => void response.destroy()],
  ['that it is starting', failure(-28, 'Loading block index...')],
];

describe('an upstream that answers with', () => {
  it.each(faults)(
    '%s gives the same defined error on every way in, and is passed over where there is another',
    async (_what, answer) => {
      const bad = await upstreamOf(answer);
      const good = await upstreamOf(result('"good"'));
      const alone = await gatewayAt(bad.url);
      const usual = await send(alone.port, { body });
      const read = JSON.parse(usual.text) as { result: unknown; error: { code: number; message: string }; id: unknown };
      expect(read).toMatchObject({ result: null, id: 7 });
      expect([-1, -28]).toContain(read.error.code);
      expect(read.error.message).toMatch(/bitcoinRpcUrl|^Loading|proxy|mixes/);
      expect(await sendPlain(alone.port)).toEqual({ status: 500, text: usual.text });
      expect(usual.status).toBe(500);

      const both = await gatewayAt(`${bad.url},${good.url}`);
      expect(await sendPlain(both.port)).toEqual({ status: 200, text: '{"result":"good","error":null,"id":7}\n' });
    },
  );

  it('nothing but faults is skipped after a while, and used again once it answers', async () => {
    const bad = await upstreamOf((_, response) => void response.writeHead(503, json).end('{"message":"down"}'));
    const good = await upstreamOf(result('"good"'));
    const gateway = await gatewayAt(`${bad.url},${good.url}`);
    for (let n = 0; n < 3; n++) await sendPlain(gateway.port);
    const { upstreams } = await gateway.service.status();
    expect(upstreams.map(({ circuit }) => circuit)).toEqual(['open', 'closed']);
    await good.stop();
    bad.answer = result('"back"');
    expect((await sendPlain(gateway.port)).text).toContain('"back"');
  });
});

it('an upstream that hangs within a large answer times out, even after a slow reader made it wait', async () => {
  let sent = 0;
  const upstream = await upstreamOf(({ id, method }, response) => {
    if (method === 'getinfo') return;
    response.writeHead(200);
    response.write(`{"id":${id},"error":null,"result":"`);
    // 32 MB fill all buffers in between, so the upstream has to wait; then it sends nothing more
    const more = (): void => {
      while (sent++ < 512) if (!response.write('x'.repeat(65_536))) return void response.once('drain', more);
    };
    more();
  });
  const gateway = await gatewayAt(upstream.url, '2s');
  const socket = connect(gateway.port, '127.0.0.1');
  open.push({ stop: async () => void socket.destroy() });
  const head = `POST / HTTP/1.1\r\nHost: 127.0.0.1:${gateway.port}\r\nAuthorization: ${basic('planchet:secret')}\r\n`;
  socket.write(`${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  socket.on('error', () => {});
  await new Promise((resolve) => socket.once('readable', resolve));
  // Calls without an answer time out meanwhile, so more than the time limit has passed.
  for (let n = 0; n < 2; n++) {
    const { text } = await send(gateway.port, { body: JSON.stringify({ method: 'getinfo', params: [], id: n }) });
    expect(text).toContain('did not answer');
  }
  expect(sent).toBeLessThan(512);
  let bytes = 0;
  socket.on('data', (piece: Buffer) => {
    bytes += piece.length;
  });
  socket.resume();
  await new Promise((resolve) => socket.once('close', resolve));
  expect(bytes).toBeGreaterThan(32_000_000);
});

it('an upstream that is not available is not said to have a wrong address', async () => {
  const upstream = await upstreamOf((_, response) => void response.writeHead(503).end('<html>'));
  const gateway = await gatewayAt(upstream.url);
  const { text } = await send(gateway.port, { body });
  expect(text).toContain('is not available at the moment (HTTP 503)');
  expect(text).not.toContain('bitcoinRpcUrl');
});

it('a call that no upstream was asked for is not said to be answered by one', () => {
  const origin = 'http://node.example';
  const reply = upstreamFault(new PlanchetError('upstream.not-asked', { origin }), '1');
  expect(reply).toMatchObject({ source: 'local', failure: { id: 'upstream.not-asked' } });
  const timeout = new PlanchetError('upstream.timeout', { origin, seconds: 10 });
  expect(upstreamFault(timeout, '1')).toMatchObject({ source: 'upstream' });
});
