import { z } from 'zod';
import { hashSchema, outpointSchema, publicKeySchema, satoshisSchema } from '../common.ts';
import { failureSchema } from '../errors/index.ts';
import { walletStatusSchema } from '../live.ts';
import { procedure } from '../procedure.ts';
import {
  addressNotesSchema,
  appPaymentResultSchema,
  broughtBackSchema,
  contactSchema,
  externalWalletKeySchema,
  MAX_BACKUP_TEXT,
  MIN_PASSPHRASE,
  walletAccountSchema,
  walletAddressSchema,
  walletBackupSchema,
  walletBalanceSchema,
  walletCoinSchema,
  walletConsolidateSchema,
  walletHistoryEntrySchema,
  walletLabelText,
  walletNoticeSchema,
  walletSendRequestSchema,
  walletSendSchema,
  walletSweepSchema,
  walletVaultSchema,
} from './wallet.ts';

const id = z.string().min(1).max(128);
const idempotencyKey = z.string().min(8).max(128);
const accountName = z.string().trim().min(1).max(64);
/** First block that can hold coins of the account. */
const birthHeight = z.number().int().min(0).default(0);
const passphrase = z.string().max(1_024);
const newPassphrase = passphrase.min(MIN_PASSPHRASE);

/** Procedures of the wallet. Seed words and keys leave only through `seed.reveal`. */
const backupFile = z.object({ text: z.string().max(MAX_BACKUP_TEXT), passphrase });

