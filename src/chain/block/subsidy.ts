import { type Satoshis, satoshis } from '../transaction/amount.ts';

const FIRST_SUBSIDY = 50 * 100_000_000;
/** The main network's rule. A node's regression-test network halves every 150 blocks. */
const HALVING_INTERVAL = 210_000;
/** After so many, nothing is left. */
const HALVINGS = 53;

/** The amount that the coinbase of a block may create in addition to the fees. */
export function subsidyAt(height: number): Satoshis {
  const halvings = Math.floor(height / HALVING_INTERVAL);
  return satoshis(halvings >= HALVINGS ? 0 : Math.floor(FIRST_SUBSIDY / 2 ** halvings));
}
