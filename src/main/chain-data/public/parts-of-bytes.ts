import { formatOutpoint, type Outpoint, scanSingleTx, type TxOutput } from '../../../chain/index.ts';
import { inTurns } from '../../pause.ts';

export async function scriptsOf(raw: Uint8Array): Promise<Uint8Array[]> {
  const tx = await inTurns(scanSingleTx(raw));
  return [...tx.outputs()].map(({ script }) => script);
}

/** @returns undefined where it has no such output */
export async function outputOf(raw: Uint8Array, vout: number): Promise<TxOutput | undefined> {
  return (await inTurns(scanSingleTx(raw))).output(vout);
}

export async function spends(raw: Uint8Array, outpoint: Outpoint): Promise<boolean> {
  const wanted = formatOutpoint(outpoint);
  for (const input of (await inTurns(scanSingleTx(raw))).inputs()) if (formatOutpoint(input) === wanted) return true;
  return false;
}
