import { bumpOfPath, type MerklePath } from '../../../../chain/index.ts';
import type { Network } from '../../../../contract/index.ts';
import { chunks } from '../../../chunks.ts';
import type { FindKept } from '../../../ports/chain-data.ts';
import type { Store } from '../../../ports/store.ts';
import type { WalletTables } from '../../tables.ts';

/** Longer ones are kept by their path alone: the picture of a token is a file already. */
const MAX_BYTES = 1_000_000;

/** A statement has room for so many values, and is a commit, which waits for the disk. */
const ROWS_AT_ONCE = 1_000;

/** A transaction of the wallet that a block holds. */
export interface MinedTransaction {
  readonly txid: string;
  /** Undefined where the path alone is known. */
  readonly raw: Uint8Array | undefined;
  readonly height: number;
  readonly path: MerklePath;
}

type Where = { readonly network: Network; readonly store: Pick<Store<WalletTables>, 'db'> };

/** Keeps transactions with their paths, so that their coins are shown, exported and spent while nobody answers. @throws PlanchetError `store-failed`, `disk-full` */
export async function keepTransactions({ network, store }: Where, mined: readonly MinedTransaction[]): Promise<void> {
  if (mined.length === 0) return;
  const rows = mined.map(({ txid, raw, height, path }) => ({
    network,
    txid,
    raw_tx: raw === undefined || raw.length > MAX_BYTES ? null : raw,
    bump: bumpOfPath(height, path),
  }));
  for (const some of chunks(rows, ROWS_AT_ONCE)) {
    await store.db
      .insertInto('wallet_kept_transactions')
      .values(some)
      .onConflict((conflict) =>
        conflict.columns(['network', 'txid']).doUpdateSet(({ fn, ref }) => ({
          raw_tx: fn.coalesce('excluded.raw_tx', 'wallet_kept_transactions.raw_tx'),
          bump: ref('excluded.bump'),
        })),
      )
      .execute();
  }
}

export function findKept({ network, store }: Where): FindKept {
  return async (txid) => {
    const rows = store.db.selectFrom('wallet_kept_transactions').select(['raw_tx as rawTx', 'bump']);
    return rows.where('network', '=', network).where('txid', '=', txid).executeTakeFirst();
  };
}
