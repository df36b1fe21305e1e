import { fromHex, headerHash, meetsTarget, serializeHeader, toHex } from '../../../chain/index.ts';
import { type Answer, failure, result } from './upstream.ts';

const REGTEST_BITS = 0x207fffff;

export interface MinedHeader {
  readonly hash: string;
  readonly raw: string;
  readonly height: number;
  readonly previousHash: string;
}

/**
 * Mines a chain of headers with the difficulty of a regression-test chain.
 * @param on the block below the first one; undefined starts at height 0
 * @param branch distinguishes two chains of the same heights
 */
export function mineHeaders(count: number, on?: MinedHeader, branch = 0): MinedHeader[] {
  const headers: MinedHeader[] = [];
  let below = on;
  while (headers.length < count) {
    const height = (below?.height ?? -1) + 1;
    const previousHash: string = below?.hash ?? '00'.repeat(32);
    const merkleRoot = (height * 16 + branch).toString(16).padStart(64, '0');
    for (let nonce = 0; ; nonce++) {
      const header = { version: 1, previousHash, merkleRoot, time: 1_700_000_000 + height, bits: REGTEST_BITS, nonce };
      const raw = toHex(serializeHeader(header));
      const hash = headerHash(fromHex(raw));
      if (!meetsTarget(hash, REGTEST_BITS)) continue;
      below = { hash, raw, height, previousHash };
      headers.push(below);
      break;
    }
  }
  return headers;
}

/** The answers of a node with these headers. */
export interface ReportedChain {
  /** Oldest first. */
  headers: readonly MinedHeader[];
  chain?: string;
  /** A height to claim instead of the true one. */
  height?: number;
}

/** Answers the calls about the chain; `other` answers the rest. */
export function chainAnswer(reported: () => ReportedChain, other: Answer = result('"other"')): Answer {
  return (request, response, raw) => {
    const { headers, chain = 'regtest', height } = reported();
    const tip = headers.at(-1) as MinedHeader;
    const say = (value: unknown): void => result(JSON.stringify(value))(request, response, raw);
    const [first, verbose] = (request.params ?? []) as [unknown?, unknown?];
    switch (request.method) {
      case 'getblockchaininfo':
        return say({ chain, blocks: height ?? tip.height, bestblockhash: tip.hash });
      case 'getblockcount':
        return say(height ?? tip.height);
      case 'getbestblockhash':
        return say(tip.hash);
      case 'getblockhash': {
        const found = headers.find((header) => (header === tip ? (height ?? tip.height) : header.height) === first);
        return found ? say(found.hash) : failure(-8, 'Block height out of range')(request, response, raw);
      }
      case 'getblockheader': {
        const found = headers.find(({ hash }) => hash === first);
        if (!found) return failure(-5, 'Block not found')(request, response, raw);
        if (verbose === false) return say(found.raw);
        const told = found === tip ? (height ?? found.height) : found.height;
        return say({
          hash: found.hash,
          height: told,
          confirmations: tip.height - found.height + 1,
          time: 1_700_000_000,
        });
      }
      default:
        return other(request, response, raw);
    }
  };
}
