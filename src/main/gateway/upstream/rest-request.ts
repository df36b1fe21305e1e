import { PlanchetError } from '../../../contract/index.ts';
import type { HttpResponse } from './http-request.ts';
import type { Upstream } from './pool.ts';

/** Where each upstream has its REST paths, found out once by asking for one that every node with REST has. */
export class UpstreamRestPaths {
  readonly #found = new WeakMap<Upstream, Promise<string | undefined>>();

  /**
   * @param get reads a path of the upstream
   * @returns what stands before a REST path; undefined for an upstream without REST paths
   * @throws PlanchetError where the upstream cannot be reached, which says nothing: it is asked again
   */
  of(upstream: Upstream, get: (path: string) => Promise<HttpResponse>): Promise<string | undefined> {
    const known = this.#found.get(upstream);
    if (known !== undefined) return known;
    const found = probe(upstream, get);
    this.#found.set(upstream, found);
    found.catch(() => this.#found.delete(upstream));
    return found;
  }

  /** The upstream turned out to have no REST paths any more. */
  none(upstream: Upstream): void {
    this.#found.set(upstream, Promise.resolve(undefined));
  }
}

/** Below the RPC address, as behind a proxy, or at the root, as on a node. */
async function probe({ path }: Upstream, get: (path: string) => Promise<HttpResponse>): Promise<string | undefined> {
  const below = (path.split('?', 1)[0] as string).replace(/\/+$/, '');
  for (const base of new Set([`${below}/rest`, '/rest'])) {
    try {
      const { status, bytes, rest } = await get(`${base}/chaininfo.json`);
      await rest?.return?.();
      if (status === 200 && rest === undefined && isChainInfo(bytes)) return base;
    } catch (error) {
      // one that hangs or breaks off at such a path would do so each time
      if (!(error instanceof PlanchetError) || !['upstream-timeout', 'upstream-error'].includes(error.code))
        throw error;
    }
  }
  return undefined;
}

function isChainInfo(bytes: Buffer): boolean {
  try {
    const { chain, bestblockhash } = JSON.parse(bytes.toString('utf8')) as Record<string, unknown>;
    return typeof chain === 'string' && typeof bestblockhash === 'string';
  } catch {
    return false;
  }
}
