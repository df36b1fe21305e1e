import type { BlockHeader } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import { NodeRpcError } from '../../ports/node.ts';
import { provenHeader } from '../blocks/block-evidence.ts';

/** Blocks below a tip whose headers are read with it. */
const BELOW = 12;

/**
 * One call upstream, with who answered.
 * @param from the only upstream to be asked, by its origin
 * @throws NodeRpcError, PlanchetError
 */
export type CallFrom = (
  method: string,
  params: readonly unknown[],
  from?: string,
) => Promise<{ result: unknown; origin: string }>;

/** What an upstream says of its chain. All of it throws PlanchetError `upstream-*`. */
export class ChainCalls {
  readonly #call: CallFrom;

  constructor(call: CallFrom) {
    this.#call = call;
  }

  /** Whether the main chain of an upstream has this block at this height. */
  async isAt(hash: string, height: number, from: string | undefined): Promise<boolean> {
    return (await this.#hashAt(height, from)) === hash;
  }

  /** The header of a block, proven; undefined where the upstream has none. */
  async rawHeader(hash: string, from: string): Promise<BlockHeader | undefined> {
    return provenHeader(hash, await this.#ask('getblockheader', [hash, false], from));
  }

  /** What the upstream says of a block's place, in whatever branch. */
  async header(hash: string, from: string | undefined): Promise<Header | undefined> {
    const said = await this.#ask('getblockheader', [hash, true], from);
    return said === undefined ? undefined : asHeader(said);
  }

  /** The headers of a block and of some that the upstream has right below it, by their hashes. */
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
    const said = await this.#ask('getblockhash', [height], from);
    return typeof said === 'string' ? said : undefined;
  }

  /** @returns undefined where the node refuses */
  async #ask(method: string, params: readonly unknown[], from: string | undefined): Promise<unknown> {
    try {
      return (await this.#call(method, params, from)).result;
    } catch (error) {
      if (error instanceof NodeRpcError) return undefined;
      throw error;
    }
  }
}

/** What a verbose header says of a block's place. */
interface Header {
  readonly height: number;
  /** Milliseconds; undefined where the node tells none. */
  readonly time: number | undefined;
}

/** @throws PlanchetError `upstream-error` where it is no hash */
export function asHash(value: unknown): string {
  if (typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)) return value;
  throw unusable();
}

function asHeader(value: unknown): Header {
  const { height, time } = (value ?? {}) as Record<string, unknown>;
  if (!Number.isSafeInteger(height)) throw unusable();
  return {
    height: height as number,
    // a node's time is in seconds
    time: Number.isSafeInteger(time) ? (time as number) * 1_000 : undefined,
  };
}

export function unusable(): PlanchetError {
  return new PlanchetError('upstream.no-tip');
}
