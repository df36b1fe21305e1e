import { scriptLimits } from '../../../chain/index.ts';
import { defaultLimits, policy } from '../node/consensus/consensus.ts';
import type { ConflictingTransaction } from '../node/types.ts';
import type { SandboxParts } from '../parts.ts';
import type { EnvelopeSigner } from './signer.ts';

const QUOTE_VALID_MS = 10 * 60_000;
const VERSION = '1.2.0';
const POLICY_VERSION = '1.4.0';
const MODERN_VERSION = '1.5.0';

export interface TxResult {
  /** Undefined if the transaction could not be parsed. */
  readonly txid: string | undefined;
  readonly returnResult: 'success' | 'failure';
  readonly resultDescription: string;
  readonly conflictedWith?: readonly ConflictingTransaction[];
  /** Included from version 1.5.0. */
  readonly warnings?: readonly string[];
  /** Included from version 1.5.0: the same transaction may be accepted later. */
  readonly failureRetryable?: boolean;
}

export interface TxStatus {
  readonly failure?: string;
  readonly blockHash?: string;
  readonly blockHeight?: number;
  readonly confirmations?: number;
  readonly merkleProof?: unknown;
}

export interface PayloadsOptions extends Pick<SandboxParts, 'node' | 'clock' | 'settings' | 'faults'> {
  readonly signer: EnvelopeSigner;
}

/** Payloads of the merchant API with keys in the order of wire.md 3.3. JSON omits keys without a value, as the reference does. */
export class Payloads {
  readonly #options: PayloadsOptions;

  constructor(options: PayloadsOptions) {
    this.#options = options;
  }

  /** Whether payloads have the format of version 1.5.0. */
  get modern(): boolean {
    return this.#options.settings.current().sandbox.mapiVersion === MODERN_VERSION;
  }

  feeQuote(): unknown {
    return { ...this.#quote(VERSION), ...(this.modern ? { callbacks: [] } : {}) };
  }

  policyQuote(): unknown {
    const { isChronicle, limits } = this.#options.node;
    return {
      ...this.#quote(POLICY_VERSION),
      callbacks: [],
      policies: {
        ...(this.modern ? modernPolicies : policies),
        maxscriptnumlengthpolicy: isChronicle ? scriptLimits.chronicleNumberBytes : scriptLimits.numberBytes,
        limitancestorcount: limits.maxAncestors,
        limitcpfpgroupmemberscount: limits.maxUnpaidAncestors,
      },
    };
  }

  submission(result: TxResult): unknown {
    const { txid, returnResult, resultDescription, conflictedWith } = result;
    return {
      ...this.#head(),
      txid,
      returnResult,
      resultDescription,
      minerId: this.#minerId,
      ...this.#tip(),
      txSecondMempoolExpiry: 0,
      ...this.#modernFields(result),
      conflictedWith,
    };
  }

  batch(results: readonly TxResult[]): unknown {
    return {
      ...this.#head(),
      minerId: this.#minerId,
      ...this.#tip(),
      txSecondMempoolExpiry: 0,
      txs: results.map((result) => ({
        txid: result.txid,
        returnResult: result.returnResult,
        resultDescription: result.resultDescription,
        ...this.#modernFields(result),
        conflictedWith: result.conflictedWith,
      })),
      failureCount: results.filter(({ returnResult }) => returnResult === 'failure').length,
    };
  }

  status(txid: string, { failure, merkleProof, ...mined }: TxStatus): unknown {
    return {
      ...this.#head(),
      txid,
      returnResult: failure === undefined ? 'success' : 'failure',
      resultDescription: failure,
      ...mined,
      minerId: this.#options.signer.minerId,
      txSecondMempoolExpiry: 0,
      merkleProof,
    };
  }

  /** @param txouts one element for each requested output */
  outputs(txouts: readonly unknown[]): unknown {
    const result = { returnResult: 'success', resultDescription: '' };
    return { ...this.#head(), minerId: this.#options.signer.minerId, ...result, txouts };
  }

  /** Miner id in submission results: empty if envelopes are not signed. */
  get #minerId(): string {
    return this.#options.signer.minerId ?? '';
  }

  #modernFields({ warnings, failureRetryable }: TxResult): Record<string, unknown> {
    return this.modern ? { warnings: warnings ?? [], failureRetryable: failureRetryable ?? false } : {};
  }

  #head(apiVersion = VERSION): { apiVersion: string; timestamp: string } {
    const timestamp = new Date(this.#options.clock.now()).toISOString();
    return { apiVersion: this.modern ? MODERN_VERSION : apiVersion, timestamp };
  }

  #tip(): { currentHighestBlockHash: string; currentHighestBlockHeight: number } {
    const { hash, height } = this.#options.node.tip();
    return { currentHighestBlockHash: hash, currentHighestBlockHeight: height };
  }

  #quote(apiVersion: string): Record<string, unknown> {
    const { clock, faults, signer } = this.#options;
    const { miningFee, relayFee } = policy;
    const validFor = faults.take('quote-expired', 'mapi') === undefined ? QUOTE_VALID_MS : -1_000;
    return {
      ...this.#head(apiVersion),
      expiryTime: new Date(clock.now() + validFor).toISOString(),
      minerId: signer.minerId,
      ...this.#tip(),
      fees: ['standard', 'data'].map((feeType) => ({ feeType, miningFee, relayFee })),
    };
  }
}

/** Policies that the node enforces. */
const common = {
  skipscriptflags: [],
  maxtxsizepolicy: policy.maxTxBytes,
  datacarriersize: policy.maxTxBytes,
  maxscriptsizepolicy: policy.maxTxBytes,
  // replaced by the rules of the next block, which determines the length
  maxscriptnumlengthpolicy: scriptLimits.chronicleNumberBytes,
  maxstackmemoryusagepolicy: scriptLimits.stackBytes,
  // replaced by the node's own limits
  limitancestorcount: defaultLimits.maxAncestors,
  limitcpfpgroupmemberscount: defaultLimits.maxUnpaidAncestors,
  acceptnonstdoutputs: true,
  datacarrier: true,
};
const durations = {
  maxstdtxvalidationduration: scriptLimits.durationMs,
  maxnonstdtxvalidationduration: scriptLimits.durationMs,
};
const policies = {
  ...common,
  // together they give a dust limit of one satoshi, like the node's
  dustrelayfee: policy.dustSatoshis,
  ...durations,
  dustlimitfactor: 300,
};
const modernPolicies = {
  ...common,
  ...durations,
  // a factor of zero is how the node says that consolidations pay the normal fee
  minconsolidationfactor: 0,
  maxconsolidationinputscriptsize: 150,
  minconfconsolidationinput: 6,
  acceptnonstdconsolidationinput: false,
};
