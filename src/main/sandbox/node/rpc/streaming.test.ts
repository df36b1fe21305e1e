import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataScript, satoshis, serializeTx, toHex, txidOf, varintSize } from '../../../../chain/index.ts';
import { rawBlock } from '../storage/block-bytes.ts';
import { openTestNode, type TestNode, walletKey } from '../test-support/open-node.ts';
import { coinOf } from '../test-support/spend.ts';
import { createNodeRpc } from './dispatcher.ts';
import { registerNodeRpc } from './server.ts';

const TRANSACTIONS = process.env.PLANCHET_LONG ? 160 : 40;
const DATA_BYTES = 100_000;
/**
 * Above what was in use before: a few pieces, and for decoded transactions one of them. The block itself has more, twice that in hex
 * and six times decoded, so whoever holds all of it once is found.
 */
const MOST_BYTES = TRANSACTIONS * DATA_BYTES * 0.9;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const inUse = (): number => {
  // what the first time sets free is counted only after the second
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

let opened: TestNode;
let app: FastifyInstance;
let origin: string;
/** The server's side of the newest answer. */
let reply: ServerResponse | undefined;
let hash = '';
let folder = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-streaming-'));
  opened = await openTestNode({ verify: async () => ({ ok: true }) });
  const { node } = opened;
  let { txid, vout } = await coinOf(node, walletKey);
  let left = 5_000_000_000;
  const raws: Uint8Array[] = [];
  while (raws.length < TRANSACTIONS) {
    left -= 100_000;
    const raw = serializeTx({
      version: 1,
      inputs: [{ txid, vout, script: Uint8Array.of(1, 1), sequence: 0xffffffff }],
      outputs: [
        { satoshis: satoshis(left), script: Uint8Array.of(0x51) },
        { satoshis: satoshis(0), script: dataScript([new Uint8Array(DATA_BYTES).fill(raws.length)]) },
      ],
      lockTime: 0,
    });
    raws.push(raw);
    [txid, vout] = [txidOf(raw), 0];
  }
  const results = await node.submitBatch(raws);
  expect(results.filter(({ ok }) => ok)).toHaveLength(TRANSACTIONS);
  [hash = ''] = await node.mine(1);
  app = fastify();
  await app.register(registerNodeRpc, { rpc: createNodeRpc(node), username: 'me', password: 'it' });
  app.addHook('onRequest', async (_, { raw }) => {
    reply = raw;
  });
  origin = await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await app.close();
  await opened.remove();
  rmSync(folder, { recursive: true });
});

/** Opens an answer and lets it wait unread, so that whoever makes it too early holds all of it. */
async function unread(path: string, body?: unknown): Promise<IncomingMessage> {
  const sent = request(`${origin}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    auth: 'me:it',
    agent: false,
  });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  expect(answer.statusCode).toBe(200);
  // Until the server is told to wait, or has sent all of it. Whoever does not listen then makes the rest in the turns that follow.
  await expect.poll(() => reply?.writableNeedDrain || reply?.writableFinished).toBe(true);
  for (let turn = 0; turn < 200; turn++) await nextTurn();
  return answer;
}

/** Reads an answer that has waited into a file, beside memory. @returns its text */
async function readInLittleMemory(path: string, body?: unknown): Promise<Buffer> {
  const file = join(folder, 'answer');
  const before = inUse();
  const answer = await unread(path, body);
  let most = inUse();
  let bytes = 0;
  let looked = 0;
  for await (const piece of answer as AsyncIterable<Buffer>) {
    appendFileSync(file, piece);
    bytes += piece.length;
    if (bytes - looked < 2 * MOST_BYTES) continue;
    looked = bytes;
    most = Math.max(most, inUse());
  }
  expect(answer.complete).toBe(true);
  expect(most - before).toBeLessThan(MOST_BYTES);
  const read = readFileSync(file);
  rmSync(file);
  return read;
}

const getblock = (verbosity: number) => ({ method: 'getblock', params: [hash, verbosity], id: 1 });

describe('a large block, in little memory,', () => {
  let raw: Uint8Array;
  let hex: string;
  beforeAll(async () => {
    raw = (await rawBlock(opened.node.db, hash)) as Uint8Array;
    hex = toHex(raw);
  });
  /** Not the assertion of the runner, which would print megabytes. */
  const same = (read: Buffer, whole: string | Uint8Array): boolean => read.equals(Buffer.from(whole as string));

  it('is streamed by getblock 0', async () => {
    const read = await readInLittleMemory('/', getblock(0));
    expect(same(read, `{"result":"${hex}","error":null,"id":1}`)).toBe(true);
  });

  it.each([
    [1, TRANSACTIONS + 1],
    [3, 1],
  ])('is streamed by getblock %i', async (verbosity, listed) => {
    const { result } = JSON.parse((await readInLittleMemory('/', getblock(verbosity))).toString());
    expect(result.tx).toHaveLength(listed);
    expect(result.num_tx).toBe(TRANSACTIONS + 1);
  });

  it('is streamed by getblock 2', async () => {
    const { result } = JSON.parse((await readInLittleMemory('/', getblock(2))).toString()) as {
      result: { tx: { hex: string }[]; num_tx: number };
    };
    expect(result.num_tx).toBe(TRANSACTIONS + 1);
    const header = hex.slice(0, 2 * (80 + varintSize(TRANSACTIONS + 1)));
    expect(same(Buffer.from([header, ...result.tx.map((tx) => tx.hex)].join('')), hex)).toBe(true);
  });

  it('is streamed in a batch', async () => {
    const read = await readInLittleMemory('/', [getblock(0), getblock(1)]);
    const whole = `{"result":"${hex}","error":null,"id":1}`;
    expect(same(read.subarray(0, whole.length + 1), `[${whole}`)).toBe(true);
    const [, second] = JSON.parse(read.toString());
    expect(second.result.tx).toHaveLength(TRANSACTIONS + 1);
  });

  it('is streamed by /rest/block.bin', async () => {
    expect(same(await readInLittleMemory(`/rest/block/${hash}.bin`), raw)).toBe(true);
  });

  it('is streamed by /rest/block.hex', async () => {
    expect(same(await readInLittleMemory(`/rest/block/${hash}.hex`), `${hex}\n`)).toBe(true);
  });
});
