import { z } from 'zod';
import type { Header } from '../../../api/node.ts';
import { payeeOf } from './payee.ts';

const SATOSHIS_PER_BSV = 100_000_000;
/** Blocks above this size are not read whole into the page. */
export const LARGEST_BLOCK = 8_000_000;

const outputSchema = z.object({
  /** BSV with eight decimals. */
  value: z.number(),
  n: z.number().int(),
  scriptPubKey: z
    .object({ addresses: z.array(z.string()).optional(), address: z.string().optional(), hex: z.string().optional() })
    .loose(),
});
export const decodedTxSchema = z.object({ txid: z.string(), vout: z.array(outputSchema) });
/** A block with its transactions decoded. */
export const fullBlockSchema = z.object({ tx: z.array(decodedTxSchema) });
type DecodedTx = z.infer<typeof decodedTxSchema>;

/** An output that pays an address. */
export interface Receipt {
  outpoint: string;
  txid: string;
  index: number;
  satoshis: number;
  /** Null in the mempool. */
  height: number | null;
  /** Seconds since 1970-01-01 UTC; null in the mempool. */
  time: number | null;
}

/** The outputs of a transaction that pay an address, tokens among them. */
export function receiptsOf(tx: DecodedTx, address: string, block: Pick<Header, 'height' | 'time'> | null): Receipt[] {
  const payee = payeeOf(address);
  // A node names addresses for what their key alone does not spend as well, and none for inscriptions: the script decides.
  return tx.vout
    .filter(({ scriptPubKey: { address: only, addresses, hex } }) =>
      hex === undefined || payee === undefined
        ? only === address || (addresses?.includes(address) ?? false)
        : payee.isPaidBy(hex),
    )
    .map(({ n, value }) => ({
      outpoint: `${tx.txid}_${n}`,
      txid: tx.txid,
      index: n,
      satoshis: Math.round(value * SATOSHIS_PER_BSV),
      height: block?.height ?? null,
      time: block?.time ?? null,
    }));
}
