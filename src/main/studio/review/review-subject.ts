import {
  addressNetwork,
  encodeAddress,
  equalBytes,
  type Inscription,
  type Outpoint,
  ownerKeyHash,
  type Tx,
  type Utxo,
} from '../../../chain/index.ts';
import type { Network, QuoteSource } from '../../../contract/index.ts';
import type { FeeRate } from '../../ports/merchant/merchant.ts';

export interface ReviewItem {
  readonly itemId: string;
  /** SHA-256 of the file, hex. */
  readonly sha256: string;
  readonly bytes: number;
  readonly contentType: string;
  /** Its content type is that of a picture, and no decoder opens it. */
  readonly isUnreadable?: boolean;
  /** Exactly what the token must carry. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** What was asked for: the only standard the transaction is checked against. */
export interface ReviewRequest {
  readonly network: Network;
  readonly destination: string;
  readonly items: readonly ReviewItem[];
  /** The coins chosen to pay, with the values and scripts that the wallet knows. */
  readonly coins: readonly Utxo[];
  /** Our own locking script. */
  readonly changeScript: Uint8Array;
  /** The locking scripts of ours whose coins may pay. */
  readonly paysFrom: readonly Uint8Array[];
  readonly quote: { readonly standard: FeeRate; readonly data: FeeRate; readonly source?: QuoteSource | undefined };
  /** Highest fee in satoshis a person allowed. */
  readonly maxFee: number;
  /** Highest rate a person allowed, in satoshis per 1,000 bytes. */
  readonly maxFeeRate: number;
  /** A token may hold the base64 text of its file. */
  readonly acceptsBase64?: boolean;
}

/** What is known of a chosen coin; `utxo` is missing where the node does not know it. */
export interface CoinFact extends Outpoint {
  readonly utxo?: Utxo | undefined;
  readonly unspent: boolean;
  /** No service answers, so the coin is taken as the wallet knows it. */
  readonly isUnanswered?: true;
}

export interface ReviewFacts {
  readonly coins: readonly CoinFact[];
}

/** What the service reports in addition to the transaction. */
interface Claims {
  /** The spent outputs, one for each input. */
  readonly spent: readonly Utxo[];
  readonly txid?: string | undefined;
  readonly changeIndex?: number | undefined;
}

export interface Subject {
  readonly request: ReviewRequest;
  readonly facts: ReviewFacts;
  readonly tx: Tx;
  /** Undefined for a signed transaction, which claims nothing. */
  readonly claims?: Claims;
  /** The inscription in each output, where there is one. */
  readonly tokens: readonly (Inscription | undefined)[];
  /** SHA-256 (hex) of what each inscription holds. */
  readonly contentHashes: readonly (string | undefined)[];
  /** What an approval is bound to: see `unsignedDigest`. */
  readonly digest: string;
  /** In satoshis; undefined while an input's value is not known. */
  readonly fee: number | undefined;
  /** The least fee that a miner takes by the quote, and the fee that the quote asks for the size shown. */
  readonly leastFee: number;
  readonly quotedFee: number;
}

/** What the node says of the coin an input spends. */
export function factOf(facts: ReviewFacts, { txid, vout }: Outpoint): CoinFact | undefined {
  return facts.coins.find((fact) => fact.txid === txid && fact.vout === vout);
}

/** The address of the one key that can spend a script. */
export function addressOf(script: Uint8Array | undefined, network: Network): string | null {
  return addressesIn(network)(script);
}

/** {@link addressOf} for many scripts. All tokens of a mint go to one key, whose address is encoded once. */
export function addressesIn(network: Network): (script: Uint8Array | undefined) => string | null {
  let last: { pubKeyHash: Uint8Array; address: string } | undefined;
  return (script) => {
    const pubKeyHash = script && ownerKeyHash(script);
    if (!pubKeyHash) return null;
    if (last === undefined || !equalBytes(last.pubKeyHash, pubKeyHash)) {
      last = { pubKeyHash, address: encodeAddress(pubKeyHash, addressNetwork(network)) };
    }
    return last.address;
  };
}
