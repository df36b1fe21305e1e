import type { FundingUtxo, Outpoint, Satoshis, Utxo } from '../../chain/index.ts';
import type { Balance, WalletStatus } from '../../contract/index.ts';

/**
 * What became of a signed transaction that left this process, as far as the wallet knows.
 * - `unknown`: it was never noted.
 * - `open`: no block and no mempool is known to hold it, and its coins are in no block spent by another: it may still be mined.
 * - `waiting`: it waits for a block.
 * - `spentBy`: a block holds it, or another transaction that spends one of its coins: the id of that one.
 */
export type TransactionFate = 'unknown' | 'open' | 'waiting' | { readonly spentBy: string };

/** Which earlier transactions a new one replaces. */
export interface ReplaceOptions {
  /** Owners whose open signed transactions must not be mined beside the new one; those of its own owner always are among them. */
  readonly replaces?: readonly string[];
}

/** Whose coins may pay: those of every address of the account, or of the main address alone, where a builder knows one key. */
export type CoinsFrom = 'main' | 'all';

export interface ReserveOptions extends ReplaceOptions {
  /** `all` where it is not given. */
  readonly from?: CoinsFrom;
}

/** Signed transactions that left this process: a miner that refused one may still mine it. */
export interface SignedTransactions {
  /**
   * Notes a signed transaction, before it leaves this process. From then on its coins pay for nothing but what replaces it, until a block
   * holds it or another transaction that spends one of them; also while the wallet is locked. Journalled before it resolves.
   */
  noteSigned(owner: string, rawTx: Uint8Array): Promise<void>;
  /** What became of a transaction; `unknown` while the wallet is locked or missing. */
  fateOf(txid: string): TransactionFate;
  /**
   * The ids of the open transactions of these owners that could be mined beside a transaction that spends these outputs.
   * @throws PlanchetError `wallet-missing` | `vault-locked` | `not-running`
   */
  notExcluded(owners: readonly string[], inputs: readonly Outpoint[]): string[];
}

/** The wallet as the studio and the writer use it. */
export interface FundingWallet extends SignedTransactions {
  status(): WalletStatus;
  balance(): Balance;
  /** Base58 P2PKH address of the wallet's own key. @throws PlanchetError `wallet-missing` | `vault-locked` */
  address(): string;
  /** 66 hex digits, compressed. */
  publicKey(): string;
  /** Locking script (bytes) that change and own tokens pay. */
  lockingScript(): Uint8Array;
  /**
   * Selects coins and reserves them for `owner` until they are released or spent; journalled before it resolves. One-satoshi outputs are
   * never selected. Where an earlier signed transaction is replaced, one of the coins makes it impossible beside the new one.
   * @param feeFor fee in satoshis for a number of P2PKH inputs
   * @throws PlanchetError `funds-insufficient` with detail {needed, spendable}; `conflict` where what is replaced cannot be made
   *   impossible now
   */
  reserve(
    owner: string,
    outputsTotal: Satoshis,
    feeFor: (inputs: number) => Satoshis,
    options?: ReserveOptions,
  ): Promise<FundingUtxo[]>;
  /**
   * The most satoshis that outputs can hold which {@link FundingWallet.reserve} pays for somebody who holds nothing; 0 while the wallet
   * cannot be asked. The balance may be more: a coin may cost more to spend than it is worth.
   * @param feeFor fee in satoshis for a number of P2PKH inputs
   */
  most(feeFor: (inputs: number) => Satoshis): number;
  /** What an owner holds. @throws PlanchetError `wallet-missing` | `vault-locked` | `not-running` while it is not known */
  reserved(owner: string): FundingUtxo[];
  /** Releases what an owner holds, also while the wallet is locked. */
  release(owner: string): Promise<void>;
  /** Signs the P2PKH inputs of an unsigned transaction (SIGHASH ALL|FORKID). @returns the signed transaction's bytes. */
  sign(unsigned: Uint8Array, spent: readonly FundingUtxo[]): Promise<Uint8Array>;
  /**
   * Records a transaction that was broadcast, so that its change can be spent before it is in a block. While the wallet is locked, only
   * what it spends is recorded; its change is found once the wallet is open.
   */
  observe(rawTx: Uint8Array): Promise<void>;
  /** Brings the coins up to date with the node's blocks and mempool. An unreachable node changes nothing. */
  follow(): Promise<void>;
}

