/**
 * What a relay sees of a full node, at a full node's speed: recorded answers behind a bare socket, each after as much computing as a node
 * of 27,000 `getblockcount` and 15,000 verbose headers a second spends on it (see docs/proofs/gateway.md). Computing rather than
 * waiting, because a node on the same machine takes the time from its callers, too.
 */
import { hash } from 'node:crypto';
import { type AddressInfo, createServer, type Socket } from 'node:net';

const REQUEST_US = 18;
const VERBOSE_US = 26;

const tip = 'ab'.repeat(32);
const block = 'cd'.repeat(32);
const next = 'ef'.repeat(32);
const header = (name: string, height: number, confirmations: number): string =>
  JSON.stringify({
    hash: name,
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
    ...(confirmations > 1 ? { nextblockhash: name === block ? next : tip } : {}),
    status: { validity: 'scripts', data: true, undo: true, failed: false },
  });
const headers: Readonly<Record<string, string>> = {
  [tip]: header(tip, 100, 1),
  [next]: header(next, 11, 90),
  [block]: header(block, 10, 91),
};
const blocks = new Map([
  [100, tip],
  [11, next],
  [10, block],
]);
const coin = JSON.stringify({
  bestblock: tip,
  confirmations: 5,
  value: 0.1,
  scriptPubKey: { asm: '', hex: '' },
  coinbase: false,
});

const material = Buffer.alloc(1024 * 1024, 7);

/** Bytes hashed in a microsecond where nothing disturbs it. */
const bytesPerUs = Math.max(
  ...Array.from({ length: 20 }, () => {
    const started = performance.now();
    hash('sha256', material);
    return material.length / ((performance.now() - started) * 1_000);
  }),
);

/** Keeps the processor busy for about so many microseconds. */
function compute(microseconds: number): void {
  hash('sha256', material.subarray(0, microseconds * bytesPerUs));
}

interface Call {
  method: string;
  params: unknown[];
  id: unknown;
}

function answer({ method, params, id }: Call): string {
  let result = 'null';
  if (method === 'getblockheader') {
    compute(VERBOSE_US);
    result = headers[String(params[0])] ?? 'null';
  } else if (method === 'getblockcount') result = '100';
  else if (method === 'getbestblockhash') result = `"${tip}"`;
  else if (method === 'getblockhash') result = JSON.stringify(blocks.get(Number(params[0])) ?? null);
  else if (method === 'gettxout') result = coin;
  return `{"result":${result},"error":null,"id":${JSON.stringify(id)}}`;
}

function serve(socket: Socket): void {
  let heard = '';
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', (piece: Buffer) => {
    heard += piece.toString('latin1');
    for (;;) {
      const end = heard.indexOf('\r\n\r\n');
      if (end < 0) return;
      const length = Number(/content-length: (\d+)/i.exec(heard.slice(0, end))?.[1] ?? 0);
      const stop = end + 4 + length;
      if (heard.length < stop) return;
      const body = JSON.parse(heard.slice(end + 4, stop)) as Call | Call[];
      heard = heard.slice(stop);
      // A call in a list is taken to cost the node no less than one alone; what it saves is counted for nobody. A header, whose cost is
      // mostly its own answer, keeps the saving, which is the direct side's in the batch of 100.
      const calls = [body].flat().filter(({ method }) => method !== 'getblockheader').length;
      compute(REQUEST_US * Math.max(1, calls));
      const text = Array.isArray(body) ? `[${body.map(answer).join(',')}]\n` : `${answer(body)}\n`;
      socket.write(
        `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
      );
    }
  });
}

const server = createServer(serve);
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('disconnect', () => process.exit(0));
