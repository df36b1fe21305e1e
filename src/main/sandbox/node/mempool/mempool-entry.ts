import { parseTx, type Satoshis, type Tx } from '../../../../chain/index.ts';
import type { MempoolTable } from '../storage/tables.ts';

/** A mempool transaction. Only its bytes are stored, because there may be many, and parsing one takes a microsecond. */
export class MempoolEntry {
  readonly txid: string;
  readonly raw: Uint8Array;
  /** Spent outpoints as `<txid>_<vout>`. */
  readonly outpoints: readonly string[];
  readonly fee: Satoshis;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly time: number;
  /** Height of the tip at arrival. */
  readonly height: number;
  /** Mining order: parents have lower numbers than children. */
  readonly sequence: number;
  /** Length of its longest chain of unconfirmed ancestors. */
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

  /** Parsed on each access. */
  get tx(): Tx {
    return parseTx(this.raw, true);
  }
}

export function mempoolRow({ sequence, txid, raw, fee, time, height }: MempoolEntry): MempoolTable {
  return { sequence, txid, raw, fee, time, height };
}