export const walletContract = {
  status: procedure.output(walletStatusSchema),
  /** @param paymail whether paymail addresses are accepted too; their existence is not checked */
  validateAddress: procedure
    .input(z.object({ address: z.string().max(128), paymail: z.boolean().default(false) }))
    .output(addressNotesSchema.extend({ valid: z.boolean(), failure: failureSchema.nullable(), own: z.boolean() })),
  balance: procedure.output(walletBalanceSchema),
  /** Creates a seed if there is none yet. */
  create: procedure
    .input(z.object({ words: z.union([z.literal(12), z.literal(15), z.literal(18), z.literal(21), z.literal(24)]) }))
    .output(walletStatusSchema),
  /** Restores a wallet from its words, if there is none yet. The passphrase is the optional one of BIP39. */
  restore: procedure
    .input(
      z.object({
        words: z.string().min(1).max(1_024),
        passphrase: passphrase.optional(),
        /** First block that can hold coins of it; without it, the complete chain is scanned. */
        birthHeight: z.number().int().min(0).optional(),
      }),
    )
    .output(walletStatusSchema),
  /** Restores a wallet from a backup file, if there is none yet, with its accounts, labels and frozen coins. */
  restoreBackup: procedure.input(backupFile).output(walletStatusSchema.extend({ broughtBack: broughtBackSchema })),
  /** Removes the keys from memory until `unlock`. */
  lock: procedure.output(walletStatusSchema),
  /** Opens the vault with its passphrase; `forJob` locks it again when no job is running any more. */
  unlock: procedure.input(z.object({ passphrase, forJob: z.boolean().default(false) })).output(walletStatusSchema),
  seed: {
    /** The words, for a person who has just given the vault's passphrase. */
    reveal: procedure.input(z.object({ passphrase })).output(z.object({ words: z.string() })),
  },
  external: {
    /** The external wallet that has the keys; null if the vault has them. */
    get: procedure.output(externalWalletKeySchema.nullable()),
    /** Accepts another wallet in place of the known one, and reads its keys. */
    accept: procedure.input(z.object({ identityKey: publicKeySchema })).output(walletStatusSchema),
  },
  /**
   * Asks a wallet app on this machine (BRC-100, at `walletUrl`) to pay an address of this wallet, and waits for its owner. The transaction that it
   * returns is verified and stored.
   */
  payFromApp: procedure
    .input(z.object({ address: z.string().max(128), satoshis: satoshisSchema.min(1) }))
    .output(appPaymentResultSchema),
  vault: {
    status: procedure.output(walletVaultSchema),
    /** Sets the vault's passphrase, after a confirmation on the desktop, or changes it. @param current required if it has one */
    changePassphrase: procedure
      .input(z.object({ current: passphrase.default(''), next: passphrase }))
      .output(walletVaultSchema),
  },
  /** The procedures below are about the active account, except `backup`, which is about the seed. */
  accounts: {
    /** The main account first. */
    list: procedure.output(z.array(walletAccountSchema)),
    /** The next account of the seed, which becomes the active one. */
    create: procedure.input(z.object({ name: accountName })).output(walletAccountSchema),
    /** An account that follows the addresses of an extended public key and cannot send. */
    watch: procedure
      .input(z.object({ name: accountName, xpub: z.string().max(256), birthHeight }))
      .output(walletAccountSchema),
    /** An account with the one private key that a WIF text or a paper wallet holds. */
    importKey: procedure
      .input(z.object({ name: accountName, wif: z.string().max(128), birthHeight }))
      .output(walletAccountSchema),
    rename: procedure.input(z.object({ id, name: accountName })).output(walletAccountSchema),
    switch: procedure.input(z.object({ id })).output(walletAccountSchema),
    /** Removes an account with its history, and an imported key with it. Its labels are kept in case it is added again. @param loses it may have money or tokens */
    remove: procedure.input(z.object({ id, loses: z.boolean().default(false) })).output(z.void()),
  },
  /** Prepares one transaction that moves everything from an account to the main one: tokens one to one, and the money after them. */
  sweep: procedure
    .input(z.object({ account: id, feeRate: walletSendRequestSchema.shape.feeRate, idempotencyKey }))
    .output(walletSweepSchema),
  addresses: {
    /** The addresses that were given out, the main one first. */
    list: procedure.output(z.array(walletAddressSchema)),
    /** A fresh address to receive at. At most 20 unused ones follow each other, so that a restore finds all. */
    next: procedure.input(z.object({ label: walletLabelText.default('') })).output(walletAddressSchema),
    label: procedure.input(z.object({ address: z.string().max(128), label: walletLabelText })).output(z.void()),
  },
  /** Names that a person gave to addresses of others, including paymail addresses. They are in the backup like labels. */
  contacts: {
    list: procedure.output(z.array(contactSchema)),
    /** An address that has a name gets the new one. Each name belongs to one address. */
    save: procedure.input(contactSchema).output(contactSchema),
    remove: procedure.input(contactSchema.pick({ address: true })).output(z.void()),
    /** Accepts a public key as the identity of a paymail address, replacing the earlier one; an empty one removes it. */
    acceptKey: procedure
      .input(z.object({ address: contactSchema.shape.address, key: z.union([publicKeySchema, z.literal('')]) }))
      .output(z.void()),
  },
  history: {
    /** Newest first. @param after txid of the last entry of the page before */
    list: procedure
      .input(z.object({ limit: z.number().int().min(1).max(1_000).default(200), after: hashSchema.optional() }))
      .output(z.object({ entries: z.array(walletHistoryEntrySchema), next: hashSchema.nullable() })),
    label: procedure.input(z.object({ txid: hashSchema, label: walletLabelText })).output(z.void()),
    /** The complete history as the text of a file; CSV has a header line. */
    export: procedure.input(z.object({ format: z.enum(['csv', 'json']) })).output(z.object({ text: z.string() })),
  },
  notices: {
    /** Reorganisations and double spends that affected transactions of the account, newest first, each once. */
    list: procedure.output(z.array(walletNoticeSchema)),
    dismiss: procedure.input(z.object({ id })).output(z.void()),
  },
  coins: {
    /** Unspent outputs, the largest first. */
    list: procedure.output(z.array(walletCoinSchema)),
    /** A frozen coin is not spent until it is unfrozen (`frozen: false`). */
    freeze: procedure
      .input(z.object({ outpoints: z.array(outpointSchema).min(1).max(500), frozen: z.boolean() }))
      .output(z.void()),
    label: procedure.input(z.object({ outpoint: outpointSchema, label: walletLabelText })).output(z.void()),
    /** The transaction of a mined coin with its path to a block, checked against the verified headers, as BEEF (BRC-62). */
    beef: procedure.input(z.object({ outpoint: outpointSchema })).output(z.instanceof(Blob)),
  },
  send: {
    /** Builds the transaction and waits for approval; its coins are reserved until then. A receiver may be a paymail address, whose host is asked for outputs. The same key returns the same payment. */
    prepare: procedure
      .input(z.object({ request: walletSendRequestSchema.omit({ paymails: true }), idempotencyKey }))
      .output(walletSendSchema),
    /** Signs and submits exactly the transaction whose review had this digest. */
    approve: procedure.input(z.object({ id, digest: hashSchema })).output(walletSendSchema),
    /** Signs no further transactions. The remaining ones wait for approval again, which continues with them, also after a restart. */
    pause: procedure.input(z.object({ id })).output(walletSendSchema),
    /** Possible until the transaction is signed. Of several, the unsigned ones are dropped, and sent ones stay sent. */
    cancel: procedure.input(z.object({ id })).output(walletSendSchema),
    /** Submits one that was refused again, exactly as it was signed. */
    retry: procedure.input(z.object({ id })).output(walletSendSchema),
    get: procedure.input(z.object({ id })).output(walletSendSchema),
    /** Newest first, at most 200. */
    list: procedure.output(z.array(walletSendSchema)),
  },
  /** Prepares a payment that combines coins into one at the main address. It is approved like any other payment. */
  consolidate: procedure.input(walletConsolidateSchema).output(walletSendSchema),
  backup: {
    status: procedure.output(walletBackupSchema),
    /**
     * The text of an encrypted backup file (scrypt and AES-256-GCM). A file has room for some 30,000 labels.
     * @returns also how many labels did not fit
     */
    create: procedure
      .input(z.object({ passphrase: newPassphrase }))
      .output(z.object({ fileName: z.string(), text: z.string(), labelsLeftOut: z.number().int() })),
    /** Checks that a backup file restores the keys of this wallet, and records that. */
    check: procedure.input(backupFile).output(walletBackupSchema),
    /**
     * Restores the accounts, labels and frozen coins in a backup file of this wallet. Existing ones are kept. @returns how many were restored
     */
    restore: procedure.input(backupFile).output(broughtBackSchema),
  },
};
