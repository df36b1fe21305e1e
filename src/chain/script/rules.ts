/**
 * Script flags with the bits and names of the reference node (1.2.2, `script_flags.h`). Each enables one rule of the interpreter.
 */
export const scriptFlag = {
  P2SH: 1 << 0,
  STRICTENC: 1 << 1,
  DERSIG: 1 << 2,
  LOW_S: 1 << 3,
  NULLDUMMY: 1 << 4,
  SIGPUSHONLY: 1 << 5,
  MINIMALDATA: 1 << 6,
  DISCOURAGE_UPGRADABLE_NOPS: 1 << 7,
  CLEANSTACK: 1 << 8,
  CHECKLOCKTIMEVERIFY: 1 << 9,
  CHECKSEQUENCEVERIFY: 1 << 10,
  MINIMALIF: 1 << 13,
  NULLFAIL: 1 << 14,
  COMPRESSED_PUBKEYTYPE: 1 << 15,
  SIGHASH_FORKID: 1 << 16,
  /** The transaction goes into a block that follows the Genesis rules. */
  GENESIS: 1 << 18,
  /** The spent output was mined after Genesis. */
  UTXO_AFTER_GENESIS: 1 << 19,
  /** The transaction goes into a block that follows the Chronicle rules. */
  CHRONICLE: 1 << 20,
  /** The spent output was mined after Chronicle. */
  UTXO_AFTER_CHRONICLE: 1 << 21,
} as const;

export type ScriptFlagName = keyof typeof scriptFlag;

/**
 * The script rules for one transaction. Block rules depend on the rules of the block that contains the transaction. Opcodes and size limits
 * depend on the rules of the spent output, so they may differ between inputs.
 */
export interface ScriptRules {
  /** Flags for every input. */
  readonly flags: number;
  /** Additional flags for each input in order; omitted if all inputs have the same. */
  readonly inputFlags?: readonly number[];
}

/** Flags that every block has required since Genesis. */
const BLOCK_FLAGS =
  scriptFlag.P2SH |
  scriptFlag.STRICTENC |
  scriptFlag.DERSIG |
  scriptFlag.LOW_S |
  scriptFlag.NULLFAIL |
  scriptFlag.SIGPUSHONLY |
  scriptFlag.SIGHASH_FORKID |
  scriptFlag.GENESIS;

/** Flags that a node requires for relay but not in blocks. */
const POLICY_FLAGS =
  scriptFlag.NULLDUMMY | scriptFlag.DISCOURAGE_UPGRADABLE_NOPS | scriptFlag.CLEANSTACK | scriptFlag.MINIMALDATA;

/** Rules from which transactions of version 2 or higher are exempt since Chronicle. */
const MALLEABILITY_FLAGS =
  scriptFlag.LOW_S |
  scriptFlag.NULLDUMMY |
  scriptFlag.SIGPUSHONLY |
  scriptFlag.MINIMALDATA |
  scriptFlag.CLEANSTACK |
  scriptFlag.MINIMALIF |
  scriptFlag.NULLFAIL;

/**
 * Flags for the scripts of a block.
 * @param chronicle whether the block follows the Chronicle rules
 */
export function blockFlags(chronicle: boolean): number {
  return chronicle ? BLOCK_FLAGS | scriptFlag.CHRONICLE : BLOCK_FLAGS;
}

/** Flags for transactions that wait for such a block: the block's flags and the node's standard ones. */
export function mempoolFlags(chronicle: boolean): number {
  return blockFlags(chronicle) | POLICY_FLAGS;
}

/** Flags for an input, by the height of the output it spends. */
export function spentOutputFlags(chronicle: boolean): number {
  return chronicle ? scriptFlag.UTXO_AFTER_GENESIS | scriptFlag.UTXO_AFTER_CHRONICLE : scriptFlag.UTXO_AFTER_GENESIS;
}

/** Today's network: the block and all spent outputs are from after Chronicle. */
export const chronicleRules: ScriptRules = { flags: blockFlags(true) | spentOutputFlags(true) };

/** The network between Genesis and Chronicle. */
export const genesisRules: ScriptRules = { flags: blockFlags(false) | spentOutputFlags(false) };

/** All flags of one input. */
export function flagsOfInput({ flags, inputFlags }: ScriptRules, index: number): number {
  return flags | (inputFlags?.[index] ?? 0);
}

/**
 * Flags as they apply to a transaction of this version. Since Chronicle a version above 1 disables the malleability rules. Push-only
 * unlocking scripts are required only since Genesis.
 */
export function effectiveFlags(flags: number, version: number): number {
  if ((flags & scriptFlag.CHRONICLE) !== 0) return version > 1 ? flags & ~MALLEABILITY_FLAGS : flags;
  return (flags & scriptFlag.GENESIS) !== 0 ? flags : flags & ~scriptFlag.SIGPUSHONLY;
}

/** @param names as the node writes them. @throws Error for an unknown name */
export function flagsNamed(names: readonly string[]): number {
  let flags = 0;
  for (const name of names) {
    const flag = scriptFlag[name as ScriptFlagName];
    if (flag === undefined) throw new Error(`There is no script flag ${name}.`);
    flags |= flag;
  }
  return flags;
}

/** The node's names of these flags. */
export function flagNames(flags: number): ScriptFlagName[] {
  return (Object.keys(scriptFlag) as ScriptFlagName[]).filter((name) => (flags & scriptFlag[name]) !== 0);
}
