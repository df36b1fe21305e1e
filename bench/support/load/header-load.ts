import { pino } from 'pino';
import { hashToDisplay, meetsTarget, sha256d } from '../../../src/chain/index.ts';
import { type ChainRules, rulesOf } from '../../../src/main/chain-data/headers/chain-rules.ts';
import { HeaderStore } from '../../../src/main/chain-data/headers/header-store.ts';
import { createNodeHeaders } from '../../../src/main/chain-data/node/node-headers.ts';

const HEADER_BYTES = 80;

/** A chain of headers with the work that the sandbox asks for, and a store that reads them as from a node with REST paths. */
export interface HeaderLoad {
  open(dataDir: string): HeaderStore;
  /** Display hex. */
  hashAt(height: number): string;
}

/**
 * @param height of the tip
 * @param root of the tip's transactions, internal byte order; no block has any where it is left out
 */
export function mineHeaders(height: number, root?: Uint8Array): HeaderLoad {
  const { genesis } = rulesOf('sandbox', 'regtest') as ChainRules;
  const headers = new Uint8Array((height + 1) * HEADER_BYTES);
  headers.set(genesis);
  let previous = sha256d(genesis);
  const hashes = [hashToDisplay(previous)];
  for (let at = 1; at <= height; at++) {
    const header = headers.subarray(at * HEADER_BYTES, (at + 1) * HEADER_BYTES);
    previous = mineHeader(header, previous, at, 0x207fffff, at === height ? root : undefined);
    hashes.push(hashToDisplay(previous));
  }
  const places = new Map(hashes.map((hash, at) => [hash, at]));
  return {
    hashAt: (at) => hashes[at] as string,
    open: (dataDir) =>
      new HeaderStore({
        network: 'sandbox',
        dataDir,
        sources: (signal) => [
          createNodeHeaders(
            {
              node: {
                call: async <T>(method: string, [at]: readonly unknown[] = []) =>
                  (method === 'getblockcount' ? height : hashes[at as number]) as T,
              },
              readRest: async (path) => {
                const [count, hash] = path.replace('.bin', '').split('/').slice(-2) as [string, string];
                const from = places.get(hash) as number;
                return headers.subarray(from * HEADER_BYTES, Math.min(height + 1, from + Number(count)) * HEADER_BYTES);
              },
            },
            signal,
          ),
        ],
        tip: { onTip: () => () => undefined },
        clock: { now: () => Number.MAX_SAFE_INTEGER, after: () => () => undefined },
        logger: pino({ enabled: false }),
      }),
  };
}

/**
 * @param number that makes the header differ from others, and its time
 * @param root of its transactions, internal byte order
 * @returns its hash, internal byte order
 */
export function mineHeader(
  header: Uint8Array,
  previous: Uint8Array,
  number: number,
  bits: number,
  root?: Uint8Array,
): Uint8Array {
  const view = new DataView(header.buffer, header.byteOffset, HEADER_BYTES);
  view.setUint32(0, 0x20000000, true);
  header.set(previous, 4);
  if (root === undefined) view.setUint32(36, number, true);
  else header.set(root, 36);
  view.setUint32(68, 1_296_688_602 + number * 600, true);
  view.setUint32(72, bits, true);
  for (let nonce = 0; ; nonce++) {
    view.setUint32(76, nonce, true);
    const hash = sha256d(header);
    if (meetsTarget(hashToDisplay(hash), bits)) return hash;
  }
}
