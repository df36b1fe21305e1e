import { parseP2pkh, toHex } from '../../../chain/index.ts';
import { phrase, type Reason } from '../../../contract/index.ts';
import type { BlockPlace } from '../../ports/chain-data.ts';
import type { HeaderChain } from '../../ports/headers.ts';
import type { Told } from './histories.ts';

/** Blocks after which an index that is only late has what they hold. */
export const LATE_BLOCKS = 6;

/** A payment that a proof shows. */
interface Shown extends BlockPlace {
  readonly txid: string;
}

/**
 * Finds who leaves a payment out of the history of its address: one whose bytes pay the address, that a block of the verified headers is shown to
 * hold, and that is old enough for every index. A history with a gap is a lie that otherwise nobody notices.
 */
export class HiddenRows {
  readonly #headers: Pick<HeaderChain, 'tip' | 'isActive'>;
  /** By the hash of the key that is paid, hex. */
  readonly #shown = new Map<string, Map<string, Shown>>();
  /** Sources and ids that were told once. */
  readonly #told = new Set<string>();

  constructor(headers: Pick<HeaderChain, 'tip' | 'isActive'>) {
    this.#headers = headers;
  }

  /** Payments to these keys are looked for. @param keys their hashes, hex */
  watch(keys: readonly string[]): void {
    for (const key of keys) if (!this.#shown.has(key)) this.#shown.set(key, new Map());
  }

  /** A proof shows that a block holds a transaction. @param scripts of its outputs */
  show(txid: string, { hash, height }: BlockPlace, scripts: Iterable<Uint8Array>): void {
    for (const script of scripts) {
      const key = parseP2pkh(script);
      if (key !== undefined) this.#shown.get(toHex(key))?.set(txid, { txid, hash, height });
    }
  }

  /**
   * @param told what sources told just now
   * @returns who left out which payment, each once
   */
  *find(told: readonly Told[], keyOf: (address: string) => string): Iterable<{ name: string; reason: Reason }> {
    const top = (this.#headers.tip?.height ?? 0) - LATE_BLOCKS;
    for (const { name, address, rows } of told) {
      const listed = new Set(rows.map(({ txid }) => txid));
      for (const { txid, height, hash } of this.#shown.get(keyOf(address))?.values() ?? []) {
        const once = `${name} ${txid}`;
        if (listed.has(txid) || height > top || this.#told.has(once) || !this.#headers.isActive(hash)) continue;
        this.#told.add(once);
        yield { name, reason: phrase('reason.leaves-out', { txid, address, height }) };
      }
    }
  }
}
