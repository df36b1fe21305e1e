import {
  concatBytes,
  displayToHash,
  HEADER_BYTES,
  hashToDisplay,
  headerHash,
  meetsTarget,
  parseHeader,
  serializeHeader,
  sha256d,
} from '../../../chain/index.ts';
import type { FaultArea, Faults } from '../controls/faults.ts';
import type { SandboxNode } from '../node/node.ts';
import { blockAtHeight, blockByHash } from '../node/storage/chain-store.ts';

/** Number of blocks by which a forged branch is longer than the chain. */
const FORGED = 100;
/** The target that forged headers claim to have met: a real network's easiest. */
const CLAIMED_BITS = 0x1d00ffff;

/** Forged headers above those of the chain. */
interface Made {
  /** Height of the first. */
  readonly from: number;
  readonly headers: readonly Uint8Array[];
}

/** The headers that one public service serves: those of the node, or forged ones by a fault. */
export class ServedHeaders {
  readonly #node: SandboxNode;
  readonly #faults: Faults;
  readonly #area: FaultArea;
  #made: { readonly key: string; readonly made: Made } | undefined;

  constructor(node: SandboxNode, faults: Faults, area: FaultArea) {
    this.#node = node;
    this.#faults = faults;
    this.#area = area;
  }

  async tip(): Promise<{ height: number; hash: string }> {
    const made = await this.#madeUp();
    if (made === undefined) return this.#node.tip();
    const hash = headerHash(made.headers.at(-1) as Uint8Array);
    return { height: made.from + made.headers.length - 1, hash };
  }

  /** Headers from a height to another, 80 bytes each, as far as there are any. */
  async range(first: number, last: number): Promise<Uint8Array> {
    const made = await this.#madeUp();
    const { height: top } = await this.tip();
    const rows = await this.#node.db
      .selectFrom('node_blocks')
      .select('header')
      .where('height', '>=', first)
      .where('height', '<=', Math.min(last, (made?.from ?? top + 1) - 1))
      .orderBy('height')
      .execute();
    const added = made?.headers.slice(Math.max(0, first - made.from), Math.max(0, last + 1 - made.from)) ?? [];
    return concatBytes(...rows.map(({ header }) => header), ...added);
  }

  async at(height: number): Promise<{ height: number; hash: string; header: Uint8Array } | undefined> {
    const header = await this.range(height, height);
    return header.length === HEADER_BYTES ? { height, hash: headerHash(header), header } : undefined;
  }

  async find(hash: string): Promise<{ height: number; hash: string; header: Uint8Array } | undefined> {
    const block = await blockByHash(this.#node.db, hash);
    return block && this.at(block.height);
  }

  /** Whether the file of headers is listed with the hash of another file (a fault). */
  listsWrongHash(): boolean {
    return this.#faults.take('wrong-file-hash', this.#area) !== undefined;
  }

  async #madeUp(): Promise<Made | undefined> {
    const isForged = this.#faults.take('forged-headers', this.#area) !== undefined;
    const isForked = !isForged && this.#faults.take('headers-fork', this.#area) !== undefined;
    const { height, hash } = this.#node.tip();
    if ((!isForged && !isForked) || height < 2) return undefined;
    const key = `${hash} ${isForged}`;
    if (this.#made?.key !== key) {
      const made = isForged ? forged(hash, height) : await this.#forked(height);
      this.#made = { key, made };
    }
    return this.#made?.made;
  }

  /** A forged block with the same work in place of the newest one. */
  async #forked(height: number): Promise<Made> {
    const tip = await blockAtHeight(this.#node.db, height);
    const header = parseHeader((tip as { header: Uint8Array }).header);
    const merkleRoot = hashToDisplay(sha256d(displayToHash(header.merkleRoot)));
    for (let nonce = 0; ; nonce++) {
      const other = serializeHeader({ ...header, merkleRoot, nonce });
      if (meetsTarget(headerHash(other), header.bits)) return { from: height, headers: [other] };
    }
  }
}

/** Headers that claim much work without having it. */
function forged(tip: string, height: number): Made {
  const headers: Uint8Array[] = [];
  let previousHash = tip;
  for (let n = 0; n < FORGED; n++) {
    const time = 1_800_000_000 + 600 * n;
    const merkleRoot = String(n).padStart(64, '0');
    const header = serializeHeader({ version: 1, previousHash, merkleRoot, time, bits: CLAIMED_BITS, nonce: 0 });
    headers.push(header);
    previousHash = headerHash(header);
  }
  return { from: height + 1, headers };
}
