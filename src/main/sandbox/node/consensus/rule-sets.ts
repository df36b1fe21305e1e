import { blockFlags, mempoolFlags, type ScriptRules, spentOutputFlags } from '../../../../chain/index.ts';

/** Blocks before and after the activation within which a refusal mentions that the other rules would have allowed the transaction. */
const GRACE_BLOCKS = 72;

/** Height of an output; null if it is not mined. */
interface SpentHeight {
  readonly height: number | null;
}

/** Selects script rules by the heights of the block and of the spent outputs. */
export class RuleSets {
  /** First block that follows the Chronicle rules. */
  readonly chronicleHeight: number;

  /** @param chronicleHeight first block under the Chronicle rules; earlier ones follow the Genesis rules */
  constructor(chronicleHeight: number) {
    this.chronicleHeight = chronicleHeight;
  }

  isChronicle(height: number): boolean {
    return height >= this.chronicleHeight;
  }

  /** True if the next block follows different rules than the block at this height. */
  changesAfter(height: number): boolean {
    return this.isChronicle(height) !== this.isChronicle(height + 1);
  }

  isGrace(height: number): boolean {
    return Math.abs(height - this.chronicleHeight) < GRACE_BLOCKS;
  }

  /** Rules of a mined transaction. @param spent outputs in input order, with their heights */
  inBlock(height: number, spent: readonly SpentHeight[]): ScriptRules {
    return this.#rules(blockFlags(this.isChronicle(height)), height, spent);
  }

  /** Rules of a mempool transaction. @param height of the next block */
  waitingFor(height: number, spent: readonly SpentHeight[]): ScriptRules {
    return this.#rules(mempoolFlags(this.isChronicle(height)), height, spent);
  }

  /**
   * Rules as they would be on the other side of the activation.
   * @param of the block, with the standard flags of the mempool, or the spent outputs
   */
  inverse(of: 'block' | 'outputs', height: number, spent: readonly SpentHeight[]): ScriptRules {
    const chronicle = this.isChronicle(height);
    if (of === 'block') return this.#rules(mempoolFlags(!chronicle), height, spent);
    const inputFlags = spent.map((output) => spentOutputFlags(!this.#isSpentChronicle(output, height)));
    return { flags: blockFlags(chronicle), inputFlags };
  }

  #rules(flags: number, height: number, spent: readonly SpentHeight[]): ScriptRules {
    const first = this.#isSpentChronicle(spent[0] ?? { height: null }, height);
    const isMixed = spent.some((output) => this.#isSpentChronicle(output, height) !== first);
    if (!isMixed) return { flags: flags | spentOutputFlags(first) };
    return { flags, inputFlags: spent.map((output) => spentOutputFlags(this.#isSpentChronicle(output, height))) };
  }

  /** An unconfirmed output is assumed to be mined in the same block as its spender, like in the node. */
  #isSpentChronicle(output: SpentHeight, height: number): boolean {
    return this.isChronicle(output.height ?? height);
  }
}

/** True if two rule sets are equal for every input. */
export function isSameRules(one: ScriptRules, other: ScriptRules): boolean {
  if (one.flags !== other.flags || one.inputFlags?.length !== other.inputFlags?.length) return false;
  return one.inputFlags === undefined || one.inputFlags.every((flags, index) => flags === other.inputFlags?.[index]);
}
