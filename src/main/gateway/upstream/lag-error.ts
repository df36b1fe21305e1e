import { PlanchetError } from '../../../contract/index.ts';

/** How an upstream compares with the tip that clients have seen. */
export interface Lag {
  readonly origin: string;
  /** Height of its best block. */
  readonly height: number;
  /** Height of the tip that clients have seen. */
  readonly told: number;
  /** Whether its best block is known to be on the same chain. */
  readonly ancestor: boolean;
}

/** An upstream cannot answer because it lacks blocks that clients have already seen. This is not its fault, and another one may answer. */
export class BehindError extends PlanchetError<'upstream.behind'> {
  readonly lag: Lag;

  /** @param also why another upstream does not answer either */
  constructor(lag: Lag, also?: { message: string }) {
    const { origin, height, told } = lag;
    const blocks = told - height;
    const where = `its best block is ${height}, but clients have already seen ${told}`;
    const what =
      blocks > 0
        ? `is ${blocks} ${blocks === 1 ? 'block' : 'blocks'} behind: ${where}`
        : `is on a branch with less work: ${where}`;
    const other = also === undefined ? '' : ` Another upstream does not answer: ${also.message}`;
    super('upstream.behind', { origin, difference: what, other }, { detail: { origin, height, told, behind: blocks } });
    this.lag = lag;
  }
}
