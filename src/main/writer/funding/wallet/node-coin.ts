import { fromHex, type Outpoint, satoshis, type Utxo } from '../../../../chain/index.ts';

const SATOSHIS_A_COIN = 1e8;

/** The part of the node's answer to `gettxout` that is used; null there means that it knows no such unspent output. */
export interface NodeCoin {
  /** In whole coins, with eight decimals. */
  readonly value: number;
  readonly confirmations: number;
  readonly scriptPubKey: { readonly hex: string };
}

/** The output an answer to `gettxout` speaks of. */
export function coinOf({ txid, vout }: Outpoint, { value, scriptPubKey }: NodeCoin): Utxo {
  return {
    txid,
    vout,
    satoshis: satoshis(Math.round(value * SATOSHIS_A_COIN)),
    lockingScript: fromHex(scriptPubKey.hex),
  };
}
