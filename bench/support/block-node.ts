/**
 * A node in a process of its own that has one block of any length, made while it is sent: payments of 226 bytes, documents of 1 MB, and one
 * transaction that takes a third of it. Its second transaction pays a key twice, its last one spends the first of these. Below it is the first block
 * of a chain.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import {
  ByteWriter,
  fromHex,
  GrowingTree,
  HEADER_BYTES,
  hashToDisplay,
  headerHash,
  meetsTarget,
  p2pkhScript,
  parseHeader,
  satoshis,
  serializeHeader,
  serializeTx,
  sha256d,
  type Tx,
  type TxOutput,
  toHex,
} from '../../src/chain/index.ts';
import { GENESIS_BLOCK_HEX } from '../../src/main/sandbox/node/consensus/consensus.ts';

const PIECE = 1_000_000;
const PAYMENT = 226;
const PAYMENTS = 4_600;
const output = (script: Uint8Array): TxOutput => ({ satoshis: satoshis(1_000), script });
const foreign = output(p2pkhScript(new Uint8Array(20).fill(0x0a)));

function tx(inputs: readonly { txid: string; vout: number; script?: Uint8Array }[], outputs: TxOutput[]): Uint8Array {
  const spends = inputs.map((input) => ({ script: new Uint8Array(107), sequence: 0xffffffff, ...input }));
  return serializeTx({ version: 1, inputs: spends, outputs, lockTime: 0 } satisfies Tx);
}
const coinbase = tx([{ txid: '00'.repeat(32), vout: 0xffffffff }], [foreign]);

interface BlockTask {
  readonly bytes: number;
  /** Whether it has REST paths. */
  readonly rest: boolean;
  /** Hex of the hash of the key that is paid. */
  readonly key: string;
}

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { bytes, rest, key } = JSON.parse((await lines.next()).value as string) as BlockTask;
const first = fromHex(GENESIS_BLOCK_HEX);
const own = output(p2pkhScript(fromHex(key)));
const paying = tx([{ txid: 'aa'.repeat(32), vout: 0 }], [own, own]);
const spending = tx([{ txid: hashToDisplay(sha256d(paying)), vout: 0 }], [foreign]);

/** Of a block without its header: how many transactions, then their bytes; each piece begins or goes on a transaction. */
function* parts(bytes: number): Generator<{ readonly piece: Uint8Array; readonly ends: readonly number[] }> {
  const whole = (piece: Uint8Array) => ({ piece, ends: [piece.length] });
  yield whole(coinbase);
  yield whole(paying);
  const payments = Buffer.alloc(PAYMENT * PAYMENTS);
  const template = tx([{ txid: 'bb'.repeat(32), vout: 0 }], [foreign, foreign]);
  for (let at = 0; at < PAYMENTS; at++) payments.set(template, at * PAYMENT);
  const ends = Array.from({ length: PAYMENTS }, (_, at) => (at + 1) * PAYMENT);
  let serial = 0;
  for (let left = rounds(bytes); left > 0; left--) {
    for (let at = 0; at < PAYMENTS; at++) payments.writeUInt32LE(serial++, at * PAYMENT + 5);
    yield { piece: payments, ends };
    yield* document(PIECE, serial);
  }
  yield* document(Math.floor(bytes / 3), serial);
  yield whole(spending);
}

const rounds = (bytes: number): number => Math.max(1, Math.floor((bytes * 2) / 3 / (PIECE + PAYMENT * PAYMENTS)));
const count = (bytes: number): number => 4 + rounds(bytes) * (PAYMENTS + 1);

/** A transaction with so many bytes of data. */
function* document(bytes: number, serial: number): ReturnType<typeof parts> {
  const head = new ByteWriter(300);
  head.bytes(tx([{ txid: 'cc'.repeat(32), vout: serial }], []).subarray(0, -5));
  head.varint(1);
  head.u64le(0);
  head.varint(bytes);
  yield { piece: head.done(), ends: [] };
  const data = new Uint8Array(PIECE).fill(0x6a);
  for (let left = bytes; left > 0; left -= PIECE) yield { piece: data.subarray(0, Math.min(left, PIECE)), ends: [] };
  yield { piece: new Uint8Array(4), ends: [4] };
}

