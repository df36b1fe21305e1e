import { bumpOfPath, parseOutpoint, parseTx, serializeBeef } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import type { ChainData } from '../../ports/chain-data.ts';
import type { CoinStore } from './storage/coin-store.ts';
import type { MinedTransaction } from './storage/kept-transactions.ts';

/**
 * The transaction that made a coin, with its path to a block of the verified headers, as BEEF (BRC-62).
 * @throws PlanchetError `not-found` where the wallet has no such coin, or nobody tells its path; `conflict` while no block holds it; `upstream-*`
 */
export async function coinBeef(
  coinStore: CoinStore,
  chainData: ChainData,
  keep: (mined: readonly MinedTransaction[]) => Promise<void>,
  outpoint: string,
): Promise<Uint8Array> {
  const coin = coinStore.coins.get(outpoint);
  if (!coin || coin.spentBy !== null) throw new PlanchetError('wallet.coin-missing', { outpoint });
  if (coin.height === null) throw new PlanchetError('wallet.coin-not-mined', { outpoint });
  const { txid } = parseOutpoint(outpoint);
  const { value: rawTx } = await chainData.transaction(txid);
  const found = await chainData.inclusion(txid, undefined, rawTx);
  if (rawTx === undefined || found.basis !== 'proven')
    throw new PlanchetError('wallet.coin-path-unknown', { outpoint });
  const { height, path } = found.value;
  // of a wallet of before, nothing is kept until it is asked for
  await keep([{ txid, raw: rawTx, height, path }]);
  return serializeBeef([{ rawTx, bump: bumpOfPath(height, path) }]);
}

/** Bounds of the ancestors that are handed over. A payment of many coins has as many parents. */
const MAX_DEPTH = 25;
const MAX_ANCESTORS = 2_000;

/**
 * A transaction that no block holds with what it builds on, down to transactions whose paths lead to verified headers, as BEEF (BRC-62).
 * @throws PlanchetError `not-found` where one of them is not to be had, or there are too many; `upstream-*`
 */
export async function beefOf(rawTx: Uint8Array, chainData: ChainData): Promise<Uint8Array> {
  const found = new Map<string, { rawTx: Uint8Array; bump: Uint8Array | null }>();
  const add = async (raw: Uint8Array, depth: number): Promise<void> => {
    for (const { txid } of parseTx(raw, true).inputs) {
      if (found.has(txid)) continue;
      const { value: parent } = await chainData.transaction(txid);
      if (parent === undefined || depth > MAX_DEPTH || found.size >= MAX_ANCESTORS)
        throw new PlanchetError('wallet.ancestor-missing', { txid });
      const proof = await chainData.inclusion(txid, undefined, parent);
      if (proof.basis === 'proven') {
        found.set(txid, { rawTx: parent, bump: bumpOfPath(proof.value.height, proof.value.path) });
        continue;
      }
      await add(parent, depth + 1);
      found.set(txid, { rawTx: parent, bump: null });
    }
  };
  await add(rawTx, 0);
  return serializeBeef([...found.values(), { rawTx, bump: null }]);
}
