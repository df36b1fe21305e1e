import {
  headerHash,
  merkleBranch,
  merkleRoot,
  parseHeader,
  serializeHeader,
  type TscProof,
  toHex,
} from '../../../chain/index.ts';
import type { ChainHeader, HeaderChain, HeadersChange } from '../../ports/headers.ts';

/** Headers without work, of blocks with the given transactions, as the active chain. */
export class HeaderList implements HeaderChain {
  readonly #headers: ChainHeader[] = [];
  readonly #listeners = new Set<(change: HeadersChange) => void>();
  refreshes = 0;
  isAgreed = true;

  /** Adds a block. @param txids in block order */
  mine(txids: readonly string[]): ChainHeader {
    const header = serializeHeader({
      version: 0x20000000,
      previousHash: this.tip?.hash ?? '0'.repeat(64),
      merkleRoot: merkleRoot(txids),
      time: 1_700_000_000 + this.#headers.length,
      bits: 0x207fffff,
      nonce: 0,
    });
    const block = { hash: headerHash(header), height: this.#headers.length, header };
    this.#headers.push(block);
    return block;
  }

  /** Removes the newest block. */
  unmine(): void {
    this.#headers.pop();
  }

  get tip(): ChainHeader | null {
    return this.#headers.at(-1) ?? null;
  }

  header(hash: string): ChainHeader | undefined {
    return this.#headers.find((block) => block.hash === hash);
  }

  at(height: number): ChainHeader | undefined {
    return height < 0 ? undefined : this.#headers[height];
  }

  isActive(hash: string): boolean {
    return this.header(hash) !== undefined;
  }

  async refresh(): Promise<void> {
    this.refreshes += 1;
  }

  onChange(listener: (change: HeadersChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** The node's answer to `getmerkleproof2 … "header"`. */
export function proofIn(block: ChainHeader, txids: readonly string[], index: number): TscProof {
  if (merkleRoot(txids) !== parseHeader(block.header).merkleRoot) throw new Error('the block holds other transactions');
  const [txOrId, target] = [txids[index] as string, toHex(block.header)];
  return { index, txOrId, targetType: 'header', target, nodes: merkleBranch(txids, index) };
}
