/** Bounds of what a script may ask for after Genesis. */
export const scriptLimits = {
  /** The longest number, the node's. */
  numberBytes: 750_000,
  /** Stack memory the interpreter allows. */
  stackBytes: 32_000_000,
  /** Longest time for the scripts of one transaction. The node gives one of unusual form a second of a faster interpreter. */
  durationMs: 5_000,
} as const;

/** What one script may take of the machine, for whoever runs scripts of others beside other work. */
export interface ScriptBounds {
  /** Opcodes in a locking or unlocking script. */
  readonly operations: number;
  /** Bytes on each of the two stacks, in a script, and hashed by one signature check. */
  readonly stackBytes: number;
  /** Bytes of a number that is calculated with. */
  readonly numberBytes: number;
}
