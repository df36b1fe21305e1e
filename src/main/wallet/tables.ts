import type { Network } from '../../contract/index.ts';
import type { JobRow } from '../transaction-jobs/job-row.ts';
import type { CoinNotice } from './coins/storage/coin-edit.ts';

/** Numbers that PostgreSQL returns as text; read them with `Number()`. */
type BigInteger = number;

/** Whose rows these are: `<network>` for the main account, `<network>/<id of the account>` for another one. */
type Scope = string;

export function networkOf(scope: Scope): Network {
  return scope.split('/', 1)[0] as Network;
}

/** Tables of the wallet. Every row belongs to one account of one network, so one database serves all of them. */
export interface WalletTables {
  wallet_coins: {
    network: Scope;
    txid: string;
    vout: number;
    satoshis: BigInteger;
    /** Locking script, hex; of a long inscription only the lock. */
    script: string;
    /** SHA-256 (hex) of the whole script where `script` is the lock alone. */
    script_hash: string | null;
    kind: 'funding' | 'token' | 'other';
    key_index: number;
    /** 0 or 1: SQLite has no boolean. */
    coinbase: number;
    /** Height of the block that holds the transaction; null while none does. */
    height: number | null;
    spent_by: string | null;
    spent_height: number | null;
  };
  /** The newest scanned blocks, to notice when the chain behind the node changed. */
  wallet_blocks: { network: Scope; height: number; hash: string };
  wallet_reservations: { network: Scope; txid: string; vout: number; owner: string };
  /** Outputs that a person set aside, of whatever account and whether the wallet sees them now or not. Only a person lifts this. */
  wallet_freezes: { network: Network; txid: string; vout: number };
  /**
   * Signed transactions that left this process: see `SignedSpend`. They outlive the coins, which may be read again. `inputs` is the JSON of a
   * list of outpoints.
   */
  wallet_signed: { network: Scope; txid: string; owner: string; inputs: string };
  /** Coins that somebody says are spent, by what nobody has. `sources` is the JSON of a list of names. */
  wallet_disputes: { network: Scope; txid: string; vout: number; sources: string; asked: number };
  /** Transactions of the wallet that no block holds yet. */
  wallet_pending: {
    network: Scope;
    txid: string;
    since: BigInteger;
    missing_since: BigInteger | null;
    /** 1 where its id can still be changed by others. */
    malleable: number;
    /** 1 where others made it and not all that it builds on is known. */
    unproven: number;
  };
  /** The history: the effect of each transaction on the wallet. */
  wallet_transactions: {
    network: Scope;
    txid: string;
    at: BigInteger;
    height: number | null;
    received: BigInteger;
    spent: BigInteger;
    tokens: number;
    fee: BigInteger | null;
    owner: string | null;
    lost: 'double-spent' | 'dropped' | null;
    /** How many keys it was searched for; 0 where it is taken once more. */
    searched_for: number;
  };
  /** Further addresses that were given out. */
  wallet_addresses: { network: Scope; owner: string; key_index: number };
  /** Keys that were paid, those for change among them. A row is kept for ever: coins are forgotten once they are spent. */
  wallet_used_keys: {
    network: Scope;
    owner: string;
    key_index: number;
    /** The first block that pays it; null while none does. */
    height: number | null;
  };
  /** A person's words for an address, a transaction, a coin or a contact (`subject` says which it is), of whatever account. Only a person takes them away. */
  wallet_labels: { network: Network; subject: string; label: string };
  /** What transactions were made for, where the chain does not tell it. A row is kept for ever: the history may be read anew from the chain. */
  wallet_purposes: {
    network: Network;
    txid: string;
    purpose: 'mint' | 'token' | 'writer';
    /** When it was noted. */
    at: BigInteger;
  };
  /** When a backup of the keys of `owner` was last shown to restore them. */
  wallet_backup_checks: { network: Scope; owner: string; checked_at: BigInteger };
  /** Payments: the request is a `WalletSendRequest`, the review a `Review`. */
  wallet_sends: JobRow & {
    /** The payment it is a further transaction of. */
    part_of: string | null;
  };
  /** Hosts that are to be handed a payment once it is sent: the receiver is a `PaymailReceiver`. */
  wallet_paymail_tells: {
    network: Scope;
    send_id: string;
    position: number;
    receiver: string;
    attempts: number;
    noted_at: BigInteger;
    next_at: BigInteger;
    /** A `Failure`. */
    failure: string | null;
  };
  /** Transactions of coins with what shows that a block holds them, for every account. */
  wallet_kept_transactions: {
    network: Network;
    txid: string;
    /** Null where it is too long to be kept twice. */
    raw_tx: Uint8Array | null;
    /** BRC-74. */
    bump: Uint8Array;
  };
  /** Accounts beside the main one, and the name of the main one. */
  wallet_accounts: {
    network: Network;
    id: string;
    kind: 'seed' | 'watch' | 'key';
    name: string;
    /** Account of the seed (BIP44); null where the keys come from elsewhere. */
    account: number | null;
    xpub: string | null;
    /** First block that can hold coins of it; that of the seed is in the vault. */
    birth_height: number | null;
    created_at: BigInteger;
  };
  /** What happened to transactions of an account and was not dismissed yet. */
  wallet_notices: {
    network: Scope;
    id: string;
    kind: CoinNotice['kind'];
    at: BigInteger;
    /** JSON of a list. */
    txids: string;
    height: number | null;
  };
  wallet_active_account: { network: Network; id: string };
  /** The wallet outside this process that signs, by the identity key it was first seen with or that a person accepted. */
  wallet_external: { network: Network; identity_key: string; since: BigInteger };
  wallet_state: {
    network: Scope;
    /** Public key hash (hex) of the key the rows belong to. */
    owner: string;
    key_index: number;
    /** Public key hashes (hex) that the scanned blocks were searched for, space between them. */
    keys: string;
    /** Height the scan begins at; null until the node was asked for it. */
    birth_height: number | null;
    /** The blocks up to this height hold nothing for keys that come later; null where they may, from the first one on. */
    searched_to: number | null;
  };
}
