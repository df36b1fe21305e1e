import { createProofVerifier } from '../chain-data/headers/proof-verifier.ts';
import type { BatchMerchant } from '../ports/merchant/merchant.ts';
import type { TransactionTracker } from '../ports/merchant/transactions.ts';
import { passphraseSeal } from '../vault/passphrase-seal.ts';
import { Accounts } from '../wallet/accounts/accounts.ts';
import { readBackupContent } from '../wallet/backup/backup-content.ts';
import { WalletBackups } from '../wallet/backup/wallet-backups.ts';
import { findKept } from '../wallet/coins/storage/kept-transactions.ts';
import { Contacts } from '../wallet/contacts/contacts.ts';
import { AppPayments } from '../wallet/external/app-payments.ts';
import { ExternalKeys } from '../wallet/external/external-keys.ts';
import { KnownWallet } from '../wallet/external/known-wallet.ts';
import { IdleLock } from '../wallet/keys/idle-lock.ts';
import { Paymails } from '../wallet/paymail/paymails.ts';
import { Payments } from '../wallet/sending/payments.ts';
import { OwnSigner } from '../wallet/sending/signer.ts';
import { Wallet } from '../wallet/wallet.ts';
import type { WalletOptions } from '../wallet/wallet-options.ts';
import { WalletView } from '../wallet/wallet-view.ts';
import type { NodeSystems } from './create-gateway.ts';
import { type HostOptions, type Infrastructure, loggerOf } from './infrastructure.ts';

/** What is built around the wallet for a person. */
export interface WalletSystems {
  walletView: WalletView;
  accounts: Accounts;
  payments: Payments;
  idleLock: IdleLock;
}

interface WalletNeeds {
  wallet: Wallet;
  merchant: BatchMerchant;
  tracker: TransactionTracker;
  isBusy: () => boolean;
}

/**
 * Opens the main account of the wallet. A wallet outside this process that does not answer, or is another one than before, leaves it
 * locked until it is unlocked.
 * @throws PlanchetError if the vault or the store cannot be read
 */
export async function openWallet(
  { makesWallet = true }: Pick<HostOptions, 'makesWallet'>,
  base: Infrastructure,
  node: NodeSystems,
): Promise<Wallet> {
  const { network, settings, store: kept } = base;
  node.kept.push(findKept({ network, store: kept }));
  const { walletSigner, walletUrl: url } = settings.current();
  const options = walletOptions(base, node);
  if (walletSigner === 'own') return Wallet.open({ ...options, secrets: base.vault }, makesWallet);
  // with its library, which takes 10 MB, only for those who use it
  const { ExternalWallet } = await import('../wallet/external/external-wallet.ts');
  const { store, clock, notices } = base;
  const logger = loggerOf(base, 'wallet');
  const signer = new ExternalWallet(url, await KnownWallet.open({ network, store, clock, notices, logger, url }));
  const keys = new ExternalKeys({ network, wallet: signer, url, birthHeight: 0 });
  await keys.prepare(0).catch((error: unknown) => logger.warn({ err: error }, 'the wallet that signs is not used'));
  return Wallet.openWith({ ...options, signer, scope: `${network}/external` }, keys);
}

/** Checks scripts of transactions that others made, in a thread. */
function scriptsOf({ workers }: Infrastructure): WalletOptions['scripts'] {
  return (tx, spent) => workers.verifyInputs(tx, spent);
}

function walletOptions(base: Infrastructure, { chainData, headers, tips }: NodeSystems): WalletOptions {
  const { network, store, settings, events, notices, clock } = base;
  const signer = new OwnSigner((jobs) => base.workers.signBatch(jobs));
  const scripts = scriptsOf(base);
  const logger = loggerOf(base, 'wallet');
  return { network, store, settings, chainData, headers, tips, events, notices, clock, signer, scripts, logger };
}

/** Builds the accounts, the payments, the backups and the view of a wallet. */
export async function createWalletSystems(
  { crashPoint }: Pick<HostOptions, 'crashPoint'>,
  base: Infrastructure,
  systems: NodeSystems,
  { wallet, merchant, tracker, isBusy }: WalletNeeds,
): Promise<WalletSystems> {
  const { network, store, settings, clock, vault } = base;
  const { chainData, headers, tips } = systems;
  const backups = new WalletBackups({
    network,
    wallet,
    store,
    clock,
    secrets: vault,
    seal: passphraseSeal,
    content: () => readBackupContent({ network, store, secrets: vault }),
  });
  wallet.requireBefore(() => backups.requireCheck());
  const paymails = new Paymails({ network, outbound: base.outbound, chainData });
  base.disposables.add(() => paymails.close());
  const isOwn = (address: string): boolean =>
    accounts.all.some((account) => account.wallet.validateAddress(address).own);
  const contacts = new Contacts({ network, store, isOwn });
  const paymentsOf = (of: Wallet): Payments =>
    new Payments({
      network,
      store,
      settings,
      wallet: of,
      merchant,
      chainData,
      tracker,
      clock,
      logger: loggerOf(base, 'wallet'),
      paymails,
      contacts,
      allowed: () => backups.requireCheck(),
      all: () => accounts.all.map((account) => account.payments),
      ...(crashPoint ? { crashPoint } : {}),
    });
  const payments = paymentsOf(wallet);
  const accounts: Accounts = await Accounts.open({
    network,
    store,
    secrets: vault,
    clock,
    tip: tips,
    main: { kind: wallet.hasSeed ? 'seed' : 'external', wallet, payments },
    open: async (keys, scope) => {
      const further = await Wallet.openWith(
        { ...walletOptions(base, systems), scope, published: () => wallet.changed() },
        keys,
      );
      further.requireBefore(() => backups.requireCheck());
      return { wallet: further, payments: paymentsOf(further) };
    },
  });
  const idleLock: IdleLock = new IdleLock({
    clock,
    settings,
    logger: loggerOf(base, 'wallet'),
    isOpen: () => wallet.status().state === 'ready',
    isBusy,
    lock: () => walletView.lock(),
  });
  const appPayments = new AppPayments({
    network,
    accounts,
    chainData,
    proofs: createProofVerifier(headers),
    scripts: scriptsOf(base),
    merchant,
    clock,
    logger: loggerOf(base, 'wallet'),
    url: () => settings.current().walletUrl,
  });
  const walletView = new WalletView({
    accounts,
    appPayments,
    network,
    backups,
    contacts,
    store,
    vault,
    external: wallet.keys instanceof ExternalKeys ? wallet.keys.known : undefined,
    logger: loggerOf(base, 'wallet'),
    used: () => idleLock.used(),
    forJob: () => idleLock.forJob(),
  });
  return { payments, accounts, walletView, idleLock };
}
