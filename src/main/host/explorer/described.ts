import { ONE_SATOSHI, readInscription, type Steps, satoshis, scanTx } from '../../../chain/index.ts';
import type { Described } from '../../../contract/index.ts';
import { inTurns } from '../../pause.ts';
import type { ChainData } from '../../ports/chain-data.ts';
import { feesOf, noneIfNoTransaction, type Spends, spentBy } from './fees.ts';

const STEP_OUTPUTS = 512;

/**
 * Figures of transactions from their own bytes, with their fees if the node knows what they spend. They are read one after the other, since each may be long; public services, which answer a few
 * questions a second, are asked about none.
 * @returns without those that are unknown or cannot be parsed
 * @throws PlanchetError `upstream-*`, `cancelled`
 */
export async function describe(chainData: ChainData, txids: readonly string[]): Promise<Described[]> {
  if (chainData.withoutLists) return [];
  const all: (Omit<Described, 'fee'> & Spends)[] = [];
  for (const txid of txids) {
    const { value: raw } = await chainData.transaction(txid);
    const figures = raw && (await inTurns(figuresOf(raw)).catch(noneIfNoTransaction));
    if (figures) all.push({ txid, ...figures });
  }
  const fees = await feesOf(chainData.alone ?? chainData, all);
  return all.map(({ spent: _, ...figures }, at) => ({ ...figures, fee: fees[at] ?? null }));
}

function* figuresOf(raw: Uint8Array): Steps<Omit<Described, 'txid' | 'fee'> & Spends> {
  const tx = yield* scanTx(raw);
  let [counted, value, tokens] = [0, 0, 0];
  for (const output of tx.outputs()) {
    value += output.satoshis;
    const isInscribed = output.satoshis === ONE_SATOSHI && readInscription(output.script) !== undefined;
    if (isInscribed) tokens += 1;
    counted += 1;
    if (isInscribed || counted % STEP_OUTPUTS === 0) yield '';
  }
  const { inputCount: inputs, outputCount: outputs } = tx;
  return { size: raw.length, inputs, outputs, value: satoshis(value), tokens, spent: spentBy(tx) };
}
