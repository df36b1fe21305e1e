import { z } from 'zod';
import {
  hashSchema,
  networkSchema,
  outpointSchema,
  publicKeySchema,
  satoshisSchema,
  timestampSchema,
} from '../common.ts';
import { failureSchema } from '../errors/index.ts';
import { tokenJobStateSchema } from '../states/state-schemas.ts';
import { reviewSchema } from '../studio/review.ts';
import { jobActionsShape } from '../studio/studio.ts';

const address = z.string().min(1).max(128);
const labelText = z.string().max(200);

/** Characters of the plaintext of a backup file: room for more than a hundred thousand labels. */
export const MAX_BACKUP_CHARACTERS = 8_000_000;
/** Characters of a backup file: the ciphertext and its parameters. */
export const MAX_BACKUP_TEXT = MAX_BACKUP_CHARACTERS + 4_096;
/** Most receivers of one payment. */
export const MAX_RECEIVERS = 500;
/** Most characters of the address at a paymail's host to which a payment is told. */
export const MAX_PAYMAIL_URL = 2_048;

/**
 * What the wallet has, in satoshis; `tokens` is a count. Every plain coin is in exactly one of the five parts:
 * `total = spendable + elsewhere + waiting + locked + frozen`, and `total = confirmed + unconfirmed`.
 */
export const walletBalanceSchema = z.object({
  /** All plain coins. One-satoshi outputs are tokens and never count. */
  total: satoshisSchema,
  /** Coins in a block. */
  confirmed: satoshisSchema,
  /** Coins of transactions that no block holds yet. */
  unconfirmed: satoshisSchema,
  /** Free coins at the main address: they can pay for everything. */
  spendable: satoshisSchema,
  /** Free coins at further addresses: they can pay for all but mints through a token service and redeemable tokens. */
  elsewhere: satoshisSchema,
  /** Coins that cannot be spent yet: immature coinbase outputs, or outputs of transactions that may still change or disappear. */
  waiting: satoshisSchema,
  /** Reserved for jobs that are not finished. */
  locked: satoshisSchema,
  /** Frozen by a person. */
  frozen: satoshisSchema,
  /** Outputs of one satoshi. */
  tokens: z.number().int(),
});
export type WalletBalance = z.infer<typeof walletBalanceSchema>;

export const walletAddressSchema = z.object({
  address: z.string(),
  /** Last step of the derivation path; 0 is the main address. */
  index: z.number().int(),
  /** Derivation path, e.g. `m/44'/236'/0'/0/3`. */
  path: z.string(),
  label: z.string(),
  /** Whether a payment to it was seen on the chain or in the mempool. */
  used: z.boolean(),
  /** Unspent satoshis at the address. */
  satoshis: satoshisSchema,
});
export type WalletAddress = z.infer<typeof walletAddressSchema>;

export const walletCoinSchema = z.object({
  outpoint: outpointSchema,
  satoshis: satoshisSchema,
  /** `funding` can pay; `token` has one satoshi and is never selected; `other` is a script such as a contract. */
  kind: z.enum(['funding', 'token', 'other']),
  address: z.string(),
  label: z.string(),
  /** null until a block holds it. */
  height: z.number().int().nullable(),
  confirmations: z.number().int(),
  /** Which part of the balance it counts in. */
  state: z.enum(['spendable', 'elsewhere', 'waiting', 'locked', 'frozen']),
  /** Names of the sources that report it as spent although nobody has the spending transaction, and how many were asked; null if there are none. */
  dispute: z.object({ sources: z.array(z.string()).readonly(), of: z.number().int() }).nullable(),
  /** What it is reserved for; null if it is free. */
  lockedBy: z.enum(['mint', 'token', 'writer', 'send']).nullable(),
});
export type WalletCoin = z.infer<typeof walletCoinSchema>;

/** The name that a person gave to an address of somebody else. */
export const contactSchema = z.object({
  /** Of this network, or a paymail address. */
  address,
  name: z.string().trim().min(1).max(64),
});
export type Contact = z.infer<typeof contactSchema>;

