import { fromHex, HEADER_BYTES } from '../../../chain/index.ts';
import type { NodeRpc } from '../../ports/node.ts';

/** Headers that one REST request returns at most. */
const REST_HEADERS = 2_000;
/** Fewer headers are read by RPC: the REST paths have to be found first. */
const FEW = 8;
/** RPC calls at once. */
const AT_ONCE = 16;
/** Headers read by RPC before the caller looks at them. */
const RPC_HEADERS = 500;

/** Reads a path below `/rest` as bytes; undefined if the upstream has no REST paths, or refuses. */
export type ReadRest = (path: string, maxBytes: number, signal: AbortSignal) => Promise<Uint8Array | undefined>;

/** The headers of the main chain as a node has them. Nothing that it returns is verified. */
export interface HeaderSource {
  /** The node's name of its chain. */
  chain(): Promise<string>;
  /** Height of its tip. */
  height(): Promise<number>;
  /** Undefined above its tip. */
  hashAt(height: number): Promise<string>;
  /**
   * Headers from a height on.
   * @param below hash of the block below the first one
   * @param last greatest height wanted
   * @returns 80 bytes each; at least one header, not necessarily all
   */
  read(below: string, first: number, last: number): Promise<Uint8Array>;
}

/** @throws PlanchetError `upstream-*`, NodeRpcError from every function */
export function createHeaderSource(node: NodeRpc, readRest: ReadRest | undefined, signal: AbortSignal): HeaderSource {
  const call = <T>(method: string, params: readonly unknown[] = []): Promise<T> =>
    node.call<T>(method, params, { signal });

  async function byRpc(first: number, last: number): Promise<Uint8Array> {
    const count = Math.min(last - first + 1, RPC_HEADERS);
    const headers = new Uint8Array(count * HEADER_BYTES);
    for (let from = 0; from < count; from += AT_ONCE) {
      const some = Array.from({ length: Math.min(AT_ONCE, count - from) }, async (_, at) => {
        const hash = await call<string>('getblockhash', [first + from + at]);
        const raw = await call<unknown>('getblockheader', [hash, false]);
        const isHeader = typeof raw === 'string' && /^[0-9a-f]{160}$/.test(raw);
        headers.set(isHeader ? fromHex(raw) : new Uint8Array(HEADER_BYTES), (from + at) * HEADER_BYTES);
      });
      await Promise.all(some);
    }
    return headers;
  }

  async function byRest(below: string, wanted: number): Promise<Uint8Array | undefined> {
    const count = Math.min(wanted + 1, REST_HEADERS);
    // the answer begins with the block that is named
    const all = await readRest?.(`/headers/${count}/${below}.bin`, count * HEADER_BYTES, signal);
    if (all === undefined || all.length % HEADER_BYTES !== 0 || all.length < 2 * HEADER_BYTES) return undefined;
    return all.subarray(HEADER_BYTES);
  }

  return {
    chain: async () => (await call<{ chain: string }>('getblockchaininfo')).chain,
    height: () => call<number>('getblockcount'),
    hashAt: (height) => call<string>('getblockhash', [height]),
    async read(below, first, last) {
      const wanted = last - first + 1;
      const read = wanted > FEW ? await byRest(below, wanted) : undefined;
      return read ?? byRpc(first, last);
    },
  };
}
