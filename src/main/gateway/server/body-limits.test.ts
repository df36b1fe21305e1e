import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HALF, longestShare } from '../../test-support/longest-turn.ts';
import { sendBeforeReading } from '../../test-support/send-before-reading.ts';
import { type Answered, basic, type RunningGateway, send, startGateway } from '../test-support/gateway.ts';
import { result, Upstream } from '../test-support/upstream.ts';

const MB = 1_000_000;
/** Calls that are answered while hostile bodies arrive. */
const MEANWHILE = process.env.PLANCHET_LONG ? 20 : 2;
const honest = '{"method":"getblockcount","id":1}';

let upstream: Upstream;
let gateway: RunningGateway;
beforeAll(async () => {
  upstream = await new Upstream(result('1')).start();
  gateway = await startGateway(upstream.url);
});
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

const parseError = { code: -32700, message: 'Parse error' };
const beyond = (words: string) => ({ code: -32600, message: expect.stringContaining(words) as string });
const repeated = (text: string, bytes: number): string => text.repeat(Math.floor(bytes / text.length));

const hostile: [string, () => string, number, object][] = [
  ['30 MB of members', () => `{${repeated('"n":1,', 30 * MB)}"n":1}`, 400, beyond('100000 values')],
  [
    '30 MB of members behind the call',
    () => `{"method":"getblockcount",${repeated('"n":1,', 30 * MB)}"n":1}`,
    400,
    beyond('100000 values'),
  ],
  ['15 million zeros', () => `[${repeated('0,', 30 * MB)}0]`, 400, beyond('1000 calls')],
  [
    '15 million zeros as parameters',
    () => `{"method":"getblock","params":[${repeated('0,', 30 * MB)}0]}`,
    400,
    beyond('100000 values'),
  ],
  [
    '99,000 members',
    () => `{${Array.from({ length: 99_000 }, (_, n) => `"n${n}":${n}`).join(',')}}`,
    400,
    beyond('Missing method'),
  ],
  [
    '99,000 named parameters',
    () => `{"method":"getblock","params":{${Array.from({ length: 50_000 }, (_, n) => `"n${n}":${n}`).join(',')}}}`,
    500,
    { code: -8 },
  ],
  ['30 million arrays within each other', () => repeated('[', 30 * MB), 500, parseError],
  ['6 million objects within each other', () => repeated('{"a":', 30 * MB), 500, parseError],
  ['30 MB of space', () => `${repeated(' ', 30 * MB)}${honest}`, 400, beyond('bytes of space')],
  ['30 MB of escapes', () => `{"method":"${repeated('\\u0041', 30 * MB)}"}`, 400, beyond('100000 escapes')],
  ['a name of 30 MB', () => `{"${repeated('n', 30 * MB)}":1}`, 400, beyond('a name may')],
  ['a number of 30 MB', () => `{"id":${repeated('1', 30 * MB)}}`, 400, beyond('a number may')],
  ['an id of 30 MB', () => `{"id":"${repeated('1', 30 * MB)}","method":"getblockcount"}`, 400, beyond('an id may')],
  ['a method of 30 MB', () => `{"method":"${repeated('n', 30 * MB)}"}`, 404, { code: -32601 }],
  ['a method of 30 MB that is not ASCII', () => `{"method":"${repeated('\u20ac', 10 * MB)}"}`, 404, { code: -32601 }],
  [
    'parameters of 30 MB',
    () => `{"method":"getblock","params":["${repeated('n', 30 * MB)}"]}`,
    400,
    beyond('the parameters of getblock'),
  ],
  [
    '1,000 calls of 30 KB',
    () =>
      `[${Array.from({ length: 1_000 }, () => `{"method":"nope","params":["${repeated('n', 30_000)}"]}`).join(',')}]`,
    200,
    {},
  ],
  ['a text that breaks off', () => `{"method":"${repeated('n', 30 * MB)}`, 500, parseError],
  ['30 MB that are no JSON', () => repeated('x', 30 * MB), 500, parseError],
];

/** Every fifth in `npm test`. */
const sent = hostile.filter((_, at) => process.env.PLANCHET_LONG !== undefined || at % 5 === 0);

