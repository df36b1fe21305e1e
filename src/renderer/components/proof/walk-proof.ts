/** A level of the Merkle tree: the hash, its sibling, and the hash of both. */
interface ProofLevel {
  readonly side: 'left' | 'right' | 'self';
  /** Display hex, like all hashes here. */
  readonly sibling: string;
  readonly hash: string;
}

/** Every step of the proof from a transaction to the work of its block, with its result. */
export interface ProofWalk {
  readonly levels: readonly ProofLevel[];
  readonly root: string;
  readonly headerRoot: string;
  readonly headerHash: string;
  /** The highest hash that the header allows, in display hex. */
  readonly target: string;
  readonly rootHolds: boolean;
  readonly headerHolds: boolean;
  readonly workHolds: boolean;
}

/** The Merkle branch of a transaction, with the header. */
export interface BranchProof {
  readonly index: number;
  readonly nodes: readonly string[];
  /** The 80-byte header in hex. */
  readonly header: string;
}

const HEADER_BYTES = 80;

function bytesOf(hex: string): Uint8Array<ArrayBuffer> {
  if (!/^(?:[0-9a-f]{2})*$/.test(hex)) throw new Error('The proof holds something that is not hex.');
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Ids are displayed in reverse byte order. */
function display(bytes: Uint8Array): string {
  return hexOf(bytes.toReversed());
}

async function sha256d(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const once = await crypto.subtle.digest('SHA-256', bytes);
  return new Uint8Array(await crypto.subtle.digest('SHA-256', once));
}

/** The target encoded in the header's `bits`. */
function targetOf(header: Uint8Array): bigint {
  const bits = new DataView(header.buffer, header.byteOffset).getUint32(72, true);
  const exponent = bits >>> 24;
  const mantissa = BigInt(bits & 0x007fffff);
  return exponent <= 3 ? mantissa >> BigInt(8 * (3 - exponent)) : mantissa << BigInt(8 * (exponent - 3));
}

/**
 * Verifies a proof from the transaction to the header, and the hash and work of the header.
 * @param blockHash the block that contains the transaction according to the node
 * @throws Error if the proof is malformed
 */
export async function walkProof(txid: string, proof: BranchProof, blockHash: string): Promise<ProofWalk> {
  const header = bytesOf(proof.header);
  if (header.length !== HEADER_BYTES) throw new Error('The proof holds no block header.');
  const levels: ProofLevel[] = [];
  let at = bytesOf(txid).reverse();
  let place = proof.index;
  for (const node of proof.nodes) {
    const sibling = node === '*' ? at : bytesOf(node).reverse();
    if (sibling.length !== 32) throw new Error('The proof holds something that is no hash.');
    const side = node === '*' ? 'self' : place % 2 === 1 ? 'left' : 'right';
    const pair = side === 'left' ? [...sibling, ...at] : [...at, ...sibling];
    at = await sha256d(Uint8Array.from(pair));
    levels.push({ side, sibling: display(sibling), hash: display(at) });
    place = Math.floor(place / 2);
  }
  const root = display(at);
  const headerRoot = display(header.subarray(36, 68));
  const headerHash = display(await sha256d(header));
  const target = targetOf(header);
  return {
    levels,
    root,
    headerRoot,
    headerHash,
    target: target.toString(16).padStart(64, '0'),
    // An index outside the tree would prove a transaction at a position that does not exist.
    rootHolds: root === headerRoot && place === 0,
    headerHolds: headerHash === blockHash,
    workHolds: target > 0n && BigInt(`0x${headerHash}`) <= target,
  };
}

export function proofHolds({ rootHolds, headerHolds, workHolds }: ProofWalk): boolean {
  return rootHolds && headerHolds && workHolds;
}
