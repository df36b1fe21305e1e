export interface ScryptCost {
  /** CPU and memory cost, a power of two. */
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** About 128 MB and a third of a second on a desktop of 2026. */
export const DEFAULT_SCRYPT: ScryptCost = { N: 2 ** 17, r: 8, p: 1 };
