/**
 * The shapes services see of each other. A service's folder never imports another service's folder: `host.ts` builds them and hands
 * each what it needs through its constructor, typed by these interfaces.
 */
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { FundingUtxo, Outpoint, Satoshis, Utxo } from '../chain/index.ts';
import type {
  Balance,
  LiveEvent,
  MintJobSummary,
  Network,
  Notice,
  PlanchetError,
  QuoteSource,
  ServiceName,
  Settings,
  Tip,
  Token,
  WalletStatus,
} from '../contract/index.ts';

export type { Logger };

/** Time is handed in, so a test can hold it still. */
export interface Clock {
  /** Milliseconds since 1970-01-01 UTC. */
  now(): number;
  /** Calls `run` once after `ms`; the returned function cancels it. Never keeps the process alive by itself. */
  after(ms: number, run: () => void): () => void;
}

/** What the state `running` shows of a service beside its address. */
export interface ShownState {
  /** A notice that stays for as long as the service is set up as it is. */
  readonly warning?: string | undefined;
  /** What keeps the service from its work at present. */
  readonly trouble?: string | undefined;
}

/** A part of the host that runs until it is stopped. `start` resolves when it serves; a rejected start makes its state `failed`. */
export interface Service {
  readonly name: ServiceName;
  /** @returns what the state `running` shows (bound address, a permanent warning). */
  start(): Promise<{ address?: string; warning?: string }>;
  /** In place of the warning `start` gave, what is to be shown now; asked every second while the service runs. */
  shown?(): ShownState;
  /** Must resolve within 5 s with everything journalled; called also after a failed start. */
  stop(): Promise<void>;
}

/** A call through the gateway that has been answered or refused, as traces tell it. */
export interface TracedCall {
  readonly caller: string;
  /** Empty where it was refused before that was read. */
  readonly method: string;
  /** Where the answer came from. */
  readonly source: string;
  /** HTTP status. */
  readonly status: number;
  readonly milliseconds: number;
  readonly reason: string | null;
}

/** Where live events go; the console sends them to every connected view. */
export interface Events {
  publish(event: LiveEvent): void;
}

export interface Notices {
  add(notice: Omit<Notice, 'id' | 'at'> & { id?: string }): void;
  list(): Notice[];
  dismiss(id: string): void;
}

/** Addresses in force for the active network: from the settings, or the sandbox's bound ones. */
export interface Endpoints {
  readonly baseUrl: string;
  readonly consoleBaseUrl: string;
  readonly mapiUrl: string;
  readonly bitcoinRpcUrl: string;
  readonly bitcoinZmqUrl: string;
}

/** Settings as they stand now; `onChange` reports every saved change. */
export interface SettingsView {
  current(): Settings;
  onChange(listener: (settings: Settings, changed: readonly string[]) => void): () => void;
}

/** One JSON-RPC call to the upstream node. */
export interface NodeRpc {
  /**
   * @throws NodeRpcError where the node answers with an error, PlanchetError `upstream-*` where it cannot be reached.
   */
  call<T>(
    method: string,
    params?: readonly unknown[],
    options?: { signal?: AbortSignal; timeoutMs?: number },
  ): Promise<T>;
}

