import {
  type BlockHeader,
  fromHex,
  headerHash,
  meetsTarget,
  parseHeader,
  parseTx,
  verifyTscProof,
} from '../../../chain/index.ts';

/** From this version on a block tells its height. */
const BIP34_VERSION = 2;
/** What has so many digits may be taken for a hash. */
const HASH_DIGITS = 64;

/**
 * A header that is what the block's hash stands for, and proves its work.
 * @param raw what a node answers for it, 160 hex digits
 * @returns undefined where it is another's, or anything else
 */
export function provenHeader(hash: string, raw: unknown): BlockHeader | undefined {
  if (typeof raw !== 'string' || !/^[0-9a-f]{160}$/.test(raw)) return undefined;
  const bytes = fromHex(raw);
  const header = parseHeader(bytes);
  return headerHash(bytes) === hash && meetsTarget(hash, header.bits) ? header : undefined;
}

/**
 * The height of a block by its first transaction, which begins with it (BIP34) and is bound to the header by its Merkle branch: a node
 * cannot give the true best block another height.
 * @param header proven
 * @param told what a node answers to `getblockheader` with verbosity 2
 * @returns undefined where that does not show it: the node does not have the block's transactions, or does not know the question
 */
export function provenHeight(hash: string, header: BlockHeader, told: unknown): number | undefined {
  const { tx, merkleproof } = (told ?? {}) as { tx?: unknown; merkleproof?: unknown };
  const hex = Array.isArray(tx) ? (tx[0] as { hex?: unknown } | null)?.hex : undefined;
  if (typeof hex !== 'string' || !Array.isArray(merkleproof)) return undefined;
  const proof = { index: 0, txOrId: hex, target: hash, nodes: merkleproof as string[] };
  if (header.version < BIP34_VERSION || hex.length === HASH_DIGITS) return undefined;
  if (!verifyTscProof(proof, header.merkleRoot)) return undefined;
  return heightIn(parseTx(fromHex(hex)).inputs[0]?.script);
}

/** The script number a coinbase script begins with. */
function heightIn(script: Uint8Array | undefined): number | undefined {
  const [first] = script ?? [];
  if (script === undefined || first === undefined) return undefined;
  if (first === 0) return 0;
  if (first > 0x50 && first <= 0x60) return first - 0x50;
  // up to four bytes, of which the last holds the sign
  if (first > 4 || script.length <= first || ((script[first] as number) & 0x80) !== 0) return undefined;
  return script.subarray(1, first + 1).reduceRight((sum, byte) => sum * 256 + byte, 0);
}