describe('a body that would block the event loop', () => {
  it.each(sent)('%s: is answered, and no turn is long', async (_, make, status, error) => {
    const body = Buffer.from(make());
    let answer: Answered | undefined;
    const share = await longestShare(async () => {
      answer = await send(gateway.port, { body });
    });
    expect(answer?.status).toBe(status);
    if (status !== 200) expect(JSON.parse(answer?.text ?? '')).toMatchObject({ result: null, error });
    expect(share).toBeLessThan(HALF);
  });

  it('a transaction of 10 MB to decode: is sent upstream unchanged, and no turn is long', async () => {
    const sink = await sinkUpstream();
    const before = await startGateway(sink.url);
    const body = Buffer.from(`{"method":"decoderawtransaction","params":["${repeated('00', 20 * MB)}"],"id":1}`);
    try {
      let answer: Answered | undefined;
      const share = await longestShare(async () => {
        answer = await send(before.port, { body });
      });
      expect([answer?.status, answer?.text.trim()]).toEqual([200, '{"result":"decoded","error":null,"id":1}']);
      expect(sink.received()).toBeGreaterThan(20 * MB);
      expect(share).toBeLessThan(HALF);
    } finally {
      await before.stop();
      await sink.stop();
    }
  });

  it('from many clients at once: others are answered meanwhile', async () => {
    const bodies = hostile.slice(0, 4).map(([, make]) => Buffer.from(make()));
    let answered = 0;
    const pour = async (body: Buffer): Promise<void> => {
      while (answered < MEANWHILE) expect((await send(gateway.port, { body })).status).toBe(400);
    };
    const pouring = [...bodies, ...bodies].map(pour);
    for (; answered < MEANWHILE; answered++) expect((await send(gateway.port, { body: honest })).status).toBe(200);
    await Promise.all(pouring);
  });
});

/** An upstream that only counts the bytes of calls, so that only the gateway's own work is measured. */
async function sinkUpstream(): Promise<{ url: string; received: () => number; stop: () => Promise<void> }> {
  let received = 0;
  const server = createServer((socket) => {
    let id = '';
    socket.on('error', () => {});
    socket.on('data', (piece) => {
      received += piece.length;
      const text = piece.toString('latin1', 0, 1_000);
      id = /"id":("[^"]*"|\d+)/.exec(text)?.[1] ?? id;
      const asked = /"method":"(\w+)"/.exec(text)?.[1];
      if (!piece.toString('latin1', piece.length - 2).endsWith('}')) return;
      const decoded = asked === undefined || asked === 'decoderawtransaction';
      const answer = decoded
        ? `{"result":"decoded","error":null,"id":${id}}`
        : `{"result":null,"error":{"code":-32601,"message":"Method not found"},"id":${id}}`;
      const status = decoded ? '200 OK' : '404 Not Found';
      socket.write(`HTTP/1.1 ${status}\r\ncontent-length: ${answer.length}\r\n\r\n${answer}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: () => received,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

const headOf = (path: string, authorization: string, length: string): string =>
  [`POST ${path} HTTP/1.1`, 'Host: 127.0.0.1', `Authorization: ${authorization}`, length, '', ''].join('\r\n');

describe('a client whose body is refused for its size', () => {
  const right = basic('planchet:secret');
  it.each([
    ['by its length', '/', right, 'Content-Length: 60000000', 413],
    ['on a REST path', '/rest/getutxos.json', right, 'Content-Length: 60000000', 413],
    ['without a credential', '/', '', 'Content-Length: 60000000', 401],
    ['at another path', '/nothing', right, 'Content-Length: 60000000', 404],
  ])('reads the reason, although it sends the whole body first: %s', async (_, path, authorization, length, status) => {
    const { heard, errors } = await sendBeforeReading(gateway.port, headOf(path, authorization, length), 60 * MB);
    expect(errors).toEqual([]);
    expect(heard).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });

  it('reads the reason for a body without a length', async () => {
    const head = `${headOf('/', right, 'Transfer-Encoding: chunked')}3938700\r\n"`;
    const { heard, errors } = await sendBeforeReading(gateway.port, head, 60 * MB);
    expect(errors).toEqual([]);
    expect(heard).toMatch(/^HTTP\/1\.1 (413|500) /);
  });

  it('reads the reason while other clients do the same', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => send(gateway.port, { body: Buffer.alloc(34 * MB, '1') })),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 413));
  });
});
