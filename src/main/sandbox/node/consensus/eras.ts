import { blockFlags, mempoolFlags, type ScriptRules, spentOutputFlags } from '../../../../chain/index.ts';

/** Blocks at each side of the activation in which a refusal tells that the other era would have allowed the transaction. */
const GRACE_BLOCKS = 72;

/** What the height of an output tells; null for one that no block holds yet. */
interface SpentHeight {
  readonly height: number | null;
}

/** Which scripts are held to which rules, by the heights of the block they go into and of the outputs they spend. */
export class Eras {
  /** First block that follows the Chronicle rules. */
  readonly chronicleHeight: number;

  /** @param chronicleHeight all blocks before it follow the rules of Genesis */
  constructor(chronicleHeight: number) {
    this.chronicleHeight = chronicleHeight;
  }

  isChronicle(height: number): boolean {
    return height >= this.chronicleHeight;
  }

  /** True where the block after this height follows other rules than the block of this height. */
  changesAfter(height: number): boolean {
    return this.isChronicle(height) !== this.isChronicle(height + 1);
  }

  isGrace(height: number): boolean {
    return Math.abs(height - this.chronicleHeight) < GRACE_BLOCKS;
  }

  /** Rules of a transaction in a block. @param spent outputs in the order of the inputs, with their heights */
  inBlock(height: number, spent: readonly SpentHeight[]): ScriptRules {
    return this.#rules(blockFlags(this.isChronicle(height)), height, spent);
  }

  /** Rules of a transaction that waits for a block. @param height of that block */
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

  /** An output that waits itself is taken to be mined with what spends it, as the node takes it. */
  #isSpentChronicle(output: SpentHeight, height: number): boolean {
    return this.isChronicle(output.height ?? height);
  }
}

/** True where two rules are the same for every input. */
export function isSameRules(one: ScriptRules, other: ScriptRules): boolean {
  if (one.flags !== other.flags || one.inputFlags?.length !== other.inputFlags?.length) return false;
  return one.inputFlags === undefined || one.inputFlags.every((flags, index) => flags === other.inputFlags?.[index]);
}
