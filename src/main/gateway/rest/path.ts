import { ByteReader, ChainError, fromHex, hashToDisplay } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';

const MAX_HEADERS = 2_000;
const MAX_OUTPOINTS = 15;

export type Extension = 'bin' | 'hex' | 'json';

export interface Outpoint {
  readonly txid: string;
  readonly vout: number;
}

export type RestQuery =
  | { readonly kind: 'tx'; readonly txid: string; readonly extension: Extension }
  | { readonly kind: 'block'; readonly hash: string; readonly details: boolean; readonly extension: Extension }
  | {
      readonly kind: 'headers';
      readonly count: number;
      readonly hash: string;
      readonly extended: boolean;
      readonly extension: Extension;
    }
  | {
      readonly kind: 'utxos';
      readonly checkMempool: boolean;
      readonly outpoints: readonly Outpoint[];
      readonly extension: Extension;
    }
  /** The unchanged result of one command, which depends on the tip. */
  | { readonly kind: 'plain'; readonly method: string; readonly params: string };

const plain: ReadonlyMap<string, { method: string; params: string }> = new Map([
  ['/rest/chaininfo', { method: 'getblockchaininfo', params: '[]' }],
  ['/rest/mempool/info', { method: 'getmempoolinfo', params: '[]' }],
  ['/rest/mempool/contents', { method: 'getrawmempool', params: '[true]' }],
]);

/**
 * Parses a REST request (node-rpc.md section 6).
 * @throws PlanchetError `rest.*`, with the status and text of a node
 */
export function readRestPath(url: string, body: Buffer): RestQuery {
  const path = decoded(url.split('?', 1)[0] as string);
  const dot = path.lastIndexOf('.');
  const [stem, extension] = dot < 0 ? [path, ''] : [path.slice(0, dot), path.slice(dot + 1)];
  const parts = stem.split('/').slice(2);
  const [first, second = '', third = '', fourth = ''] = parts;
  const command = plain.get(stem);
  if (command !== undefined) {
    if (extension !== 'json') throw new PlanchetError('rest.format-unknown', { available: 'json' });
    return { kind: 'plain', ...command };
  }
  if (first === 'tx' && parts.length === 2) return { kind: 'tx', txid: hashOf(second), extension: formatOf(extension) };
  const bare = second === 'notxdetails';
  if (first === 'block' && parts.length === (bare ? 3 : 2)) {
    const hash = hashOf(bare ? third : second);
    return { kind: 'block', hash, details: !bare, extension: formatOf(extension) };
  }
  if (first === 'headers') {
    const extended = second === 'extended';
    const [count, hash] = extended ? [third, fourth] : [second, third];
    if (parts.length !== (extended ? 4 : 3)) throw new PlanchetError('rest.header-count-missing');
    const asked = { count: countOf(count), hash: hashOf(hash) };
    return { kind: 'headers', ...asked, extended, extension: formatOf(extension, '.bin, .hex') };
  }
  if (first === 'getutxos') return outpointsOf(parts.slice(1).flatMap(separated), body, formatOf(extension));
  throw new PlanchetError('rest.path-unknown', { path });
}

/** The commands that return the same data as a path. A client that may not call them may not read the path. */
export function commandsOf(query: RestQuery): readonly string[] {
  return query.kind === 'plain' ? [query.method] : commands[query.kind];
}

const commands: Readonly<Record<Exclude<RestQuery['kind'], 'plain'>, readonly string[]>> = {
  tx: ['getrawtransaction'],
  block: ['getblock'],
  headers: ['getblockheader', 'getblockhash'],
  utxos: ['gettxout', 'getbestblockhash', 'getblockheader'],
};