/** A funding wallet for transactions that the network may drop. */
export interface MintWallet extends FundingWallet {
  /**
   * How many coins {@link FundingWallet.reserve} would choose now for somebody who holds none: all there are where they are not enough, and 1
   * while the wallet cannot be asked.
   * @param feeFor fee in satoshis for a number of P2PKH inputs
   * @param from see {@link ReserveOptions.from}
   */
  inputsFor(outputsTotal: Satoshis, feeFor: (inputs: number) => Satoshis, from?: CoinsFrom): number;
  /**
   * Satoshis of the coins that can pay for somebody who holds none: those that cost more to spend than they are worth do not count. 0 while
   * the wallet cannot be asked.
   * @param feeFor fee in satoshis for a number of P2PKH inputs
   * @param from see {@link ReserveOptions.from}
   */
  worth(feeFor: (inputs: number) => Satoshis, from?: CoinsFrom): number;
  /** Satoshis that the wallet has and that cannot be spent now: locked, frozen, or waiting. 0 while the wallet cannot be asked. */
  setAside(): number;
  /** Locking scripts of all addresses, whose coins may pay. @throws PlanchetError `wallet-missing` | `vault-locked` */
  moneyScripts(): readonly Uint8Array[];
  /** Releases the coins of a transaction that the network dropped and that is not broadcast again, also while the wallet is locked. */
  forget(txid: string): Promise<void>;
  /**
   * Reserves all outputs or none for `owner` until they are released or spent; journalled before it resolves.
   * @throws PlanchetError `conflict` if another owner has reserved one, `not-found` if one is not an unspent output of the wallet
   */
  hold(owner: string, outpoints: readonly Outpoint[]): Promise<void>;
}

/** An unspent output of the wallet that never funds a transaction: a token, a contract, or another script its keys can spend. */
export interface NonFundingOutput {
  /** Of a long inscription it has the lock alone. */
  readonly utxo: Utxo;
  /** null until it is in a block. */
  readonly height: number | null;
  /** Owner of its reservation, if it has one. */
  readonly owner: string | undefined;
}

/** The wallet as redeemable tokens use it: it pays and issues, and a separate key owns the tokens. */
export interface TokenWallet extends FundingWallet {
  /**
   * Height of the block up to which the coins are confirmed, if the last reading of the chain failed or none ended yet since the start: what
   * came after it, only the wallet says. Undefined if the last reading succeeded.
   */
  readonly knownAloneFrom: number | undefined;
  /** Base58 P2PKH address of the key that owns the wallet's tokens. @throws PlanchetError `wallet-missing` | `vault-locked` */
  tokenAddress(): string;
  /** 66 hex digits, compressed. */
  tokenPublicKey(): string;
  /**
   * The key, 66 hex digits, whose hash this is (40 hex digits), of all that the wallet follows; undefined where it is none of them.
   * @throws PlanchetError `wallet-missing` | `vault-locked`
   */
  publicKeyOf(pubKeyHash: string): string | undefined;
  /** All unspent outputs that never fund a transaction. The list is the same one until the wallet changes. */
  nonFundingOutputs(): readonly NonFundingOutput[];
  /**
   * Reserves all outputs or none for `owner` until they are released or spent; journalled before it resolves.
   * @throws PlanchetError `conflict` if another owner has reserved one, `not-found` if one is not an unspent output of the wallet
   */
  hold(owner: string, outpoints: readonly Outpoint[], options?: ReplaceOptions): Promise<void>;
  /**
   * Signs one input (SIGHASH ALL|FORKID) that spends an output whose script begins with P2PKH of one of the wallet's keys.
   * @returns the signature: DER followed by the hash type
   * @throws PlanchetError `review-failed` if the output is not the wallet's, or differs from what the wallet has recorded
   */
  signInput(unsigned: Uint8Array, inputIndex: number, spent: Utxo): Promise<Uint8Array>;
}