/** What is known about an address, other than whether it can be paid. */
export const addressNotesSchema = z.object({
  /** Name of the contact with this address. */
  contact: z.string().nullable(),
  /** A different address of a contact or earlier receiver with the same start and end. */
  resembles: z.object({ address: z.string(), name: z.string().nullable() }).nullable(),
});
export type AddressNotes = z.infer<typeof addressNotesSchema>;

export const walletPurposes = ['received', 'sent', 'mint', 'token', 'writer', 'moved'] as const;
/** `double-spent`: another transaction spent the same coins. `dropped`: the node has not known it for a while. */
export const walletHistoryStates = ['confirmed', 'unconfirmed', 'double-spent', 'dropped'] as const;
export const walletHistoryEntrySchema = z.object({
  txid: hashSchema,
  /** Time of its block, or when it was first seen. */
  at: timestampSchema,
  height: z.number().int().nullable(),
  /** Its effect on the plain coins, or what it would have been: positive in, negative out, including the fee. */
  amount: z.number().int(),
  /** Known if every input was the wallet's. */
  fee: satoshisSchema.nullable(),
  /** Total of the plain coins after this transaction. */
  balance: z.number().int(),
  /** Tokens received minus tokens sent. */
  tokens: z.number().int(),
  purpose: z.enum(walletPurposes),
  label: z.string(),
  /** Names of the contacts that it paid. */
  contacts: z.array(z.string()),
  /** Lost ones (`double-spent`, `dropped`) change no balance. */
  state: z.enum(walletHistoryStates),
  /** Names of the operators that report it while no block holds it; undefined if a node does, or if the wallet knows it otherwise. */
  toldBy: z.array(z.string()).optional(),
});
export type WalletHistoryEntry = z.infer<typeof walletHistoryEntrySchema>;

/** A payment that a wallet app on this machine made. */
export const appPaymentResultSchema = z.object({
  txid: hashSchema,
  satoshis: satoshisSchema,
  /** Who sent it to the network: the app, or Planchet through the miners. `nobody`: no miner could be reached, and the app may have sent it. */
  sentBy: z.enum(['app', 'miners', 'nobody']),
});
export type AppPaymentResult = z.infer<typeof appPaymentResultSchema>;

/** Receivers of one paymail address, as its host chose them. */
export const paymailReceiverSchema = z.object({
  /** `name@host` */
  paymail: address,
  satoshis: satoshisSchema,
  /** The number of its receivers in `to`. */
  first: z.number().int().min(0),
  count: z.number().int().min(1),
  /** The host's reference of the payment. */
  reference: z.string().max(256),
  /** Where the transaction is sent to the host, and in which form. */
  url: z.string().max(MAX_PAYMAIL_URL),
  form: z.enum(['raw', 'beef']),
  /** The identity key of the address according to its host, hex; undefined if the host names none. */
  key: publicKeySchema.optional(),
});
export type PaymailReceiver = z.infer<typeof paymailReceiverSchema>;

/** A token that is moved whole, and who gets it. */
export const tokenMoveSchema = z.object({ outpoint: outpointSchema, address });
export type TokenMove = z.infer<typeof tokenMoveSchema>;

export const walletSendRequestSchema = z.object({
  /** A token that is moved completely: the one receiver gets all of its satoshis. Prepared by `tokens.send.prepare`. */
  token: outpointSchema.optional(),
  /** Tokens that are moved completely in addition to the money, each to the receiver at its index. Prepared by `tokens.sendMany.prepare` and `wallet.sweep`. */
  tokens: z.array(outpointSchema).min(1).max(400).optional(),
  /** Receivers with amounts; the last may take the remainder instead (`satoshis: 'all'`). */
  to: z
    .array(z.object({ address, satoshis: z.union([satoshisSchema.min(1), z.literal('all')]) }))
    .min(1)
    .max(MAX_RECEIVERS),
  /** Satoshis per 1,000 bytes; without it, the miner's quote. */
  feeRate: z.number().int().min(1).max(100_000_000).optional(),
  /** Exactly these coins; without them, coins are chosen. */
  coins: z.array(outpointSchema).min(1).max(500).optional(),
  /**
   * Id of a refused payment to replace, if it pays other addresses. One that pays the same address, or moves the same
   * token, is replaced in any case.
   */
  replaces: z.string().max(64).optional(),
  label: labelText.optional(),
  /** The requested paymail addresses, with the outputs of their hosts; `to` holds those instead. Written when it is prepared. */
  paymails: z.array(paymailReceiverSchema).max(MAX_RECEIVERS).optional(),
});

