import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MAX_BACKUP_TEXT } from '../../../contract/index.ts';
import { openWithPassphrase, sealWithPassphrase } from '../../vault/passphrase-seal.ts';
import { WalletOfTest } from '../test-support/test-wallet.ts';
import { readBackupContent } from './backup-content.ts';
import { openBackup, WalletBackups } from './wallet-backups.ts';

const PASSPHRASE = 'correct horse';
const network = 'sandbox' as const;
const seal = { seal: sealWithPassphrase, open: openWithPassphrase };
const opened = new WalletOfTest();
let backups: WalletBackups;

const txidOf = (n: number): string => n.toString(16).padStart(64, '0');

beforeEach(() => {
  const { harness, wallet } = opened;
  const { store, secrets, clock } = harness;
  const content = () => readBackupContent({ network, store, secrets });
  backups = new WalletBackups({ network, wallet, store, clock, secrets, seal, content });
});
afterEach(async () => {
  await opened.harness.store.db.deleteFrom('wallet_labels').execute();
  await opened.harness.store.db.deleteFrom('wallet_purposes').execute();
});

async function label(count: number, text: string): Promise<void> {
  const rows = Array.from(
    { length: count },
    (_, n) => ({ network, subject: `coin:${txidOf(n)}_0`, label: text }) as const,
  );
  await opened.harness.store.db.transaction().execute(async (db) => {
    for (let at = 0; at < rows.length; at += 200)
      await db
        .insertInto('wallet_labels')
        .values(rows.slice(at, at + 200))
        .execute();
  });
}

describe('a backup file of a wallet with very many labels', () => {
  it('is read again, with the names of addresses and all labels that fit, and says how many did not', async () => {
    await label(40_000, 'a payment');
    const { db } = opened.harness.store;
    await db
      .insertInto('wallet_labels')
      .values({ network, subject: 'contact:zelda@example.com', label: 'Zelda' })
      .execute();
    const { text, labelsLeftOut } = await backups.create(PASSPHRASE);
    expect(text.length).toBeLessThanOrEqual(MAX_BACKUP_TEXT);
    const { content } = await openBackup(seal, text, PASSPHRASE);
    expect(content.labels.length + labelsLeftOut).toBe(40_001);
    expect(labelsLeftOut).toBeGreaterThan(0);
    expect(content.labels.length).toBeGreaterThan(30_000);
    expect(content.labels).toContainEqual({ account: 'main', subject: 'contact:zelda@example.com', label: 'Zelda' });
  });

  it('leaves out what the oldest transactions were for before it leaves out a label', async () => {
    await label(20_000, 'ü'.repeat(20));
    const { db } = opened.harness.store;
    const rows = Array.from({ length: 25_000 }, (_, n) => ({
      network,
      txid: txidOf(n),
      purpose: 'mint' as const,
      at: n,
    }));
    await db.transaction().execute(async (tx) => {
      for (let at = 0; at < rows.length; at += 200)
        await tx
          .insertInto('wallet_purposes')
          .values(rows.slice(at, at + 200))
          .execute();
    });
    const { text, labelsLeftOut } = await backups.create(PASSPHRASE);
    expect(labelsLeftOut).toBe(0);
    const { content } = await openBackup(seal, text, PASSPHRASE);
    expect(content.labels).toHaveLength(20_000);
    const kept = content.purposes.map(({ at }) => at);
    expect(kept.length).toBeGreaterThan(5_000);
    expect(kept.length).toBeLessThan(25_000);
    expect(Math.min(...kept)).toBe(25_000 - kept.length);
  });
});
