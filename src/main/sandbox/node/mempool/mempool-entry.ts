import { parseTx, type Satoshis, type Tx } from '../../../../chain/index.ts';

/** A transaction that waits for a block. Its bytes alone are kept: many wait, and reading one takes a microsecond. */
export class MempoolEntry {
  readonly txid: string;
  readonly raw: Uint8Array;
  /** What it spends, as `<txid>_<vout>`. */
  readonly outpoints: readonly string[];
  readonly fee: Satoshis;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly time: number;
  /** Height of the tip when it came. */
  readonly height: number;
  /** Place in the order of mining: parents have a lower one than children. */
  readonly sequence: number;
  /** Waiting transactions in the longest line that ends with this one, itself not counted. */
  readonly ancestors: number;

  constructor(fields: Omit<MempoolEntry, 'tx'>) {
    this.txid = fields.txid;
    this.raw = fields.raw;
    this.outpoints = fields.outpoints;
    this.fee = fields.fee;
    this.time = fields.time;
    this.height = fields.height;
    this.sequence = fields.sequence;
    this.ancestors = fields.ancestors;
  }

  /** Read anew each time. */
  get tx(): Tx {
    return parseTx(this.raw, true);
  }
}