/** The receivers as requested, including paymail addresses. */
export function askedReceivers({ to, paymails = [] }: WalletSendRequest): WalletSendRequest['to'] {
  const chosen = new Map(paymails.map((one) => [one.first, one]));
  const asked: WalletSendRequest['to'] = [];
  for (let index = 0; index < to.length; ) {
    const { paymail, satoshis, count } = chosen.get(index) ?? {};
    const receiver = to[index];
    if (paymail !== undefined && satoshis !== undefined) asked.push({ address: paymail, satoshis });
    else if (receiver !== undefined) asked.push(receiver);
    index += count ?? 1;
  }
  return asked;
}

/** A request as made, before the hosts of paymail addresses chose outputs. */
export function askedRequest(request: WalletSendRequest): WalletSendRequest {
  const { paymails: _, ...asked } = request;
  return { ...asked, to: askedReceivers(request) };
}
export type WalletSendRequest = z.infer<typeof walletSendRequestSchema>;

/** The tokens that a request moves, each with its receiver. */
export function tokenMovesOf({
  token,
  tokens = token === undefined ? [] : [token],
  to,
}: Pick<WalletSendRequest, 'token' | 'tokens' | 'to'>): TokenMove[] {
  return tokens.map((outpoint, index) => ({ outpoint, address: to[index]?.address ?? '' }));
}

/** One payment of the wallet, from its review to its block. Its states are `tokenJobStates`. */
export const walletSendSchema = z.object({
  id: z.string(),
  request: walletSendRequestSchema,
  state: tokenJobStateSchema,
  awaitingApproval: z.boolean(),
  ...jobActionsShape,
  /** True while its transactions are being signed one by one: it can be paused after the current one. */
  canPause: z.boolean(),
  /** True while a step is running or will be retried automatically. */
  active: z.boolean(),
  failure: failureSchema.nullable(),
  review: reviewSchema,
  /** Paymail addresses whose hosts did not receive it, why, and whether Planchet has given up; undefined if there are none. */
  untold: z.array(z.object({ paymail: z.string(), failure: failureSchema.nullable(), isOver: z.boolean() })).optional(),
  txid: hashSchema.nullable(),
  blockHash: hashSchema.nullable(),
  blockHeight: z.number().int().nullable(),
  /** All of its transactions, if one cannot take all coins. They are approved together; `review` covers all of them, `txid` is that of the first. */
  transactions: z
    .array(
      z.object({
        txid: hashSchema.nullable(),
        state: tokenJobStateSchema,
        fee: satoshisSchema,
        /** The tokens that it moves, in the order of its first outputs. */
        moves: z.array(tokenMoveSchema),
      }),
    )
    .optional(),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
});
export type WalletSend = z.infer<typeof walletSendSchema>;

/** A token that a payment sent, and its state. */
export interface SentToken extends TokenMove {
  readonly state: WalletSend['state'];
  /** Null until it is signed. */
  readonly txid: string | null;
  /** Where the token is after it. */
  readonly sentTo: string | null;
}

/** Every token that a payment moves, with the transaction that does it. */
export function sentTokens({
  request,
  txid,
  state,
  transactions = [{ txid, state, moves: tokenMovesOf(request) }],
}: Pick<WalletSend, 'request' | 'txid' | 'state'> & {
  readonly transactions?:
    | readonly Pick<NonNullable<WalletSend['transactions']>[number], 'txid' | 'state' | 'moves'>[]
    | undefined;
}): SentToken[] {
  return transactions.flatMap((one) =>
    one.moves.map((move, index) => ({
      ...move,
      state: one.state,
      txid: one.txid,
      sentTo: one.txid === null ? null : `${one.txid}_${index}`,
    })),
  );
}

export const walletConsolidateSchema = z.object({
  /** Coins above this are not moved, unless they are at a further address; without it, every free coin is moved. */
  below: satoshisSchema.min(2).optional(),
  feeRate: walletSendRequestSchema.shape.feeRate,
  idempotencyKey: z.string().min(8).max(128),
});
export type WalletConsolidate = z.infer<typeof walletConsolidateSchema>;

