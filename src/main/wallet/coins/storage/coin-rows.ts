import type { Insertable, Kysely, Selectable } from 'kysely';
import { formatOutpoint, fromHex, satoshis, toHex } from '../../../../chain/index.ts';
import type { WalletTables } from '../../tables.ts';
import { keptScript } from '../long-scripts.ts';
import type { Coin, Pending, WalletState } from './coin-edit.ts';

/** The coins of a wallet by their outpoint. */
export async function readCoins(db: Kysely<WalletTables>, scope: string): Promise<Map<string, Coin>> {
  const rows = await db.selectFrom('wallet_coins').selectAll().where('network', '=', scope).execute();
  const coins = rows.map(
    (row): Coin => ({
      txid: row.txid,
      vout: Number(row.vout),
      satoshis: satoshis(Number(row.satoshis)),
      ...(row.script_hash === null
        ? keptScript(fromHex(row.script))
        : { lockingScript: fromHex(row.script), scriptHash: row.script_hash }),
      kind: row.kind,
      keyIndex: Number(row.key_index),
      coinbase: Number(row.coinbase) === 1,
      height: numberOrNull(row.height),
      spentBy: row.spent_by,
      spentHeight: numberOrNull(row.spent_height),
    }),
  );
  return new Map(coins.map((coin) => [formatOutpoint(coin), coin]));
}

/** Unconfirmed transactions by id. */
export async function readPending(db: Kysely<WalletTables>, scope: string): Promise<Map<string, Pending>> {
  const rows = await db.selectFrom('wallet_pending').selectAll().where('network', '=', scope).execute();
  return new Map(
    rows.map((row) => [
      row.txid,
      {
        since: Number(row.since),
        missingSince: numberOrNull(row.missing_since),
        malleable: Number(row.malleable) === 1,
        unproven: Number(row.unproven) === 1,
      },
    ]),
  );
}

/** A coin as the store has it, the other way round than {@link readCoins}. */
export function coinRow(scope: string, coin: Coin): Insertable<WalletTables['wallet_coins']> {
  return {
    network: scope,
    txid: coin.txid,
    vout: coin.vout,
    satoshis: coin.satoshis,
    script: toHex(coin.lockingScript),
    script_hash: coin.scriptHash,
    kind: coin.kind,
    key_index: coin.keyIndex,
    coinbase: coin.coinbase ? 1 : 0,
    height: coin.height,
    spent_by: coin.spentBy,
    spent_height: coin.spentHeight,
  };
}

export function stateOf(row: Selectable<WalletTables['wallet_state']>): WalletState {
  return {
    owner: row.owner,
    keyIndex: Number(row.key_index),
    keys: row.keys,
    birthHeight: numberOrNull(row.birth_height),
    searchedTo: numberOrNull(row.searched_to),
  };
}

export function stateRow(scope: string, state: WalletState): Insertable<WalletTables['wallet_state']> {
  return {
    network: scope,
    owner: state.owner,
    key_index: state.keyIndex,
    keys: state.keys,
    birth_height: state.birthHeight,
    searched_to: state.searchedTo,
  };
}

function numberOrNull(value: number | null): number | null {
  return value === null ? null : Number(value);
}
