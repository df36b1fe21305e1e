/** A node's RPC port reduced to what a relay can cost: it reads the id and answers at once with an answer of the usual size. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const tip = 'ab'.repeat(32);
const block = 'cd'.repeat(32);
const next = 'ef'.repeat(32);
const header = (hash: string, height: number, confirmations: number): object => ({
  hash,
  confirmations,
  size: 285,
  height,
  version: 536870912,
  versionHex: '20000000',
  merkleroot: '12'.repeat(32),
  num_tx: 1,
  time: 1_795_000_000,
  mediantime: 1_794_999_000,
  nonce: 7,
  bits: '207fffff',
  difficulty: 1,
  chainwork: '00'.repeat(32),
  previousblockhash: '34'.repeat(32),
  ...(confirmations > 1 ? { nextblockhash: hash === block ? next : tip } : {}),
  status: { validity: 'scripts', data: true, undo: true, failed: false },
});
const results: Record<string, (params: unknown[]) => unknown> = {
  getbestblockhash: () => tip,
  getblockcount: () => 100,
  getblockheader: ([hash]) =>
    hash === tip ? header(tip, 100, 1) : hash === next ? header(next, 11, 90) : header(block, 10, 91),
  gettxout: () => ({
    bestblock: tip,
    confirmations: 5,
    value: 0.1,
    scriptPubKey: { asm: '', hex: '' },
    coinbase: false,
  }),
};

interface Call {
  method: string;
  params: unknown[];
  id: unknown;
}

const answer = ({ method, params, id }: Call): object => ({ result: results[method]?.(params), error: null, id });

const server = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    const body = JSON.parse(Buffer.concat(pieces).toString()) as Call | Call[];
    const text = `${JSON.stringify(Array.isArray(body) ? body.map(answer) : answer(body))}\n`;
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
    response.end(text);
  });
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('disconnect', () => process.exit(0));
