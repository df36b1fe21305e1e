import { concatBytes, fromHex, HEADER_BYTES } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import { chunks } from '../../chunks.ts';
import { isNotKnown, type NodeRpc } from '../../ports/node.ts';
import type { HeaderSource } from '../headers/header-source.ts';
import { nodeError } from './node-calls.ts';

/** Headers that one REST request returns at most. */
const REST_HEADERS = 2_000;
/** Fewer headers are read by RPC: the REST paths have to be found first. */
const FEW = 8;
/** Headers read by RPC before the caller looks at them: what one batch of calls may hold. */
const RPC_HEADERS = 250;
/** Calls at once where the node takes no batches. */
const AT_ONCE = 16;

/** Reads a path below `/rest` as bytes; undefined if the upstream has no REST paths, or refuses. */
type ReadRest = (path: string, maxBytes: number, signal: AbortSignal) => Promise<Uint8Array | undefined>;

/** Sends calls of one method as a batch and returns their results in order. */
type CallAll = <T>(method: string, params: readonly (readonly unknown[])[], signal: AbortSignal) => Promise<T[]>;

export interface HeaderReaders {
  readonly node: NodeRpc;
  /** Left out where the node takes no batches. */
  readonly callAll?: CallAll | undefined;
  /** Left out where it has no REST paths. */
  readonly readRest?: ReadRest | undefined;
}

/** The headers as a node has them, until the signal. @throws PlanchetError `upstream-*` from every function */
export function createNodeHeaders(readers: HeaderReaders, signal: AbortSignal): HeaderSource {
  const { node, readRest } = readers;
  const call = async <T>(method: string, params: readonly unknown[] = []): Promise<T> => {
    try {
      return await node.call<T>(method, params, { signal });
    } catch (error) {
      throw nodeError(error);
    }
  };
  let { callAll } = readers;

  async function callEach<T>(method: string, params: readonly (readonly unknown[])[]): Promise<T[]> {
    try {
      if (callAll !== undefined && params.length > 1) return await callAll<T>(method, params, signal);
    } catch (error) {
      if (!(error instanceof PlanchetError) || error.code !== 'upstream-error') throw error;
      callAll = undefined;
    }
    const results: T[] = [];
    for (const some of chunks(params, AT_ONCE))
      results.push(...(await Promise.all(some.map((own) => call<T>(method, own)))));
    return results;
  }

  async function byRpc(first: number, last: number): Promise<Uint8Array> {
    const count = Math.min(last - first + 1, RPC_HEADERS);
    const heights = Array.from({ length: count }, (_, at) => [first + at]);
    const hashes = await callEach<string>('getblockhash', heights);
    const raws = await callEach<unknown>(
      'getblockheader',
      hashes.map((hash) => [hash, false]),
    );
    const isHeader = (raw: unknown): raw is string => typeof raw === 'string' && /^[0-9a-f]{160}$/.test(raw);
    return concatBytes(...raws.map((raw) => (isHeader(raw) ? fromHex(raw) : new Uint8Array(HEADER_BYTES))));
  }

  async function byRest(below: string, wanted: number): Promise<Uint8Array | undefined> {
    const count = Math.min(wanted + 1, REST_HEADERS);
    // the answer begins with the block that is named
    const all = await readRest?.(`/headers/${count}/${below}.bin`, count * HEADER_BYTES, signal);
    if (all === undefined || all.length % HEADER_BYTES !== 0 || all.length < 2 * HEADER_BYTES) return undefined;
    return all.subarray(HEADER_BYTES);
  }

  return {
    name: node.name ?? 'bitcoinRpcUrl',
    chain: async () => (await call<{ chain: string }>('getblockchaininfo')).chain,
    height: () => call<number>('getblockcount'),
    hashAt: (height) => call<string>('getblockhash', [height]),
    heightOf: async (hash) => {
      try {
        return (await node.call<{ height: number }>('getblockheader', [hash], { signal })).height;
      } catch (error) {
        if (isNotKnown(error)) return undefined;
        throw nodeError(error);
      }
    },
    async read(below, first, last) {
      const wanted = last - first + 1;
      const read = below !== undefined && wanted > FEW ? await byRest(below, wanted) : undefined;
      return read ?? byRpc(first, last);
    },
  };
}
