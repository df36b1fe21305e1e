import { entryFor, plainEntry, rawOf } from '../cache/cache-entry.ts';
import type { ResponseCache } from '../cache/response-cache.ts';
import type { ChainView } from '../chain/chain-view.ts';
import type { RpcCall } from '../messages/message.ts';
import type { UpstreamAnswer } from '../upstream/answers/response.ts';
import type { UpstreamCalls } from './in-flight-request.ts';
import { promised } from './pending-reply.ts';
import { type Reply, resultWhole, type Source } from './reply.ts';

/** Most calls to remember. */
const MAX_SEEN = 20_000;

/** Calls that were made before, by their keys. */
export class SeenKeys {
  readonly #seen = new Set<string>();

  /** Whether this call was made before; from now on it was. */
  wasSeen(key: string): boolean {
    if (this.#seen.has(key)) return true;
    if (this.#seen.size >= MAX_SEEN) this.#seen.clear();
    this.#seen.add(key);
    return false;
  }
}

/** Transactions that were requested before. One that is requested a second time is cached. */
export class SeenTransactions extends SeenKeys {
  readonly #upstreamCalls: UpstreamCalls;
  readonly #chain: ChainView;
  readonly #cache: ResponseCache;

  constructor(upstreamCalls: UpstreamCalls, { chain, cache }: { chain: ChainView; cache: ResponseCache }) {
    super();
    this.#upstreamCalls = upstreamCalls;
    this.#chain = chain;
    this.#cache = cache;
  }

  /**
   * The plain answer does not say whether the transaction is in a block. The second request is therefore sent as a verbose call, whose
   * answer contains both.
   * @returns undefined if the verbose answer cannot be used
   */
  async fetch(call: RpcCall, key: string, signal: AbortSignal): Promise<Reply | undefined> {
    const params = JSON.parse(call.paramsText) as unknown[];
    const [txid, verbose = false] = params;
    if (typeof txid !== 'string' || (verbose !== false && verbose !== 0)) return undefined;
    const asked = JSON.stringify([txid, true]);
    const verboseKey = `getrawtransaction${asked}`;
    let source: Source = 'upstream';
    const verboseCall = { ...call, paramsText: asked };
    const { generation } = this.#chain;
    const answer = await promised<UpstreamAnswer>((onAnswer, onFailure) => {
      const answered = (reported: UpstreamAnswer, from: Source): void => {
        source = from;
        onAnswer(reported);
      };
      return this.#upstreamCalls.subscribe(verboseCall, verboseKey, generation, { onAnswer: answered, onFailure });
    }, signal).catch(() => undefined);
    if (answer?.kind === 'flowing') answer.discard();
    if (answer?.kind !== 'result' || answer.age !== undefined) return undefined;
    const raw = rawOf(txid.toLowerCase(), answer.result);
    if (raw === undefined) return undefined;
    const plain = { before: `{"result":"${raw.hex}","error":null,"id":`, after: answer.after };
    const entry = raw.mined ? entryFor('getrawtransaction', [txid, true], answer) : undefined;
    if (entry !== undefined) {
      this.#cache.set(verboseKey, entry);
      this.#cache.set(key, plainEntry(plain, entry));
    }
    return resultWhole({ kind: 'result', ...plain, result: raw.hex }, source, call.idText);
  }
}