/** An account of the wallet, with keys, coins and a history of its own. */
export const walletAccountSchema = z.object({
  /** `main`, the number of an account of the seed, or an id. */
  id: z.string(),
  /** Empty until a person names it. */
  name: z.string(),
  /** The source of its keys: the seed, an extended public key, one imported private key, or an external wallet. */
  kind: z.enum(['seed', 'watch', 'key', 'external']),
  /** Whether the procedures of the wallet are about this account now. */
  active: z.boolean(),
  /** Mints, tokens and documents are paid from the main account, whichever is active. */
  main: z.boolean(),
  state: z.enum(['missing', 'locked', 'ready']),
  canSend: z.boolean(),
  /** Null while the account is locked. */
  address: z.string().nullable(),
  /** All of its money, in satoshis. */
  total: satoshisSchema,
  tokens: z.number().int(),
  /** The block up to which the chain was searched for its coins; null before the first. */
  height: z.number().int().nullable(),
  /** Whether that is behind the tip. */
  searching: z.boolean(),
  /** Progress of looking up the transactions that public services listed; null if there are none. */
  reading: z
    .object({
      done: z.number().int(),
      total: z.number().int(),
      /** Estimated remaining milliseconds; null before the first was looked up. */
      leftMs: z.number().int().nullable(),
    })
    .nullable(),
});
export type WalletAccount = z.infer<typeof walletAccountSchema>;

export const walletSweepSchema = z.object({
  /** The payment to the main account, which waits for approval. */
  send: walletSendSchema,
  /**
   * What is not moved, and why: a contract or a redeemable token, more than one sweep takes, an unconfirmed token that could not be
   * verified, or a coin that costs more to spend than its value. Money for the fees of moving the rest stays too.
   */
  left: z.array(
    z.object({
      outpoint: outpointSchema,
      satoshis: satoshisSchema,
      reason: z.enum(['contract', 'too-many', 'unproven', 'dust']),
    }),
  ),
});
export type WalletSweep = z.infer<typeof walletSweepSchema>;

/** An event that affected transactions of the wallet. */
export const walletNoticeSchema = z.object({
  id: z.string(),
  kind: z.enum(['reorganised', 'double-spent', 'dropped', 'too-long']),
  at: timestampSchema,
  /** Transactions of the wallet that it touched. */
  txids: z.array(hashSchema),
  /** `reorganised`: the last block that stayed; `too-long`: the block that holds it. */
  height: z.number().int().nullable(),
});
export type WalletNotice = z.infer<typeof walletNoticeSchema>;

export const walletBackupSchema = z.object({
  network: networkSchema,
  /** When a backup file was last checked to restore the same keys; null if never. */
  checkedAt: timestampSchema.nullable(),
  /** Whether sending and minting require that check: on a network with real money. */
  required: z.boolean(),
});
export type WalletBackup = z.infer<typeof walletBackupSchema>;

/** Numbers of what was restored from a backup file. */
export const broughtBackSchema = z.object({
  accounts: z.number().int(),
  labels: z.number().int(),
  frozen: z.number().int(),
});
export type BroughtBack = z.infer<typeof broughtBackSchema>;

/** Minimum length of a new passphrase. */
export const MIN_PASSPHRASE = 8;

/** The known state of the external wallet that signs. */
export const externalWalletKeySchema = z.object({
  url: z.string(),
  /** Null before its first answer. */
  identityKey: publicKeySchema.nullable(),
  /** When this key was first seen or accepted. */
  since: timestampSchema.nullable(),
  /** Why the wallet that replied last is not used: it has another key. */
  refused: failureSchema.nullable(),
});
export type ExternalWalletKey = z.infer<typeof externalWalletKeySchema>;

/** How the vault of real networks is opened; neither if nothing was stored yet, and on the sandbox. */
export const walletVaultSchema = z.object({
  keychain: z.boolean(),
  passphrase: z.boolean(),
  /** Nothing was stored yet, and the program has neither the keychain nor a passphrase: a person has to set one first. */
  needsPassphrase: z.boolean(),
});
export type WalletVault = z.infer<typeof walletVaultSchema>;

export const walletLabelText = labelText;
