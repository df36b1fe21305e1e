/**
 * Miners that send callbacks, in a process of its own. It reads one line, a {@link CallbackTask}; then for each further line, a
 * {@link CallbackRound}, prepares its requests, sends them and answers with a {@link CallbackResult}.
 */
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { MerkleTree, toHex, txidOf } from '../../../src/chain/index.ts';
import { HeaderList } from '../../../src/main/chain-data/test-support/header-list.ts';
import { CallbackKeys } from '../../../src/main/merchant/callbacks/callback-keys.ts';
import {
  anyTx,
  enveloped,
  message,
  miners,
  status,
} from '../../../src/main/merchant/callbacks/test-support/receiver-harness.ts';

export interface CallbackTask {
  readonly url: string;
  /** Of the tokens, in hex. */
  readonly seed: string;
  /** Those of `anyTx` from 0 on, which are all in one block. */
  readonly transactions: number;
}

export interface CallbackRound {
  readonly kind: 'status' | 'proof';
  /** Number of the first transaction. */
  readonly from: number;
  readonly count: number;
}

export interface CallbackResult {
  /** From the first request to the last answer. */
  readonly seconds: number;
  /** Milliseconds within which 99 of 100 were answered. */
  readonly p99: number;
}

const CONNECTIONS = 64;

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const task = JSON.parse((await lines.next()).value as string) as CallbackTask;
const { hostname, port, host } = new URL(task.url);
const keys = CallbackKeys.of(Buffer.from(task.seed, 'hex'));
const txids = Array.from({ length: task.transactions }, (_, n) => txidOf(anyTx(n)));
const block = new HeaderList().mine(txids);
const tree = new MerkleTree(txids);
process.stdout.write('"ready"\n');

for await (const line of { [Symbol.asyncIterator]: () => lines }) {
  const { kind, from, count } = JSON.parse(line) as CallbackRound;
  const requests = Array.from({ length: count }, (_, n) => requestOf(kind, from + n));
  const latencies = new Float64Array(count);
  let sent = 0;
  const next = (): number => sent++;
  const started = performance.now();
  await Promise.all(Array.from({ length: CONNECTIONS }, () => sendOver(requests, next, latencies)));
  const seconds = (performance.now() - started) / 1_000;
  const result: CallbackResult = { seconds, p99: latencies.sort()[Math.floor(count * 0.99)] ?? 0 };
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

function requestOf(kind: CallbackRound['kind'], n: number): Buffer {
  const { path, token } = keys.issue(miners[kind === 'status' ? 'arc' : 'mapi'].id, Date.now());
  const body = kind === 'status' ? JSON.stringify(status(txids[n] as string, 'SEEN_ON_NETWORK')) : proofOf(n);
  return Buffer.from(
    `POST /${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: ${kind === 'status' ? 'Bearer ' : ''}${token}\r\n` +
      `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

function proofOf(index: number): string {
  const txid = txids[index] as string;
  const proof = { index, txOrId: txid, targetType: 'header', target: toHex(block.header), nodes: tree.branch(index) };
  const place = { blockHash: block.hash, blockHeight: block.height };
  return enveloped(message(txid, 'merkleProof', JSON.stringify(proof), place));
}

/** Sends one request after the other over a connection until none is left. */
function sendOver(requests: readonly Buffer[], next: () => number, latencies: Float64Array): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ port: Number(port), host: hostname, noDelay: true });
    let at = 0;
    let n = 0;
    let received = '';
    const send = (): void => {
      n = next();
      const request = requests[n];
      if (request === undefined) {
        socket.destroy();
        resolve();
        return;
      }
      at = performance.now();
      socket.write(request);
    };
    socket.on('connect', send).on('error', reject);
    socket.on('data', (piece) => {
      received += piece.toString('latin1');
      // the answer has no body
      if (!received.endsWith('\r\n\r\n')) return;
      if (!received.startsWith('HTTP/1.1 200 ')) return void reject(new Error(received));
      received = '';
      latencies[n] = performance.now() - at;
      send();
    });
  });
}
