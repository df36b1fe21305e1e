import { formatOutpoint, type Outpoint, parseTx, type Tx } from '../../../../chain/index.ts';
import type { PublicIndex } from '../public-index.ts';

/** Maximum moves followed of one token. */
const MOST_MOVES = 10_000;

type Index = Pick<PublicIndex, 'node' | 'spend'>;

/** Follows a satoshi that is alone in an output back to the first output where it was alone, by the order of satoshis. @returns that one first */
export async function pathTo(index: Index, outpoint: Outpoint): Promise<[Outpoint, ...Outpoint[]]> {
  const path: [Outpoint, ...Outpoint[]] = [outpoint];
  for (let moves = 0; moves < MOST_MOVES; moves++) {
    const [at] = path;
    const tx = (await txOf(index, at.txid)) as Tx;
    let before = tx.outputs.slice(0, at.vout).reduce((sum, { satoshis }) => sum + satoshis, 0);
    let from: Outpoint | undefined;
    for (const { txid, vout } of tx.inputs) {
      const satoshis = (await txOf(index, txid))?.outputs[vout]?.satoshis ?? 0;
      if (before < satoshis) {
        if (satoshis === 1) from = { txid, vout };
        break;
      }
      before -= satoshis;
    }
    if (from === undefined) return path;
    path.unshift(from);
  }
  return path;
}

/** Follows the satoshi of an output as long as it is alone in one. @returns the outputs after the given one */
export async function pathFrom(index: Index, outpoint: Outpoint): Promise<Outpoint[]> {
  const path: Outpoint[] = [];
  for (let at = outpoint; path.length < MOST_MOVES; ) {
    const spend = await index.spend(at);
    if (spend === undefined || spend === 'unspent') break;
    const tx = (await txOf(index, spend.txid)) as Tx;
    let before = 0;
    for (const input of tx.inputs) {
      if (formatOutpoint(input) === formatOutpoint(at)) break;
      before += (await txOf(index, input.txid))?.outputs[input.vout]?.satoshis ?? 0;
    }
    const vout = tx.outputs.findIndex(({ satoshis }) => {
      before -= satoshis;
      return before < 0;
    });
    if (tx.outputs[vout]?.satoshis !== 1) break;
    at = { txid: spend.txid, vout };
    path.push(at);
  }
  return path;
}

/** A transaction that the node has. */
export async function txOf({ node }: Index, txid: string): Promise<Tx | undefined> {
  const found = await node.transaction(txid);
  return found && parseTx(found.raw, true);
}