/** The node's own error: code and message as section 0 of the node's RPC gives them. */
export class NodeRpcError extends Error {
  override readonly name = 'NodeRpcError';
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Names of what the vault seals. */
export type SecretName =
  | `seed:${Network}`
  | `apiKey:${Network}`
  | `minerId`
  | `sandboxFaucet`
  /** A key that signs what the service pays for, by the hash of its API key. */
  | `signer:${Network}:${string}`
  /** Encrypts documents that are to be read only here. */
  | `dataKey:${Network}`;

/** Sealed secrets. Reading one of a locked vault throws PlanchetError `vault-locked`. */
export interface SecretStore {
  readonly locked: boolean;
  get(name: SecretName): Uint8Array | undefined;
  /** Written and synced before it returns. */
  set(name: SecretName, value: Uint8Array): Promise<void>;
  delete(name: SecretName): Promise<void>;
}

/** The wallet as the studio and the writer use it. */
export interface FundingWallet {
  status(): WalletStatus;
  balance(): Balance;
  /** Base58 P2PKH address of the wallet's own key. @throws PlanchetError `wallet-missing` | `vault-locked` */
  address(): string;
  /** 66 hex digits, compressed. */
  publicKey(): string;
  /** Locking script (bytes) that change and own tokens pay. */
  lockingScript(): Uint8Array;
  /**
   * Chooses funding and holds it for `owner` until released or spent; journalled before it returns. One-satoshi outputs are
   * never among them. The fee is what `feeFor(inputs)` says for that number of P2PKH inputs, in satoshis.
   * @throws PlanchetError `funds-insufficient` with detail {needed, spendable}
   */
  reserve(owner: string, outputsTotal: Satoshis, feeFor: (inputs: number) => Satoshis): Promise<FundingUtxo[]>;
  reserved(owner: string): FundingUtxo[];
  release(owner: string): Promise<void>;
  /** Signs the P2PKH inputs of an unsigned transaction (SIGHASH ALL|FORKID). @returns the signed transaction's bytes. */
  sign(unsigned: Uint8Array, spent: readonly FundingUtxo[]): Promise<Uint8Array>;
  /** Tells the wallet a transaction was handed out, so its change can be spent before a block holds it. */
  observe(rawTx: Uint8Array): Promise<void>;
}

/** The same for transactions the network may lose again. */
export interface MintWallet extends FundingWallet {
  /** Tells the wallet that the network lost a transaction and nobody hands it out again: the coins it spent are free. */
  forget(txid: string): Promise<void>;
}

/** An unspent output of the wallet that never pays for anything: a token, a contract, or what else its keys can spend. */
export interface KeptCoin {
  readonly utxo: Utxo;
  /** null while no block holds it. */
  readonly height: number | null;
  /** Who holds it, if anybody. */
  readonly owner: string | undefined;
}

/** The wallet as the token bench uses it: its money pays and issues, and a key of its own owns tokens. */
export interface TokenWallet extends FundingWallet {
  /** Base58 P2PKH address of the key that owns the wallet's tokens. @throws PlanchetError `wallet-missing` | `vault-locked` */
  tokenAddress(): string;
  /** 66 hex digits, compressed. */
  tokenPublicKey(): string;
  /** All unspent outputs that are not funding. */
  keptCoins(): KeptCoin[];
  /**
   * Holds outputs for `owner` until released or spent, all of them or none; journalled before it returns.
   * @throws PlanchetError `conflict` where another owner holds one, `not-found` where one is not an unspent output of the wallet
   */
  hold(owner: string, outpoints: readonly Outpoint[]): Promise<void>;
  /**
   * Signs one input (SIGHASH ALL|FORKID) that spends an output whose script begins with P2PKH of one of the wallet's keys.
   * @returns the signature: DER with the hash type behind it
   * @throws PlanchetError `review-failed` where the output is not the wallet's, or not what the wallet knows of it
   */
  signInput(unsigned: Uint8Array, inputIndex: number, spent: Utxo): Promise<Uint8Array>;
}

/** Fee rate in satoshis per number of bytes. */
export interface FeeRate {
  readonly satoshis: number;
  readonly bytes: number;
}

export interface FeeQuote {
  readonly standard: FeeRate;
  readonly data: FeeRate;
  readonly expiresAt: number;
  /** Who gave the quote. */
  readonly source?: QuoteSource | undefined;
}

/** mAPI as the others use it (spec 4.3). */
export interface Merchant {
  feeQuote(): Promise<FeeQuote>;
  /** @throws PlanchetError `rejected` with the miner's text, `upstream-*` where it cannot be reached. */
  submit(rawTx: Uint8Array): Promise<{ txid: string }>;
  status(
    txid: string,
  ): Promise<
    | { known: false; reason: string }
    | { known: true; blockHash: string | null; blockHeight: number | null; confirmations: number }
  >;
}

/** A merchant API that takes many transactions in one request. */
export interface BatchMerchant extends Merchant {
  /**
   * Hands in transactions, parents before children.
   * @returns for each in order: undefined where the miner has it, else why not (`rejected` with the miner's text, `upstream-error`)
   * @throws PlanchetError `upstream-*`, `unauthorized`, `api-key-missing` where nothing is known of any
   */
  submitAll(rawTxs: readonly Uint8Array[]): Promise<(PlanchetError | undefined)[]>;
}

/** Follows the chain's tip for everyone, from ZMQ where there is one and by polling where not. */
export interface TipSource {
  current(): Tip | null;
  onTip(listener: (tip: Tip) => void): () => void;
}

/** What the host knows how to show at a connection. */
export interface StudioView {
  /** Unfinished jobs and the newest others, newest first: a bounded number. */
  recentJobs(): MintJobSummary[];
  tokens(limit: number): Promise<Token[]>;
}

/** A database opened by the store, with the tables the given migrations made. */
export interface Store<Tables> {
  readonly db: Kysely<Tables>;
  close(): Promise<void>;
}
