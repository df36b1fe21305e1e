/**
 * Script flags with the bits and names of the reference node (1.2.2, `script_flags.h`). Each turns on one rule of the interpreter.
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
 * The rules the scripts of one transaction are held to. The era of a rule is that of the block the transaction goes into; the era of
 * an opcode or of a size is that of the output that is spent, so inputs may differ.
 */
export interface ScriptRules {
  /** Flags that hold for every input. */
  readonly flags: number;
  /** Further flags for each input in order; left out where all inputs have the same. */
  readonly inputFlags?: readonly number[];
}

/** Flags every block has required since Genesis. */
const BLOCK_FLAGS =
  scriptFlag.P2SH |
  scriptFlag.STRICTENC |
  scriptFlag.DERSIG |
  scriptFlag.LOW_S |
  scriptFlag.NULLFAIL |
  scriptFlag.SIGPUSHONLY |
  scriptFlag.SIGHASH_FORKID |
  scriptFlag.GENESIS;

/** Flags a node requires of what it relays, and no block has to meet. */
const POLICY_FLAGS =
  scriptFlag.NULLDUMMY | scriptFlag.DISCOURAGE_UPGRADABLE_NOPS | scriptFlag.CLEANSTACK | scriptFlag.MINIMALDATA;

/** Rules a transaction of version 2 or higher is free of since Chronicle. */
const MALLEABILITY_FLAGS =
  scriptFlag.LOW_S |
  scriptFlag.NULLDUMMY |
  scriptFlag.SIGPUSHONLY |
  scriptFlag.MINIMALDATA |
  scriptFlag.CLEANSTACK |
  scriptFlag.MINIMALIF |
  scriptFlag.NULLFAIL;

/**
 * Flags of a block's scripts.
 * @param chronicle whether the block follows the Chronicle rules
 */
export function blockFlags(chronicle: boolean): number {
  return chronicle ? BLOCK_FLAGS | scriptFlag.CHRONICLE : BLOCK_FLAGS;
}

/** Flags of transactions that wait for such a block: those of the block and the node's standard ones. */
export function mempoolFlags(chronicle: boolean): number {
  return blockFlags(chronicle) | POLICY_FLAGS;
}

/** Flags of an input by the era of the output it spends. */
export function spentOutputFlags(chronicle: boolean): number {
  return chronicle ? scriptFlag.UTXO_AFTER_GENESIS | scriptFlag.UTXO_AFTER_CHRONICLE : scriptFlag.UTXO_AFTER_GENESIS;
}

/** The network as it is: the block and all spent outputs are from after Chronicle. */
export const chronicleRules: ScriptRules = { flags: blockFlags(true) | spentOutputFlags(true) };

/** The network between Genesis and Chronicle. */
export const genesisRules: ScriptRules = { flags: blockFlags(false) | spentOutputFlags(false) };

/** All flags of one input. */
export function flagsOfInput({ flags, inputFlags }: ScriptRules, index: number): number {
  return flags | (inputFlags?.[index] ?? 0);
}

/**
 * Flags as they apply to a transaction of this version: since Chronicle a version above 1 turns the malleability rules off, and pushes
 * alone are required in unlocking scripts only from Genesis on.
 */
export function effectiveFlags(flags: number, version: number): number {
  if ((flags & scriptFlag.CHRONICLE) !== 0) return version > 1 ? flags & ~MALLEABILITY_FLAGS : flags;
  return (flags & scriptFlag.GENESIS) !== 0 ? flags : flags & ~scriptFlag.SIGPUSHONLY;
}

/** @param names as the node writes them. @throws Error for a name that is no flag */
export function flagsNamed(names: readonly string[]): number {
  let flags = 0;
  for (const name of names) {
    const flag = scriptFlag[name as ScriptFlagName];
    if (flag === undefined) throw new Error(`There is no script flag ${name}.`);
    flags |= flag;
  }
  return flags;
}

/** The node's names of flags. */
export function flagNames(flags: number): ScriptFlagName[] {
  return (Object.keys(scriptFlag) as ScriptFlagName[]).filter((name) => (flags & scriptFlag[name]) !== 0);
}
