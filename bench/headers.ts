import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { headerHash } from '../src/chain/index.ts';
import { type ChainRules, rulesOf } from '../src/main/chain-data/headers/chain-rules.ts';
import { requiredBits } from '../src/main/chain-data/headers/difficulty.ts';
import { HeaderStore } from '../src/main/chain-data/headers/header-store.ts';
import { PublicHeaders } from '../src/main/chain-data/headers/public/public-headers.ts';
import { PublicSources } from '../src/main/chain-data/sources/public-sources.ts';
import { systemClock } from '../src/main/clock.ts';
import type { Report } from './report.ts';
import { mineHeader } from './support/load/header-load.ts';

const HEADER_BYTES = 80;
const COUNT = 76_000;
const CHECKPOINT = 899_999;
const LOWEST = CHECKPOINT - 147;
const TIP = CHECKPOINT + COUNT;

/** The difficulty rule of the main network, with little work. */
const rules: ChainRules = {
  ...(rulesOf('sandbox', 'regtest') as ChainRules),
  isFixed: false,
  allowsEasiest: false,
  followsNode: false,
};

/** The first synchronisation of a network without a node: files of headers, and two operators at the tip. */
export async function run(report: Report): Promise<void> {
  const chain = mined();
  const sent = { bytes: 0, requests: 0 };
  const server = createServer((request, response) => answer(chain, request, response, sent)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const dataDir = mkdtempSync(join(tmpdir(), 'planchet-headers-'));
  const store = opened(server, chain, dataDir);
  try {
    const before = process.cpuUsage();
    await store.refresh();
    const { user, system } = process.cpuUsage(before);
    const { tip, lowest, failure, isAgreed } = store.status();
    if (tip?.height !== TIP || lowest !== LOWEST || failure !== null || !isAgreed) throw new Error('not synchronised');
    report(`first sync of ${COUNT} headers, processor (server as well)`, (user + system) / 1e6, 's', 'at most 10');
    report('the same, on the wire', sent.bytes / 1e6, 'MB', 'at most 8');
    report('the same, requests', sent.requests, '');
    const room = statSync(join(dataDir, 'headers-regtest.dat')).blocks * 512;
    report('the same, on the disk', room / (TIP + 1 - LOWEST), 'bytes a header', 'at most 82');
  } finally {
    await store.close();
    server.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function opened(server: Server, chain: Uint8Array, dataDir: string): HeaderStore {
  const root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const text = `cdn=${root}/cdn,bananablocks=${root}/banana,arcade=${root}/arcade`;
  const sources = new PublicSources({ network: 'main', clock: systemClock, text: () => text, joinUrl: () => '' });
  const headers = new PublicHeaders({ sources, network: 'main', clock: systemClock, isAsked: () => true });
  const hash = headerHash(at(chain, CHECKPOINT));
  return new HeaderStore({
    network: 'main',
    dataDir,
    rules: { ...rules, checkpoints: [{ height: CHECKPOINT, hash }] },
    sources: (signal) => headers.until(signal),
    tip: headers,
    clock: systemClock,
    logger: pino({ enabled: false }),
  });
}

/** The headers from {@link LOWEST} to {@link TIP}. */
function mined(): Uint8Array {
  const count = TIP + 1 - LOWEST;
  const headers = new Uint8Array(count * HEADER_BYTES);
  const view = new DataView(headers.buffer);
  const time = (height: number): number => view.getUint32((height - LOWEST) * HEADER_BYTES + 68, true);
  const bits = (height: number): number => view.getUint32((height - LOWEST) * HEADER_BYTES + 72, true);
  let previous: Uint8Array = new Uint8Array(32);
  for (let n = 0; n < count; n++) {
    const height = LOWEST + n;
    const next = 1_296_688_602 + n * 600;
    const required = n < 148 ? rules.easiestBits : requiredBits(rules, { height: height - 1, time, bits }, next);
    previous = mineHeader(headers.subarray(n * HEADER_BYTES, (n + 1) * HEADER_BYTES), previous, n, required);
  }
  return headers;
}

function at(chain: Uint8Array, height: number): Uint8Array {
  return chain.subarray((height - LOWEST) * HEADER_BYTES, (height + 1 - LOWEST) * HEADER_BYTES);
}

function answer(
  chain: Uint8Array,
  { url = '' }: IncomingMessage,
  response: ServerResponse,
  sent: { bytes: number; requests: number },
): void {
  const tip = { height: TIP, hash: headerHash(at(chain, TIP)) };
  const body = bodyOf(chain, url, tip);
  sent.bytes += body.length + 200;
  sent.requests += 1;
  response.writeHead(200, {
    'content-type': body instanceof Uint8Array ? 'application/octet-stream' : 'application/json',
  });
  response.end(body);
}

function bodyOf(chain: Uint8Array, url: string, tip: { height: number; hash: string }): string | Uint8Array {
  if (url.endsWith('.headers')) return chain;
  if (!url.startsWith('/cdn')) return JSON.stringify(tip);
  const fileHash = createHash('sha256').update(chain).digest('base64');
  const count = chain.length / HEADER_BYTES;
  const file = {
    chain: 'main',
    fileName: 'mainNet_9.headers',
    firstHeight: LOWEST,
    count,
    lastHash: tip.hash,
    fileHash,
  };
  return JSON.stringify({ files: [file] });
}
