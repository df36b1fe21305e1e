/** Somebody says that a coin is spent, and nobody has what spends it. Until that is resolved the coin is not spent. */
export interface Dispute {
  /** Names of those who say so. */
  readonly sources: readonly string[];
  /** How many were asked and answered. */
  readonly of: number;
}
