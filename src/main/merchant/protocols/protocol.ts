import type { UncheckedSignature } from '../../../chain/index.ts';
import type { ForeignBounds } from '../../foreign-json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { MinerEndpoint, MinerVerdict, NamedMiner, SubmitOptions } from '../../ports/merchant/miners.ts';
import type { KnownTransactions } from '../../ports/merchant/transactions.ts';
import type { KeyCheck } from './mapi/merchant-keys.ts';
import type { MinerHttpOptions } from './miner-http.ts';

/** What one message of a miner says of one transaction. */
export interface CallbackMessage {
  readonly verdict: MinerVerdict;
  /** The proof of a merchant API, whichever of its forms; null where there is none. Not verified. */
  readonly proof: unknown;
  /** Two messages with the same identity say the same. */
  readonly identity: string;
}

/** A body that is no callback. */
export class UnreadableCallback extends Error {}

/** `outbound` must be given here: a request that does not go through the proxy reveals the address of this computer. */
interface WayOptions extends Omit<MinerHttpOptions, 'outbound'> {
  outbound: MinerHttpOptions['outbound'];
}

interface ClientOptions extends WayOptions {
  miner: NamedMiner;
  clock: Clock;
  /** Whose signature of an answer is taken. */
  keys: KeyCheck;
  /** Where the parents of a transaction are found that the miner does not know. */
  known?: KnownTransactions;
}

/** How the signature of a callback is checked. */
interface CallbackChecks {
  isValid(signature: UncheckedSignature): Promise<boolean>;
  /** Whether the miner's answers may be signed with this key. */
  trusts(publicKey: string): boolean;
}

export interface ProtocolCallbacks {
  /** What a body may be, and each of the texts with JSON that stand in it. */
  readonly bounds: ForeignBounds;
  /** Whether a repetition of a submission is refused that names another address than before. */
  readonly needsSameAddress: boolean;
  /**
   * What a submission asks for, so that the miner reports here.
   * @param encryption the key for sealed messages; undefined where messages do not leave this machine
   */
  asked(callback: { url: string; token: string }, encryption: string | undefined): SubmitOptions;
  /**
   * @param text the body, which was read within `bounds`
   * @throws UnreadableCallback
   */
  read(text: string, checks: CallbackChecks): CallbackMessage[] | Promise<CallbackMessage[]>;
  /** Reads the `raw` of a message that was read before. @throws UnreadableCallback */
  reread(raw: string, signature: MinerVerdict['signature']): CallbackMessage | undefined;
}

/** An API that miners speak. Its name and what it can do is in `minerProtocols` of the contract. */
export interface MinerProtocol {
  client(options: ClientOptions): MinerEndpoint;
  /**
   * Asks for the price list without remembering anything.
   * @returns the HTTP status, and whether the answer is a price list
   * @throws PlanchetError as {@link MinerHttp.call}
   */
  terms(options: WayOptions): Promise<{ status: number; given: boolean }>;
  readonly callbacks: ProtocolCallbacks;
}
