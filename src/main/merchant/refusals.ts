import { type ErrorId, PlanchetError } from '../../contract/index.ts';

/**
 * What to do with the same signed transaction after a failure text.
 * - `accepted`: the miner has it already, so nothing failed.
 * - `later`: the miner failed, not the transaction. It is sent again without asking a person.
 * - `after-others`: it depends on other transactions or on free room. A queue may send it a few more times before it gives up.
 * - `never`: the same bytes are refused again.
 */
export type RefusalRetry = 'accepted' | 'later' | 'after-others' | 'never';

/** Entries that say why the miner did not take a transaction: `{reason}` is its text. */
type RefusalErrorId = Extract<
  ErrorId,
  'merchant.transaction-failed' | 'merchant.nodes-disagree' | `merchant.refused${string}`
>;

interface RefusalRow {
  readonly code: string;
  readonly retry: RefusalRetry;
  /** Found anywhere in the text; the first row that matches counts. */
  readonly pattern: RegExp;
  /** Entry of the error catalogue that says what a person can do. */
  readonly error: RefusalErrorId;
}

/**
 * Failure texts of merchant APIs and of the nodes behind them. A node's own reject codes arrive as `<code> <reason>`. To add a refusal, add
 * a row, an example to the test, and a text to the error catalogue if none of its entries fits.
 * @see docs/minting.md, section "When the miner refuses"
 */
const rows = [
  {
    code: 'already-known',
    retry: 'accepted',
    pattern: /\balready[- ](?:in[- ](?:the[- ])?mempool|known|mined|submitted\b(?! with different))/i,
    error: 'merchant.transaction-failed',
  },
  {
    code: 'miner-failure',
    retry: 'later',
    pattern: /error while submitting transactions to the node|retry again|internal system error/i,
    error: 'merchant.transaction-failed',
  },
  {
    code: 'mixed-results',
    retry: 'later',
    pattern: /mixed results/i,
    error: 'merchant.nodes-disagree',
  },
  {
    code: 'missing-inputs',
    retry: 'after-others',
    pattern: /missing[- ]inputs|error fetching inputs/i,
    error: 'merchant.refused-inputs-missing',
  },
  {
    code: 'too-long-chain',
    retry: 'after-others',
    pattern: /too-long-mempool-chain/i,
    error: 'merchant.refused-chain',
  },
  {
    code: 'no-room',
    retry: 'after-others',
    pattern: /evicted|mempool full/i,
    error: 'merchant.refused-full',
  },
  {
    code: 'double-spend',
    retry: 'never',
    pattern: /double[- ]spen[dt]|txn-mempool-conflict/i,
    error: 'merchant.refused-double-spend',
  },
  {
    code: 'fee-too-low',
    retry: 'never',
    pattern: /not enough fees|fee not met/i,
    error: 'merchant.refused-fee',
  },
  {
    code: 'negative-inputs',
    retry: 'never',
    pattern: /negative inputs/i,
    error: 'merchant.refused-malformed',
  },
  {
    code: 'malformed',
    retry: 'never',
    pattern: /can ?not parse transaction|rawtx is required|invalid characters in rawtx|coinbase transactions are not/i,
    error: 'merchant.refused-malformed',
  },
  {
    code: 'not-final',
    retry: 'never',
    pattern: /non-final/i,
    error: 'merchant.refused-not-final',
  },
  {
    code: 'duplicate-request',
    retry: 'never',
    pattern: /with different parameters|more than once within request/i,
    error: 'merchant.refused-duplicate',
  },
] as const satisfies readonly RefusalRow[];

const unknown = {
  code: 'other',
  retry: 'never',
  error: 'merchant.refused',
} as const;

export type RefusalCode = (typeof rows)[number]['code'] | (typeof unknown)['code'];

export interface Refusal {
  readonly code: RefusalCode;
  readonly retry: RefusalRetry;
  readonly error: RefusalErrorId;
}

/** Codes of every row, in order of precedence. */
export const refusalCodes: readonly RefusalCode[] = rows.map(({ code }) => code);

/**
 * Reads a failure text of a merchant API, a node, or a service that passes one on.
 * @param text the text alone or within a longer message
 * @param retryable the miner's `failureRetryable` (merchant API 1.5), which outranks the text
 */
export function classifyRefusal(text: string, retryable = false): Refusal {
  const found = rows.find(({ pattern }) => pattern.test(text)) ?? unknown;
  const { code, retry, error } = found;
  const isRetryable = retryable && retry !== 'accepted' && retry !== 'later';
  return isRetryable ? { code, retry: 'later', error: 'merchant.transaction-failed' } : { code, retry, error };
}

/**
 * The error a person or a queue gets for a failure text.
 * @returns `rejected`, or `upstream-error` if the transaction is to be sent again, with reason and reason code as detail; undefined if
 *   nothing failed
 */
export function refusalError(text: string, retryable = false): PlanchetError | undefined {
  const reason = text === '' ? 'no reason given' : text.slice(0, 300);
  const { code, retry, error } = classifyRefusal(reason, retryable);
  if (retry === 'accepted') return undefined;
  return new PlanchetError(error, { reason }, { detail: { reason, refusal: code } });
}
