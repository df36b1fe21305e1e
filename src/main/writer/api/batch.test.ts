import { request as httpRequest, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { PassThrough, Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestHarness } from '../test-support/harness.ts';
import {
  API_KEY,
  fastClock,
  PATIENCE_MS,
  scriptOf,
  type WriterClient,
  WriterProcesses,
  written,
} from '../test-support/writer-client.ts';

const LONG = process.env.PLANCHET_LONG === '1';
const MANY = LONG ? 1_000_000 : 10_000;
/** What a batch may add to what is in use, from its first tenth to its end: the journal's caches and counters, not its lines. */
const MOST_GROWTH_BYTES = 40_000_000;
/** A bound for what hangs: on a machine under load the database is behind for a while. */
const DRAIN_MS = 60_000;
/** How long a batch waits before it looks for room again. */
const ROOM_PAUSE_MS = 200;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

let writers: WriterProcesses;
beforeEach(async () => {
  writers = await WriterProcesses.open();
});
afterEach(() => writers.close());

interface Line {
  line: number;
  status: number;
  id?: string;
  state?: string;
  code?: number;
  error?: string;
}

/** Sends lines as they are asked for. @returns the answer, whose lines are to be read while the others are sent */
function openBatch(
  client: WriterClient,
  lines: Iterable<string | Buffer> | PassThrough,
  headers: Record<string, string> = {},
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      host: '127.0.0.1',
      port: client.port,
      method: 'POST',
      path: '/api/v1/write/batch',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/x-ndjson', ...headers },
      agent: false,
    });
    request.on('error', reject);
    request.on('response', resolve);
    const source =
      lines instanceof PassThrough ? lines : Readable.from(lines, { objectMode: false, highWaterMark: 65_536 });
    source.pipe(request);
  });
}

async function* linesOf(answer: IncomingMessage): AsyncGenerator<Line> {
  for await (const text of createInterface({ input: answer })) yield JSON.parse(text) as Line;
}

async function all(lines: AsyncIterable<Line>): Promise<Line[]> {
  const list: Line[] = [];
  for await (const line of lines) list.push(line);
  return list;
}

/** Waits until a count rises no more: as long as it does, its sender is not held up. */
async function untilStill(count: () => number): Promise<void> {
  let last = -1;
  const still = (): boolean => {
    const same = count() === last;
    last = count();
    return same;
  };
  await expect.poll(still, { timeout: PATIENCE_MS, interval: 500 }).toBe(true);
}

async function sendBatch(
  client: WriterClient,
  text: string | Buffer,
  headers: Record<string, string> = {},
): Promise<Line[]> {
  return all(linesOf(await openBatch(client, [text], headers)));
}

