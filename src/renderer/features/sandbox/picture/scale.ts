/** Smallest and largest height of a block in pixels. */
const LOW_PX = 24;
const HIGH_PX = 92;
/** Sizes in bytes: a block with its reward only, and a block of a quiet day. */
const LITTLE_BYTES = 200;
const MUCH_BYTES = 200_000;

/** Position between two amounts on a logarithmic scale, so that empty and full blocks are both visible. */
function share(value: number, little: number, much: number): number {
  const way = Math.log(Math.max(1, value) / little) / Math.log(much / little);
  return Math.min(1, Math.max(0, way));
}

/** Height of a block in pixels, by its size in bytes. */
export function blockHeight(bytes: number): number {
  return Math.round(LOW_PX + (HIGH_PX - LOW_PX) * share(bytes, LITTLE_BYTES, MUCH_BYTES));
}

/** Side of a waiting transaction in pixels, by its size in bytes. */
export function transactionSide(bytes: number): number {
  return Math.round(20 + 24 * share(bytes, LITTLE_BYTES, 1_000_000));
}

/** Side of a coin in pixels, by its satoshis. */
export function coinSide(satoshis: number): number {
  return Math.round(36 + 20 * share(satoshis, 100, 100_000_000_000));
}
