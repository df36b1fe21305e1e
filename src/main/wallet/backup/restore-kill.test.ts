import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openWithPassphrase, sealWithPassphrase } from '../../vault/passphrase-seal.ts';
import { type Harness, makeHarness } from '../test-support/test-wallet.ts';
import type { Wallet } from '../wallet.ts';
import { type BackupContent, readBackupContent } from './backup-content.ts';
import { WalletBackups } from './wallet-backups.ts';

const PASSPHRASE = 'correct horse';
const network = 'test' as const;
const seal = { seal: sealWithPassphrase, open: openWithPassphrase };
const killed = new Error('the process ends here');
const kill = () => Promise.reject(killed);

let harness: Harness;
let wallet: Wallet;
let backups: WalletBackups;
let file: { text: string; passphrase: string };
let brought: BackupContent[];
const bring = async (content: BackupContent) => void brought.push(content);

/** A wallet and its backups over what is stored, as after a start of the program. */
async function start(): Promise<void> {
  wallet = await harness.open(network);
  const { store, clock, secrets } = harness;
  const content = () => readBackupContent({ network, store, secrets });
  backups = new WalletBackups({ network, wallet, store, clock, secrets, seal, content });
}

beforeEach(async () => {
  brought = [];
  harness = await makeHarness();
  await start();
  await wallet.create();
  await harness.store.db.insertInto('wallet_labels').values({ network, subject: 'mira', label: 'Mira' }).execute();
  file = { text: (await backups.create(PASSPHRASE)).text, passphrase: PASSPHRASE };
  harness.secrets.kept.clear();
  await start();
});
afterEach(() => harness.remove());

const keep = (seed: Parameters<Wallet['restoreSeed']>[0]) => wallet.restoreSeed(seed);

describe('a restore from a backup file', () => {
  it('that is killed after it kept the seed brings the rest at the next start, once', async () => {
    await expect(backups.restore(file, keep, kill)).rejects.toBe(killed);
    await start();
    expect(wallet.status().state).toBe('ready');
    await backups.finish(bring);
    await backups.finish(bring);
    expect(brought).toMatchObject([{ labels: [{ subject: 'mira', label: 'Mira' }] }]);
    expect([...harness.secrets.kept.keys()]).toEqual(['seed:test']);
  });

  it('that is killed before it kept the seed leaves nothing', async () => {
    const left = new Map<string, Uint8Array>();
    const killedInKeep = async () => {
      for (const [name, value] of harness.secrets.kept) left.set(name, value);
      throw killed;
    };
    await expect(backups.restore(file, killedInKeep, bring)).rejects.toBe(killed);
    expect([...left.keys()]).toEqual(['restore:test']);
    expect([...harness.secrets.kept.keys()]).toEqual([]);
    for (const [name, value] of left) await harness.secrets.set(name as 'restore:test', value);
    await start();
    await backups.finish(bring);
    expect(brought).toEqual([]);
    expect([...harness.secrets.kept.keys()]).toEqual([]);
  });

  it('leaves another wallet alone that was made since', async () => {
    await expect(backups.restore(file, keep, kill)).rejects.toBe(killed);
    await harness.secrets.delete('seed:test');
    await start();
    await wallet.create();
    await backups.finish(bring);
    expect(brought).toEqual([]);
    expect([...harness.secrets.kept.keys()]).toEqual(['seed:test']);
  });

  it('brings what is left when the vault is opened, where it was locked', async () => {
    await expect(backups.restore(file, keep, kill)).rejects.toBe(killed);
    harness.secrets.locked = true;
    await start();
    await backups.finish(bring);
    expect(brought).toEqual([]);
    harness.secrets.locked = false;
    await wallet.reload();
    await backups.finish(bring);
    expect(brought).toHaveLength(1);
  });

  it('is refused where there is a wallet, and leaves what an earlier one has still to bring', async () => {
    await expect(backups.restore(file, keep, kill)).rejects.toBe(killed);
    await expect(backups.restore(file, keep, bring)).rejects.toMatchObject({ code: 'wallet-exists' });
    await backups.finish(bring);
    expect(brought).toHaveLength(1);
  });
});