describe('POST /api/v1/write/batch', () => {
  it('keeps each line that it answers as accepted, and none that it refuses, where the database rejects one', async () => {
    const harness = new TestHarness(10_000_000);
    const client = await writers.start(harness);
    harness.holdQuotes();
    const refusal =
      writers.databaseUrl === ''
        ? `create trigger refused before insert on writer_ingest when length(new.body) > 500
            begin select raise(abort, 'refused'); end`
        : 'alter table writer_bodies add check (length(body) <= 500)';
    await sql.raw(refusal).execute(writers.db);
    const lines = Array.from({ length: 2_000 }, (_, n) => JSON.stringify(n === 1_000 ? 'x'.repeat(500) : n));
    const answers = await sendBatch(client, `${lines.join('\n')}\n`);
    expect(answers.map(({ line }) => line)).toEqual(lines.map((_, n) => n + 1));
    const kept = answers.filter(({ status }) => status === 202);
    expect(answers[1_000]).toMatchObject({ status: 500, error: expect.stringContaining('nothing was accepted') });
    expect(kept.length).toBeGreaterThan(1_000);
    const rows = await writers.db.selectFrom('writer_documents').select('id').execute();
    expect(rows.map(({ id }) => id).sort()).toEqual(kept.map(({ id }) => id).sort());
  });

  it('answers each line in its place, also the bad ones, and writes the good ones', async () => {
    const harness = new TestHarness(1_000_000);
    const client = await writers.start(harness, { settings: { writerMaxBytes: 100 } });
    const text = Buffer.concat([
      Buffer.from('{"n":1}\n\n{"n":2\r\n'),
      Buffer.from([0x22, 0xc3, 0x28, 0x22, 0x0a]),
      Buffer.from(`"${'x'.repeat(200)}"\n{"n":3}\r\n"last, without an end"`),
    ]);
    const answers = await sendBatch(client, text, { 'x-tag': 'all' });
    expect(answers.map(({ line, status, code }) => [line, status, code])).toEqual([
      [1, 202, undefined],
      [2, 400, 12],
      [3, 400, 12],
      [4, 413, 12],
      [5, 202, undefined],
      [6, 202, undefined],
    ]);
    for (const { id, status } of answers) if (status === 202) await client.untilState(String(id), 'submitted', 'seen');
    const expected = ['{"n":1}', '{"n":3}', '"last, without an end"'].map((body) => scriptOf(body, 'all'));
    expect(written(harness).sort()).toEqual(expected.sort());
  });

  it('sent again whole with its Idempotency-Key, writes only what is missing', async () => {
    const harness = new TestHarness(1_000_000);
    const client = await writers.start(harness);
    const headers = { 'idempotency-key': 'night-7' };
    const first = await sendBatch(client, '1\n2\n', headers);
    for (const { id } of first) await client.untilState(String(id), 'submitted', 'seen');
    const again = await sendBatch(client, '1\n2\n3\n', headers);
    expect(again.slice(0, 2)).toEqual(first);
    const other = await sendBatch(client, '1\n5\n', headers);
    expect(other).toMatchObject([{ status: 202 }, { status: 409, code: 22 }]);
    for (const { id } of again) await client.untilState(String(id), 'submitted', 'seen');
    expect(written(harness).sort()).toEqual(['1', '2', '3'].map((body) => scriptOf(body)).sort());
  });

  it('refuses another content type, an unknown key and a page of the web before it reads a line', async () => {
    const client = await writers.start(new TestHarness(100_000));
    const refused = async (headers: Record<string, string>): Promise<[number | undefined, unknown]> => {
      const answer = await openBatch(client, ['1\n'], headers);
      const [body] = await all(linesOf(answer));
      return [answer.statusCode, body?.code];
    };
    expect(await refused({ 'content-type': 'application/json' })).toEqual([415, 10]);
    expect(await refused({ authorization: 'Bearer nobody' })).toEqual([401, 1]);
    expect(await refused({ origin: 'https://evil.example' })).toEqual([403, 1]);
    expect((await client.write('{}', { 'content-type': 'application/x-ndjson' })).json).toMatchObject({
      status: 415,
      code: 10,
    });
  });

  it('holds a sender up while the queue is full, and goes on when there is room', async () => {
    const harness = new TestHarness(1_000_000);
    const client = await writers.start(harness, { settings: { writerQueueLimit: 5 } });
    const ended = harness.holdQuotes();
    const answers: Line[] = [];
    const reading = (async () => {
      const text = Array.from({ length: 600 }, (_, n) => `${n}\n`).join('');
      for await (const line of linesOf(await openBatch(client, [text]))) answers.push(line);
    })();
    await expect
      .poll(async () => (await client.service.view.status()).documents, { timeout: PATIENCE_MS })
      .toBeGreaterThan(4);
    expect((await client.write('"full"')).json).toMatchObject({ status: 429, code: 25 });
    ended();
    await reading;
    expect(answers.map(({ line, status }) => [line, status])).toEqual(answers.map((_, n) => [n + 1, 202]));
    expect(answers).toHaveLength(600);
  });

  it('holds a sender up for longer than a silent connection is left open', { tags: 'long' }, async () => {
    // The first line may take as long on a loaded machine.
    const silenceMs = 2_000;
    const harness = new TestHarness(1_000_000);
    const client = await writers.start(harness, { settings: { writerQueueLimit: 1 }, options: { silenceMs } });
    const ended = harness.holdQuotes();
    const lines = new PassThrough();
    const answering = openBatch(client, lines);
    lines.write('1\n');
    const answers = linesOf(await answering);
    expect((await answers.next()).value).toMatchObject({ line: 1, status: 202 });
    lines.end('2\n');
    const held = answers.next();
    // No fixed wait but the time that is to be outlived.
    await Promise.race([held.catch(() => {}), new Promise((resolve) => setTimeout(resolve, 1.5 * silenceMs))]);
    ended();
    expect((await held).value).toMatchObject({ line: 2, status: 202 });
  });

  it('stops waiting for room once the sender went away', async () => {
    let waiting = 0;
    const clock: typeof fastClock = {
      now: fastClock.now,
      after: (ms, run) => {
        if (ms === ROOM_PAUSE_MS) waiting += 1;
        return fastClock.after(ms, run);
      },
    };
    const harness = new TestHarness(1_000_000);
    const client = await writers.start(harness, { settings: { writerQueueLimit: 1 }, options: { clock } });
    harness.holdQuotes();
    const lines = new PassThrough();
    const answering = openBatch(client, lines);
    lines.write('1\n');
    const answer = await answering;
    answer.on('error', () => {});
    expect((await linesOf(answer).next()).value).toMatchObject({ line: 1, status: 202 });
    lines.write('2\n');
    await expect.poll(() => waiting, { timeout: PATIENCE_MS }).toBeGreaterThan(2);
    answer.socket.destroy();
    await untilStill(() => waiting);
  });

  it('holds few long lines in memory while the queue is full', async () => {
    const harness = new TestHarness(1_000_000);
    const client = await writers.start(harness, { settings: { writerQueueLimit: 1 } });
    harness.holdQuotes();
    let sent = 0;
    const long = function* () {
      yield '"fills the queue"\n';
      for (; sent < 1_000; sent++) yield `${JSON.stringify('x'.repeat(900_000))}\n`;
    };
    const answer = await openBatch(client, long());
    expect((await linesOf(answer).next()).value).toMatchObject({ line: 1, status: 202 });
    await untilStill(() => sent);
    // What the sockets between the two hold comes on top of the one line that waits.
    expect(sent).toBeLessThan(30);
    answer.destroy();
  });

  it('answers a line at once where the sender waits for it, and counts documents, not lines', async () => {
    const client = await writers.start(new TestHarness(1_000_000));
    const lines = new PassThrough();
    const answering = openBatch(client, lines);
    lines.write('1\n\n');
    const answers = linesOf(await answering);
    expect((await answers.next()).value).toMatchObject({ line: 1, status: 202 });
    lines.write('\r\n2\n3');
    expect((await answers.next()).value).toMatchObject({ line: 2, status: 202 });
    lines.end();
    expect((await answers.next()).value).toMatchObject({ line: 3, status: 202 });
    expect((await answers.next()).done).toBe(true);
  });

  it('keeps the lines that came before a sender broke off, and not the half of one', async () => {
    const client = await writers.start(new TestHarness(1_000_000));
    const lines = new PassThrough();
    const answering = openBatch(client, lines);
    lines.write('"first"\n"second"\n12345');
    const answer = await answering;
    answer.on('error', () => {});
    const answers = linesOf(answer);
    expect((await answers.next()).value).toMatchObject({ line: 1, status: 202 });
    answer.socket.destroy();
    expect((await client.write('"third"')).status).toBe(201);
    const { documents } = (await client.send('GET', '/api/v1/writes?order=asc')).json as {
      documents: { bytes: number }[];
    };
    expect(documents.map(({ bytes }) => bytes)).toEqual([7, 8, 7]);
  });

  it('stops reading a sender who does not read the answers', { tags: 'long' }, async () => {
    const harness = new TestHarness(1_000_000);
    const client = await writers.start(harness);
    harness.holdQuotes();
    let sent = 0;
    const endless = function* () {
      for (; sent < 2_000_000; sent++) yield `{"n":${sent},"text":"${'x'.repeat(80)}"}\n`;
    };
    const answer = await openBatch(client, endless());
    answer.pause();
    await untilStill(() => sent);
    expect(sent).toBeLessThan(500_000);
    answer.destroy();
  });

  it(
    `takes ${MANY.toLocaleString('en')} lines in the memory of a few`,
    async () => {
      const harness = new TestHarness(1_000_000);
      const client = await writers.start(harness);
      // The documents stay where they are: what is measured is their way in.
      harness.holdQuotes();
      const lines = function* () {
        for (let n = 0; n < MANY; n++) yield `{"order":${n},"text":"a document of the usual kind"}\n`;
      };
      let count = 0;
      let early = 0;
      for await (const { line, status } of linesOf(await openBatch(client, lines()))) {
        count += 1;
        if (line !== count || status !== 202) throw new Error(`line ${line} came as number ${count} with ${status}`);
        if (count === MANY / 10) early = inUse();
      }
      expect(count).toBe(MANY);
      // What is still on its way to the database goes; lines that are kept do not.
      await expect.poll(() => inUse() - early, { timeout: DRAIN_MS }).toBeLessThan(MOST_GROWTH_BYTES);
      expect((await client.service.view.status()).documents).toBe(MANY);
    },
    LONG ? 1_200_000 : 240_000,
  );
});

function inUse(): number {
  collectGarbage();
  // the bytes of array buffers are among the external ones
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