function headerOf(bytes: number): Uint8Array {
  const tree = new GrowingTree();
  let digest = createHash('sha256');
  for (const { piece, ends } of parts(bytes)) {
    let from = 0;
    for (const end of ends) {
      tree.add(
        createHash('sha256')
          .update(digest.update(piece.subarray(from, end)).digest())
          .digest(),
      );
      digest = createHash('sha256');
      from = end;
    }
    digest.update(piece.subarray(from));
  }
  const merkleRoot = hashToDisplay(tree.root() as Uint8Array);
  const below = first.subarray(0, HEADER_BYTES);
  const [previousHash, time] = [headerHash(below), parseHeader(below).time + 600];
  const bits = 0x207fffff;
  for (let nonce = 0; ; nonce++) {
    const header = serializeHeader({ version: 1, previousHash, merkleRoot, time, bits, nonce });
    if (meetsTarget(headerHash(header), bits)) return header;
  }
}

async function send(response: ServerResponse, pieces: Iterable<string | Uint8Array>): Promise<void> {
  for (const piece of pieces) if (!response.write(piece)) await once(response, 'drain');
  response.end();
}

function* block(bytes: number, header: Uint8Array): Generator<Uint8Array> {
  yield header;
  const writer = new ByteWriter(9);
  writer.varint(count(bytes));
  yield writer.done();
  // copied: what is not sent yet must not change
  for (const { piece } of parts(bytes)) yield piece.slice();
}

function* answer(pieces: Iterable<Uint8Array>, id: unknown): Generator<string> {
  yield '{"result":"';
  for (const piece of pieces) yield Buffer.from(piece).toString('hex');
  yield `","error":null,"id":${JSON.stringify(id)}}`;
}

async function main(): Promise<void> {
  const header = headerOf(bytes);
  const hash = headerHash(header);
  const headers = [first.subarray(0, HEADER_BYTES), header];
  const told = (method: string, [what, verbose]: unknown[]): unknown => {
    const at = typeof what === 'number' ? what : headers.findIndex((one) => headerHash(one) === what);
    if (method === 'getblockcount') return 1;
    if (method === 'getbestblockhash') return hash;
    if (method === 'getblockchaininfo') return { chain: 'regtest', blocks: 1, bestblockhash: hash };
    if (method === 'getmempoolinfo') return { size: 0 };
    if (method === 'getrawmempool') return [];
    if (method === 'getblockhash') return headerHash(headers[at] as Uint8Array);
    if (method === 'getblockheader') return verbose === false ? toHex(headers[at] as Uint8Array) : { height: at };
    return undefined;
  };
  const server = createServer((request, response) => {
    const json = { 'content-type': 'application/json' };
    if (request.method === 'GET') {
      if (!rest) return void response.writeHead(404).end();
      if (request.url?.endsWith('.json')) {
        const info = JSON.stringify({ chain: 'regtest', bestblockhash: hash });
        return void response.writeHead(200, json).end(info);
      }
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      return void send(response, request.url?.includes(hash) ? block(bytes, header) : [first]);
    }
    request.setEncoding('utf8').once('data', (body: string) => {
      const { id, method, params } = JSON.parse(body) as { id: unknown; method: string; params: unknown[] };
      response.writeHead(200, json);
      if (method === 'getblock')
        return void send(response, answer(params[0] === hash ? block(bytes, header) : [first], id));
      const result = told(method, params);
      const error = result === undefined ? { code: -32_601, message: 'Method not found' } : null;
      response.end(JSON.stringify({ result: result ?? null, error, id }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  console.log('{}');
  await lines.next();
  console.log(JSON.stringify({ url, hash }));
  await lines.next();
  process.exit(0);
}

await main();
