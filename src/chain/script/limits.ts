export const scriptLimits = {
  /** Maximum length of a number if the spent output is older than Chronicle; same as the node. */
  numberBytes: 750_000,
  /** Maximum length of a number if the spent output is not older than Chronicle; same as the node. */
  chronicleNumberBytes: 32_000_000,
  /** Maximum length of a stack element. Larger arrays become slow tables in the JavaScript engine. */
  elementBytes: 33_000_000,
  /** Maximum stack memory: two numbers of maximum length. */
  stackBytes: 66_000_000,
  /** Maximum time for the scripts of one transaction. The node allows non-standard ones one second of a faster interpreter. */
  durationMs: 5_000,
} as const;

/** Resource limits of one script, for callers that run untrusted scripts next to other work. */
export interface ScriptBounds {
  /** Opcodes in a locking or unlocking script. */
  readonly operations: number;
  /** Bytes on each of the two stacks, in a script, and hashed by a single signature check. */
  readonly stackBytes: number;
  /** Bytes of a number used in arithmetic. */
  readonly numberBytes: number;
}
