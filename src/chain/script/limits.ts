/** Bounds of what a script may ask for. */
export const scriptLimits = {
  /** The longest number where the spent output is from before Chronicle, the node's. */
  numberBytes: 750_000,
  /** The longest number where the spent output is from after Chronicle, the node's. */
  chronicleNumberBytes: 32_000_000,
  /** The longest element of the stack: beyond it the arrays of the JavaScript engine become slow tables. */
  elementBytes: 33_000_000,
  /** Stack memory the interpreter allows: two of the longest numbers. */
  stackBytes: 66_000_000,
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
