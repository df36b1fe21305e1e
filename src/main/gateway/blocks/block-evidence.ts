import {
  type BlockHeader,
  fromHex,
  headerHash,
  meetsTarget,
  parseHeader,
  parseTx,
  verifyTscProof,
} from '../../../chain/index.ts';

/** From this version on, a block contains its height. */
const BIP34_VERSION = 2;
/** A text of this many hex digits could be mistaken for a hash. */
const HASH_DIGITS = 64;

/**
 * Verifies a header: it must hash to the block's hash and meet its own target.
 * @param raw the node's answer, 160 hex digits
 * @returns undefined if it is another block's header or not a header
 */
export function provenHeader(hash: string, raw: unknown): BlockHeader | undefined {
  if (typeof raw !== 'string' || !/^[0-9a-f]{160}$/.test(raw)) return undefined;
  const bytes = fromHex(raw);
  const header = parseHeader(bytes);
  return headerHash(bytes) === hash && meetsTarget(hash, header.bits) ? header : undefined;
}

/**
 * Reads the height of a block from its coinbase, whose script starts with the height (BIP34). The Merkle branch connects the coinbase to
 * the header, so a node cannot claim another height for the true best block.
 * @param header verified
 * @param told the node's answer to `getblockheader` with verbosity 2
 * @returns undefined if the answer proves nothing: the node lacks the transactions, or does not know this verbosity
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

function heightIn(script: Uint8Array | undefined): number | undefined {
  const [first] = script ?? [];
  if (script === undefined || first === undefined) return undefined;
  if (first === 0) return 0;
  if (first > 0x50 && first <= 0x60) return first - 0x50;
  // up to four bytes; the highest bit of the last one is the sign
  if (first > 4 || script.length <= first || ((script[first] as number) & 0x80) !== 0) return undefined;
  return script.subarray(1, first + 1).reduceRight((sum, byte) => sum * 256 + byte, 0);
}
