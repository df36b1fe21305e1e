import { bumpOfPath, parseOutpoint, serializeBeef } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import type { ChainData } from '../../ports/chain-data.ts';
import type { CoinBook } from './coin-book.ts';

/**
 * The transaction that made a coin, with its path to a block of the verified headers, as BEEF (BRC-62).
 * @throws PlanchetError `not-found` where the wallet has no such coin, or nobody tells its path; `conflict` while no block holds it; `upstream-*`
 */
export async function coinBeef(book: CoinBook, chainData: ChainData, outpoint: string): Promise<Uint8Array> {
  const coin = book.coins.get(outpoint);
  if (!coin || coin.spentBy !== null) throw new PlanchetError('wallet.coin-missing', { outpoint });
  if (coin.height === null) throw new PlanchetError('wallet.coin-not-mined', { outpoint });
  const { txid } = parseOutpoint(outpoint);
  const { value: rawTx } = await chainData.transaction(txid);
  const found = await chainData.inclusion(txid);
  if (rawTx === undefined || found.basis !== 'proven')
    throw new PlanchetError('wallet.coin-path-unknown', { outpoint });
  return serializeBeef([{ rawTx, bump: bumpOfPath(found.value.height, found.value.path) }]);
}
