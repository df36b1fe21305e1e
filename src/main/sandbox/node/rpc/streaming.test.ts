import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dataScript, satoshis, serializeTx, toHex, varintSize } from '../../../../chain/index.ts';
import { rawBlock } from '../block-bytes.ts';
import { createNodeRpc, registerNodeRpc } from '../rpc.ts';
import { openTestNode, type TestNode, walletKey } from '../test-support/open-node.ts';
import { coinOf } from '../test-support/spend.ts';

const TRANSACTIONS = 160;
const DATA_BYTES = 100_000;
/** Above what was in use before: a few pieces, and for decoded transactions one of them. The block has 16 MB, in hex 32, decoded 96. */
const MOST_BYTES = 12_000_000;

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
let hash = '';
beforeAll(async () => {
  opened = await openTestNode({ verify: async () => ({ ok: true }) });
  const { node } = opened;
  let { txid, vout } = await coinOf(node, walletKey);
  let left = 5_000_000_000;
  for (let made = 0; made < TRANSACTIONS; made++) {
    left -= 100_000;
    const tx = {
      version: 1,
      inputs: [{ txid, vout, script: Uint8Array.of(1, 1), sequence: 0xffffffff }],
      outputs: [
        { satoshis: satoshis(left), script: Uint8Array.of(0x51) },
        { satoshis: satoshis(0), script: dataScript([new Uint8Array(DATA_BYTES).fill(made % 256)]) },
      ],
      lockTime: 0,
    };
    const result = await node.submit(serializeTx(tx));
    if (!result.ok) throw new Error(result.reason);
    [txid, vout] = [result.txid, 0];
  }
  [hash = ''] = await node.mine(1);
  app = fastify();
  await app.register(registerNodeRpc, { rpc: createNodeRpc(node), username: 'me', password: 'it' });
  origin = await app.listen({ host: '127.0.0.1', port: 0 });
}, 60_000);
afterAll(async () => {
  await app.close();
  await opened.remove();
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
  await sleep(300);
  return answer;
}

const digest = (parts: Iterable<string | Uint8Array>): string => {
  const sum = createHash('sha256');
  for (const part of parts) sum.update(part);
  return sum.digest('hex');
};

const getblock = (verbosity: number) => ({ method: 'getblock', params: [hash, verbosity], id: 1 });

it.each([
  ['getblock 0', () => unread('/', getblock(0))],
  ['getblock 1', () => unread('/', getblock(1))],
  ['getblock 2', () => unread('/', getblock(2))],
  ['getblock 3', () => unread('/', getblock(3))],
  ['a batch of blocks', () => unread('/', [getblock(0), getblock(1), getblock(0)])],
  ['/rest/block.bin', () => unread(`/rest/block/${hash}.bin`)],
  ['/rest/block.hex', () => unread(`/rest/block/${hash}.hex`)],
])(
  '%s is made while it is read, in little memory',
  async (_, ask) => {
    const before = inUse();
    const answer = await ask();
    let most = inUse();
    let bytes = 0;
    let looked = 0;
    for await (const piece of answer as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes - looked < 12_000_000) continue;
      looked = bytes;
      most = Math.max(most, inUse());
    }
    expect(answer.complete).toBe(true);
    expect(most - before).toBeLessThan(MOST_BYTES);
  },
  60_000,
);

it('sends every byte', async () => {
  const raw = (await rawBlock(opened.node.db, hash)) as Uint8Array;
  const read = async (path: string, body?: unknown): Promise<Buffer[]> => {
    const pieces: Buffer[] = [];
    for await (const piece of (await unread(path, body)) as AsyncIterable<Buffer>) pieces.push(piece);
    return pieces;
  };
  expect(digest(await read(`/rest/block/${hash}.bin`))).toBe(digest([raw]));
  const hex = toHex(raw);
  expect(digest(await read(`/rest/block/${hash}.hex`))).toBe(digest([hex, '\n']));
  expect(digest(await read('/', getblock(0)))).toBe(digest([`{"result":"${hex}","error":null,"id":1}`]));
  const { result } = JSON.parse(Buffer.concat(await read('/', getblock(2))).toString()) as {
    result: { tx: { hex: string }[]; num_tx: number };
  };
  expect(result.num_tx).toBe(TRANSACTIONS + 1);
  const header = hex.slice(0, 2 * (80 + varintSize(TRANSACTIONS + 1)));
  expect(digest([header, ...result.tx.map((tx) => tx.hex)])).toBe(digest([hex]));
}, 60_000);
