import type { Kysely } from 'kysely';
import { z } from 'zod';
import { formatOutpoint } from '../../../chain/index.ts';
import { hashSchema, type Network, outpointSchema } from '../../../contract/index.ts';
import type { SecretStore } from '../../ports/secrets.ts';
import type { Store } from '../../ports/store.ts';
import { AccountRows, MAIN } from '../accounts/account-rows.ts';
import { readPurposes, restorePurposes } from '../coins/purposes.ts';
import { highestChange, highestUsed, readUsedKeys } from '../coins/storage/used-keys.ts';
import { isContact, nameOf } from '../contacts/contacts.ts';
import { lastIssued } from '../keys/issued-addresses.ts';
import { CHANGE_INDEX } from '../keys/wallet-key.ts';
import type { WalletTables } from '../tables.ts';

/** Purposes in a backup: about three megabytes. */
const MOST_PURPOSES = 25_000;

const indexSchema = z.number().int().min(0).max(CHANGE_INDEX);

/** What a backup holds beside the seed: the words do not bring it back. */
export const backupContentSchema = z.object({
  accounts: z.array(
    z.object({
      id: z.string().max(128),
      kind: z.enum(['seed', 'watch', 'key']),
      name: z.string().max(64),
      account: z.number().int().nullable(),
      xpub: z.string().max(256).nullable(),
      birthHeight: z.number().int().nullable(),
      createdAt: z.number(),
      wif: z.string().max(128).nullable(),
    }),
  ),
  /** Labels were those of an account once; what an earlier version reads still names one. */
  labels: z.array(z.object({ account: z.string().max(128), subject: z.string(), label: z.string() })),
  /** What the newest transactions were for. Earlier versions wrote none. */
  purposes: z
    .array(z.object({ purpose: z.enum(['mint', 'token', 'writer']), at: z.number(), txid: hashSchema }))
    .default([]),
  /** Outpoints that a person set aside, `<txid>_<vout>`, of whatever account. Earlier versions wrote none. */
  frozen: z.array(outpointSchema).default([]),
  /** Highest index of each account that was given out or paid, and of its addresses for change. Earlier versions did not write it. */
  highest: z.array(z.object({ account: z.string().max(128), index: indexSchema, change: indexSchema })).default([]),
});
export type BackupContent = z.infer<typeof backupContentSchema>;
export type BackedUpAccount = BackupContent['accounts'][number];

interface BackupContentOptions {
  network: Network;
  store: Store<WalletTables>;
  secrets: Pick<SecretStore, 'get'>;
}

/** The accounts, labels, purposes and frozen coins as they are now. @throws PlanchetError `vault-locked` where an imported key is among them */
export async function readBackupContent({ network, store, secrets }: BackupContentOptions): Promise<BackupContent> {
  const rows = await new AccountRows(store.db, network).all();
  const accounts = rows.map(({ id, kind, name, account, xpub, birth_height, created_at }): BackedUpAccount => {
    const key = kind === 'key' ? secrets.get(`key:${network}:${id}`) : undefined;
    return {
      id,
      kind,
      name,
      account: account === null ? null : Number(account),
      xpub,
      birthHeight: birth_height === null ? null : Number(birth_height),
      createdAt: Number(created_at),
      wif: key === undefined ? null : Buffer.from(key).toString('utf8'),
    };
  });
  const stored = await store.db.selectFrom('wallet_labels').selectAll().where('network', '=', network).execute();
  const labels = stored.map(({ subject, label }) => ({ account: MAIN, subject, label }));
  const kept = await readPurposes(store.db, network, MOST_PURPOSES);
  const purposes = [...kept].map(([txid, { purpose, at }]) => ({ purpose, at, txid }));
  const highest: BackupContent['highest'] = [];
  for (const account of new Set([MAIN, ...rows.map(({ id }) => id)])) {
    const to = await highestOf(store.db, account === MAIN ? network : `${network}/${account}`);
    if (to !== undefined) highest.push({ account, ...to });
  }
  const frozen = await store.db.selectFrom('wallet_freezes').selectAll().where('network', '=', network).execute();
  const outpoints = frozen.map(({ txid, vout }) => formatOutpoint({ txid, vout: Number(vout) }));
  return { accounts, labels, purposes, frozen: outpoints, highest };
}

/** @param scope names the rows of the account */
async function highestOf(db: Kysely<WalletTables>, scope: string) {
  const state = await db.selectFrom('wallet_state').select('owner').where('network', '=', scope).executeTakeFirst();
  if (state === undefined) return undefined;
  const used = await readUsedKeys(db, scope, state.owner);
  const index = Math.max(await lastIssued(db, scope, state.owner), highestUsed(used));
  return { index, change: highestChange(used) };
}

/**
 * Writes labels and purposes that are not there. A label that was given since the backup stays, and so does the one address of a name.
 * @returns how many labels
 */
export async function restoreWords(
  { network, store }: Pick<BackupContentOptions, 'network' | 'store'>,
  { labels, purposes }: Pick<BackupContent, 'labels' | 'purposes'>,
): Promise<number> {
  return store.db.transaction().execute(async (db) => {
    await restorePurposes(db, network, purposes);
    const known = await db.selectFrom('wallet_labels').selectAll().where('network', '=', network).execute();
    const named = new Map(known.filter(isContact).map(({ subject, label }) => [nameOf(label), subject]));
    let written = 0;
    for (const { subject, label } of labels) {
      if (isContact({ subject }) && (named.get(nameOf(label)) ?? subject) !== subject) continue;
      const row = db.insertInto('wallet_labels').values({ network, subject, label });
      const fresh = row.onConflict((conflict) => conflict.columns(['network', 'subject']).doNothing());
      const result = await fresh.executeTakeFirst();
      written += Number(result.numInsertedOrUpdatedRows ?? 0);
    }
    return written;
  });
}