/** The path in its canonical form, without `/rest`. */
export function pathOf(query: RestQuery): string {
  switch (query.kind) {
    case 'tx':
      return `/tx/${query.txid}.${query.extension}`;
    case 'block':
      return `/block/${query.details ? '' : 'notxdetails/'}${query.hash}.${query.extension}`;
    case 'headers':
      return `/headers/${query.extended ? 'extended/' : ''}${query.count}/${query.hash}.${query.extension}`;
    case 'utxos': {
      const outpoints = query.outpoints.map(({ txid, vout }) => `${txid}-${vout}`).join('/');
      return `/getutxos/${query.checkMempool ? 'checkmempool/' : ''}${outpoints}.${query.extension}`;
    }
    case 'plain': {
      const [path] = [...plain].find(([, { method }]) => method === query.method) as [string, unknown];
      return `${path.slice('/rest'.length)}.json`;
    }
  }
}

function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    throw new PlanchetError('rest.format-unknown', { available: '.bin, .hex, .json' });
  }
}

/** @param available the formats as the node lists them; for headers it leaves one out */
function formatOf(extension: string, available = '.bin, .hex, .json'): Extension {
  if (extension === 'bin' || extension === 'hex' || extension === 'json') return extension;
  throw new PlanchetError('rest.format-unknown', { available });
}

function hashOf(text: string): string {
  if (/^[0-9a-fA-F]{64}$/.test(text)) return text.toLowerCase();
  throw new PlanchetError('rest.hash-invalid', { text });
}

function countOf(text: string): number {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= MAX_HEADERS) return count;
  throw new PlanchetError('rest.header-count-invalid', { text });
}

/** Outpoints are one parameter for programs that escape the parameters of a path. They escape the slashes too. */
function separated(part: string): string[] {
  return part.split(/%2F/i);
}

function outpointsOf(parts: readonly string[], body: Buffer, extension: Extension): RestQuery {
  const inUri = parts.filter((part) => part !== '');
  const posted = body.length > 0;
  if (inUri.length === 0 && !posted) throw new PlanchetError('rest.no-outpoints');
  let checkMempool = inUri[0] === 'checkmempool';
  let outpoints = inUri.slice(checkMempool ? 1 : 0).map(outpointOf);
  if (posted) {
    if (outpoints.length > 0) throw new PlanchetError('rest.outpoints-posted-too');
    if (extension === 'json') throw new PlanchetError('rest.no-outpoints');
    ({ checkMempool, outpoints } = postedOutpoints(body, extension));
  }
  if (outpoints.length === 0) throw new PlanchetError('rest.no-outpoints');
  if (outpoints.length > MAX_OUTPOINTS) {
    throw new PlanchetError('rest.too-many-outpoints', { limit: MAX_OUTPOINTS, count: outpoints.length });
  }
  return { kind: 'utxos', checkMempool, outpoints, extension };
}

function outpointOf(text: string): Outpoint {
  const match = /^([0-9a-fA-F]{64})-(\d{1,10})$/.exec(text);
  const vout = Number(match?.[2] ?? -1);
  if (match === null || vout > 0xffff_ffff) throw new PlanchetError('rest.outpoint-invalid');
  return { txid: (match[1] as string).toLowerCase(), vout };
}

/** Reads a posted request: whether to include the mempool, and the outpoints in a node's serialisation. */
function postedOutpoints(body: Buffer, extension: Extension): { checkMempool: boolean; outpoints: Outpoint[] } {
  try {
    const bytes = extension === 'hex' ? fromHex(body.toString('latin1').trim().toLowerCase()) : body;
    const reader = new ByteReader(new Uint8Array(bytes), 'tx-malformed');
    const checkMempool = (reader.bytes(1)[0] as number) !== 0;
    const outpoints: Outpoint[] = [];
    for (let left = reader.count(36); left > 0; left--) {
      outpoints.push({ txid: hashToDisplay(reader.bytes(32)), vout: reader.u32le() });
    }
    return { checkMempool, outpoints };
  } catch (error) {
    if (error instanceof ChainError) throw new PlanchetError('rest.outpoint-invalid');
    throw error;
  }
}
