import { formatOutpoint, isDataOutput, parseBlock, toHex, txidOf } from '../../../../chain/index.ts';
import { rawBlock } from '../storage/block-bytes.ts';
import { allUtxos, blockAtHeight, tipBlock } from '../storage/chain-store.ts';
import type { NodeDb } from '../storage/tables.ts';

/** The UTXO set derived from the blocks alone, one line of text per output. */
export async function rebuildUtxoSet(db: NodeDb): Promise<string[]> {
  const set = new Map<string, string>();
  const tip = await tipBlock(db);
  // the genesis coinbase is not part of the set
  for (let height = 1; height <= (tip?.height ?? 0); height++) {
    const row = await blockAtHeight(db, height);
    const raw = row && (await rawBlock(db, row.hash));
    if (raw === undefined) throw new Error(`block ${height} is missing`);
    for (const [position, tx] of parseBlock(raw).transactions.entries()) {
      if (position > 0) {
        for (const input of tx.inputs) {
          if (!set.delete(formatOutpoint(input))) throw new Error(`block ${height} spends what is not there`);
        }
      }
      const txid = txidOf(tx);
      for (const [vout, { satoshis, script }] of tx.outputs.entries()) {
        if (isDataOutput(script)) continue;
        const outpoint = formatOutpoint({ txid, vout });
        set.set(outpoint, line(outpoint, satoshis, script, height, position === 0));
      }
    }
  }
  return [...set.values()].sort();
}

/** The UTXO set as stored, in the same form. */
export async function storedUtxoSet(db: NodeDb): Promise<string[]> {
  const lines: string[] = [];
  for await (const utxo of allUtxos(db)) {
    lines.push(line(formatOutpoint(utxo), utxo.satoshis, utxo.lockingScript, utxo.height ?? -1, utxo.coinbase));
  }
  return lines.sort();
}

function line(outpoint: string, satoshis: number, script: Uint8Array, height: number, coinbase: boolean): string {
  return [outpoint, satoshis, toHex(script), height, coinbase].join(' ');
}
