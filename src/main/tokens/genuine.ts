import type { Outpoint } from '../../chain/index.ts';
import type { Phrase } from '../../contract/index.ts';
import { TokenError, type TokenTrace, TraceError, type TraceOptions, traceToken } from '../../token/index.ts';
import type { ChainReader } from './chain-reader.ts';

/** A trace also reads the transactions that paid the fees: often mints of this wallet with megabytes of pictures. */
const MOST_BYTES = 500_000_000;

/**
 * Traces a token back to its contract through the node.
 * @param limits tighter ones than a person waits for
 * @throws TokenError `trace-*`: `trace-invalid` where it is not genuine
 * @throws PlanchetError `not-found` where the node does not have a transaction of its history, `upstream-*` where it cannot be asked
 */
export async function traceThrough(
  chain: ChainReader,
  outpoint: Outpoint,
  limits: TraceOptions = { maxFetchedBytes: MOST_BYTES },
): Promise<TokenTrace> {
  try {
    return await traceToken(outpoint, (txid) => chain.get(txid), limits);
  } catch (error) {
    if (error instanceof TraceError && error.code === 'trace-unavailable') throw error.cause;
    throw error;
  }
}

/**
 * Why a token is not known to be genuine; undefined where its history leads back to a contract of its issuer.
 * @throws PlanchetError `not-found` where the node does not have a transaction of its history, `upstream-*` where it cannot be asked
 */
export async function whyNotGenuine(outpoint: Outpoint, chain: ChainReader): Promise<Phrase | undefined> {
  try {
    await traceThrough(chain, outpoint);
    return undefined;
  } catch (error) {
    if (error instanceof TokenError) return error.sentence;
    throw error;
  }
}
