import type { Outpoint } from '../../chain/index.ts';
import { TokenError, type TokenTrace, TraceError, traceToken } from '../../token/index.ts';
import type { ChainReader } from './chain-reader.ts';

/**
 * Traces a token back to its contract through the node.
 * @throws TokenError `trace-*`
 * @throws PlanchetError `upstream-*` where the node cannot be asked
 */
export async function traceThrough(chain: ChainReader, outpoint: Outpoint): Promise<TokenTrace> {
  try {
    // It reads what paid each fee too: often a mint of this wallet, with megabytes of pictures in it.
    return await traceToken(outpoint, (txid) => chain.find(txid), { maxFetchedBytes: 500_000_000 });
  } catch (error) {
    if (error instanceof TraceError && error.code === 'trace-unavailable') throw error.cause;
    throw error;
  }
}

/** Why a token is not known to be genuine; undefined where its history leads back to a contract of its issuer. */
export async function whyNotGenuine(outpoint: Outpoint, chain: ChainReader): Promise<string | undefined> {
  try {
    await traceThrough(chain, outpoint);
    return undefined;
  } catch (error) {
    if (error instanceof TokenError) return error.message;
    throw error;
  }
}
