/**
 * Programs that use a host all day, in a process of its own. It reads one line, a {@link DayTask}, and begins; at the next line it sends no
 * more, waits until each document is taken and answers with a {@link DayResult}.
 */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';

export interface DayTask {
  readonly rpc: string;
  readonly rpcCookieFile: string;
  readonly writer: string;
  readonly apiKey: string;
  readonly callsPerSecond: number;
  readonly documentsPerSecond: number;
}

export interface DayResult {
  readonly calls: {
    readonly answered: number;
    /** Answered with an error, as while the node fails. */
    readonly refused: number;
    /** Not answered: the host was being restarted. */
    readonly lost: number;
    /** Not sent in time, because too many waited for their answers. */
    readonly late: number;
    /** Answered in the middle one of all seconds. */
    readonly perSecond: number;
  };
  /** The id of each document that was taken, by its body. */
  readonly documents: Record<string, string>;
}

const TICKS_A_SECOND = 50;
const CONNECTIONS = 32;
const MOST_CALLS_WAITING = 1_000;
const MOST_DOCUMENTS_WAITING = 256;
const RETRY_MS = 200;
const TIMEOUT_MS = 30_000;

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const task = JSON.parse((await lines.next()).value as string) as DayTask;
const timeouts = { headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS };
const callers = new Agent({ connections: CONNECTIONS, ...timeouts });
const writers = new Agent({ connections: CONNECTIONS, ...timeouts });
const calls = { answered: 0, refused: 0, lost: 0, late: 0 };
const documents: Record<string, string> = {};
const waiting = { calls: 0, documents: new Set<Promise<void>>() };
let credential = readCredential();

function readCredential(): string {
  return `Basic ${Buffer.from(readFileSync(task.rpcCookieFile, 'utf8').trim()).toString('base64')}`;
}

/** Most calls are answered by the gateway's cache, one in ten by the node. */
function callOf(number: number): string {
  const rare = number % 10 === 0;
  return JSON.stringify({
    id: number,
    method: rare ? 'getmempoolinfo' : 'getblockhash',
    params: rare ? [] : [number % 100],
  });
}

async function call(number: number): Promise<void> {
  waiting.calls++;
  try {
    const { statusCode, body } = await request(task.rpc, {
      method: 'POST',
      dispatcher: callers,
      headers: { authorization: credential },
      body: callOf(number),
    });
    await body.dump();
    if (statusCode === 200) calls.answered++;
    else calls.refused++;
    // The restarted host has a new one.
    if (statusCode === 401) credential = readCredential();
  } catch {
    calls.lost++;
  } finally {
    waiting.calls--;
  }
}

/** Writes one document, again with the same key until it is taken. */
async function write(number: number): Promise<void> {
  const text = JSON.stringify({ reading: number });
  const headers = {
    authorization: `Bearer ${task.apiKey}`,
    'content-type': 'application/json',
    'idempotency-key': `day-${number}`,
    'x-tag': 'day',
  };
  for (;;) {
    try {
      const url = `${task.writer}/api/v1/write?wait=accepted`;
      const { statusCode, body } = await request(url, { method: 'POST', dispatcher: writers, headers, body: text });
      const answer = (await body.json()) as { id: string };
      if (statusCode < 300) {
        documents[text] = answer.id;
        return;
      }
    } catch {
      // The host is being restarted.
    }
    await pause(RETRY_MS);
  }
}

const began = performance.now();
const secondsSince = (): number => (performance.now() - began) / 1_000;
const answeredBySecond: number[] = [];
let callsDue = 0;
let documentsDue = 0;
let second = 0;
const ticks = setInterval(() => {
  const now = secondsSince();
  for (; callsDue < Math.floor(now * task.callsPerSecond); callsDue++) {
    if (waiting.calls < MOST_CALLS_WAITING) void call(callsDue);
    else calls.late++;
  }
  while (waiting.documents.size < MOST_DOCUMENTS_WAITING && documentsDue < Math.floor(now * task.documentsPerSecond)) {
    const one = write(documentsDue++).finally(() => waiting.documents.delete(one));
    waiting.documents.add(one);
  }
  for (; second < Math.floor(now); second++) answeredBySecond.push(calls.answered);
}, 1_000 / TICKS_A_SECOND);
process.stdout.write('"ready"\n');

await lines.next();
clearInterval(ticks);
await Promise.all(waiting.documents);
const rates = answeredBySecond.map((sum, at) => sum - (answeredBySecond[at - 1] ?? 0)).sort((a, b) => a - b);
const result: DayResult = { calls: { ...calls, perSecond: rates[rates.length >> 1] ?? 0 }, documents };
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit());
