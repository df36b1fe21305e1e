/** Bounds of what a script may ask for after Genesis. */
export const scriptLimits = {
  /** The longest number, the node's. */
  numberBytes: 750_000,
  /** Stack memory the interpreter allows. */
  stackBytes: 32_000_000,
  /** Longest time for the scripts of one transaction. The node gives one of unusual form a second of a faster interpreter. */
  durationMs: 5_000,
} as const;
