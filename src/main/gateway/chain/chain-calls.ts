import type { BlockHeader } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import { NodeRpcError } from '../../ports/node.ts';
import { provenHeader } from '../blocks/block-evidence.ts';

/** Number of blocks below a tip whose headers are read together with it. */
const BELOW = 12;

/**
 * Sends one call upstream and returns the result with the origin of the upstream that answered.
 * @param from origin of the only upstream to ask
 * @throws NodeRpcError, PlanchetError
 */
export type CallFrom = (
  method: string,
  params: readonly unknown[],
  from?: string,
) => Promise<{ result: unknown; origin: string }>;

/** Most blocks to walk back to the fork of two branches. Beyond that, all known blocks are forgotten. */
const LONGEST_WALK = 1_000;

/** Asks upstreams about their chain. Every method throws PlanchetError `upstream-*`. */
export class ChainCalls {
  readonly #call: CallFrom;

  constructor(call: CallFrom) {
    this.#call = call;
  }

  /** Whether an upstream has this block at this height of its main chain. */
  async isAt(hash: string, height: number, from: string | undefined): Promise<boolean> {
    return (await this.#hashAt(height, from)) === hash;
  }

  /** The verified header of a block; undefined if the upstream does not have the block. */
  async rawHeader(hash: string, from: string): Promise<BlockHeader | undefined> {
    return provenHeader(hash, await this.#ask('getblockheader', [hash, false], from));
  }

  /** Height and time of a block as the upstream reports them. The block may be on any branch. */
  async header(hash: string, from: string | undefined): Promise<Header | undefined> {
    const reported = await this.#ask('getblockheader', [hash, true], from);
    return reported === undefined ? undefined : asHeader(reported);
  }

  /** The headers of a block and of the blocks right below it, by hash. */
  async headersUpTo(hash: string, height: number, from: string): Promise<Map<string, BlockHeader>> {
    const heights = Array.from({ length: BELOW }, (_, at) => height - 1 - at).filter((at) => at >= 0);
    const below = await Promise.all(heights.map((at) => this.#hashAt(at, from)));
    const headers = new Map<string, BlockHeader>();
    const read = async (one: string | undefined): Promise<void> => {
      const header = one === undefined ? undefined : await this.rawHeader(one, from);
      if (header !== undefined) headers.set(one as string, header);
    };
    await Promise.all([hash, ...below].map(read));
    return headers;
  }

  async #hashAt(height: number, from: string | undefined): Promise<string | undefined> {
    const reported = await this.#ask('getblockhash', [height], from);
    return typeof reported === 'string' ? reported : undefined;
  }

  /** @returns undefined if the node answers with an error */
  async #ask(method: string, params: readonly unknown[], from: string | undefined): Promise<unknown> {
    try {
      return (await this.#call(method, params, from)).result;
    } catch (error) {
      if (error instanceof NodeRpcError) return undefined;
      throw error;
    }
  }

  /** Height of the last block of the old branch that is still on the main chain; -1 where the walk is too long or nobody has a header of it. */
  async forkOf(old: { readonly hash: string; readonly height: number }, from: string): Promise<number> {
    let { hash, height } = old;
    for (let step = 0; step < LONGEST_WALK && height >= 0; step++) {
      if (await this.isAt(hash, height, from)) return height;
      // A forged header could lead above the fork. An upstream that never saw the old branch has no header of it.
      const header = await this.rawHeader(hash, from);
      if (header === undefined) return -1;
      hash = header.previousHash;
      height -= 1;
    }
    return -1;
  }
}

/** The fields of a verbose header that are used here. */
interface Header {
  readonly height: number;
  /** Milliseconds; undefined if the node does not report it. */
  readonly time: number | undefined;
}

/** @throws PlanchetError `upstream-error` if the value is not a block hash */
export function asHash(value: unknown): string {
  if (typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)) return value;
  throw unusable();
}

function asHeader(value: unknown): Header {
  const { height, time } = (value ?? {}) as Record<string, unknown>;
  if (!Number.isSafeInteger(height)) throw unusable();
  // the node reports seconds
  return { height: height as number, time: Number.isSafeInteger(time) ? (time as number) * 1_000 : undefined };
}

export function unusable(): PlanchetError {
  return new PlanchetError('upstream.no-tip');
}
