import { PlanchetError } from '../../../contract/index.ts';
import { jsonOf } from '../../foreign-json.ts';
import type { HttpResponse } from './http-request.ts';
import type { Upstream } from './pool.ts';

/** Finds the REST paths of each upstream once, by reading a path that every node with REST has. */
export class UpstreamRestPaths {
  readonly #found = new WeakMap<Upstream, Promise<string | undefined>>();

  /**
   * @param get reads a path of the upstream
   * @returns the prefix of its REST paths; undefined for an upstream without REST
   * @throws PlanchetError if the upstream cannot be reached. It is tried again next time
   */
  of(upstream: Upstream, get: (path: string) => Promise<HttpResponse>): Promise<string | undefined> {
    const known = this.#found.get(upstream);
    if (known !== undefined) return known;
    const found = probe(upstream, get);
    this.#found.set(upstream, found);
    found.catch(() => this.#found.delete(upstream));
    return found;
  }

  /** The upstream has no REST paths any more. */
  none(upstream: Upstream): void {
    this.#found.set(upstream, Promise.resolve(undefined));
  }
}

/** Prefixes to try: below the RPC address, as behind a proxy, and at the root, as on a node. */
async function probe({ path }: Upstream, get: (path: string) => Promise<HttpResponse>): Promise<string | undefined> {
  const below = (path.split('?', 1)[0] as string).replace(/\/+$/, '');
  for (const base of new Set([`${below}/rest`, '/rest'])) {
    try {
      const { status, bytes, rest } = await get(`${base}/chaininfo.json`);
      await rest?.return?.();
      if (status === 200 && rest === undefined && isChainInfo(bytes)) return base;
    } catch (error) {
      // an upstream that hangs or disconnects at such a path would do so each time
      if (!(error instanceof PlanchetError) || !['upstream-timeout', 'upstream-error'].includes(error.code))
        throw error;
    }
  }
  return undefined;
}

function isChainInfo(bytes: Buffer): boolean {
  const { chain, bestblockhash } = (jsonOf(bytes.toString('utf8')) ?? {}) as Record<string, unknown>;
  return typeof chain === 'string' && typeof bestblockhash === 'string';
}
