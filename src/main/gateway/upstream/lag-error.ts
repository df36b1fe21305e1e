import { PlanchetError } from '../../../contract/index.ts';

/** How an upstream stands to the tip that was told. */
export interface Lag {
  readonly origin: string;
  /** Of its best block. */
  readonly height: number;
  /** Of the tip that was told. */
  readonly told: number;
  /** Whether its best block is known to be part of the chain that was told. */
  readonly ancestor: boolean;
}

/** An upstream that lacks blocks which were told already cannot give an answer. It is not to blame, and another may. */
export class BehindError extends PlanchetError<'upstream.behind'> {
  readonly lag: Lag;

  /** @param also why another upstream does not answer */
  constructor(lag: Lag, also?: { message: string }) {
    const { origin, height, told } = lag;
    const blocks = told - height;
    const where = `its best block is ${height}, and ${told} was told before`;
    const what =
      blocks > 0
        ? `is ${blocks} ${blocks === 1 ? 'block' : 'blocks'} behind: ${where}`
        : `is on a branch with less work: ${where}`;
    const other = also === undefined ? '' : ` Another upstream does not answer: ${also.message}`;
    super('upstream.behind', { origin, difference: what, other }, { detail: { origin, height, told, behind: blocks } });
    this.lag = lag;
  }
}
