import type { BatchMerchant } from '../ports/merchant.ts';
import { openWithPassphrase, sealWithPassphrase } from '../vault/passphrase-seal.ts';
import { BackupDesk, openBackup, type PassphraseSeal } from '../wallet/backup/backup-desk.ts';
import { IdleLock } from '../wallet/keys/idle-lock.ts';
import { Payments } from '../wallet/sending/payments.ts';
import type { Wallet } from '../wallet/wallet.ts';
import { WalletView } from '../wallet/wallet-view.ts';
import type { NodeSystems } from './create-gateway.ts';
import { type HostOptions, type Infrastructure, loggerOf } from './infrastructure.ts';

const seal: PassphraseSeal = { seal: sealWithPassphrase, open: openWithPassphrase };

/** The seed in a backup file. @throws PlanchetError `vault-passphrase-wrong`, `invalid-input` for a damaged file */
export function readBackup(text: string, passphrase: string): ReturnType<typeof openBackup> {
  return openBackup(seal, text, passphrase);
}

/** What a person has of the wallet beside its coins. */
export interface WalletSystems {
  walletView: WalletView;
  payments: Payments;
  idleLock: IdleLock;
}

/** Builds the payments, the backups and the view of a wallet. */
export function createWalletSystems(
  { crashPoint }: Pick<HostOptions, 'crashPoint'>,
  base: Infrastructure,
  { node, tip }: NodeSystems,
  { wallet, merchant, isBusy }: { wallet: Wallet; merchant: BatchMerchant; isBusy: () => boolean },
): WalletSystems {
  const { network, store, settings, clock, vault } = base;
  const backups = new BackupDesk({ network, wallet, store, clock, seal });
  wallet.requireBefore(() => backups.requireCheck());
  const payments = new Payments({
    network,
    store,
    settings,
    wallet,
    merchant,
    node,
    tip,
    clock,
    logger: loggerOf(base, 'wallet'),
    allowed: () => backups.requireCheck(),
    ...(crashPoint ? { crashPoint } : {}),
  });
  const idleLock: IdleLock = new IdleLock({
    clock,
    settings,
    logger: loggerOf(base, 'wallet'),
    isOpen: () => wallet.status().state === 'ready',
    isBusy,
    lock: () => walletView.lock(),
  });
  const walletView = new WalletView({ network, wallet, payments, backups, store, vault, used: () => idleLock.used() });
  return { payments, walletView, idleLock };
}
