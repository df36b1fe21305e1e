import { type ErrorId, PlanchetError, phrase, type TransactionReason } from '../../contract/index.ts';

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
  /** HTTP statuses by which ARC says the same (reference: its list of errors). */
  readonly arc?: readonly number[];
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
  { code: 'mixed-results', retry: 'later', pattern: /mixed results/i, error: 'merchant.nodes-disagree' },
  {
    code: 'missing-inputs',
    retry: 'after-others',
    pattern: /missing[- ]inputs|error fetching inputs/i,
    arc: [460, 462, 467, 475],
    error: 'merchant.refused-inputs-missing',
  },
  {
    code: 'too-long-chain',
    retry: 'after-others',
    pattern: /too-long-mempool-chain/i,
    error: 'merchant.refused-chain',
  },
  { code: 'no-room', retry: 'after-others', pattern: /evicted|mempool full/i, error: 'merchant.refused-full' },
  {
    code: 'double-spend',
    retry: 'never',
    pattern: /double[- ]spen[dt]|txn-mempool-conflict/i,
    arc: [466],
    error: 'merchant.refused-double-spend',
  },
  {
    code: 'fee-too-low',
    retry: 'never',
    pattern: /not enough fees|fee not met|fees? (?:is |are )?too low/i,
    arc: [465, 473],
    error: 'merchant.refused-fee',
  },
  { code: 'negative-inputs', retry: 'never', pattern: /negative inputs/i, error: 'merchant.refused-malformed' },
  {
    code: 'malformed',
    retry: 'never',
    pattern: /can ?not parse transaction|rawtx is required|invalid characters in rawtx|coinbase transactions are not/i,
    arc: [400, 422, 463, 464],
    error: 'merchant.refused-malformed',
  },
  {
    code: 'not-final',
    retry: 'never',
    pattern: /non-final|not final/i,
    arc: [476],
    error: 'merchant.refused-not-final',
  },
  {
    code: 'script-failed',
    retry: 'never',
    pattern: /script-verify-flag|unlocking script|Script evaluated without error/i,
    arc: [461],
    error: 'merchant.refused-script',
  },
  {
    code: 'proof-invalid',
    retry: 'never',
    pattern: /\bBUMP\b|merkle roots?/i,
    arc: [468, 469],
    error: 'merchant.refused-proof',
  },
  { code: 'frozen', retry: 'never', pattern: /frozen/i, arc: [471, 472], error: 'merchant.refused-frozen' },
  {
    code: 'too-large',
    retry: 'never',
    pattern: /tx-size|too large|oversize/i,
    arc: [474],
    error: 'merchant.refused-size',
  },
  {
    code: 'duplicate-request',
    retry: 'never',
    pattern: /with different parameters|more than once within request/i,
    error: 'merchant.refused-duplicate',
  },
] as const satisfies readonly RefusalRow[];

const unknown = { code: 'other', retry: 'never', error: 'merchant.refused' } as const;

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

/** Reads an error of ARC: by its HTTP status, and by its text where the status says nothing more. */
function classifyArcRefusal(status: number, text: string): Refusal {
  const rowsOfStatus: readonly RefusalRow[] = rows;
  const found = rowsOfStatus.find(({ arc }) => arc?.includes(status)) as (typeof rows)[number] | undefined;
  if (found !== undefined) return found;
  const verdict = classifyRefusal(text);
  // Each check of ARC has a status of its own in the rows. It answers 409 where its database fails or its time runs out; any other status
  // comes from a server in front of it.
  const isOfMiner = status >= 500 || (status > 0 && verdict.code === 'other');
  return isOfMiner ? { code: 'miner-failure', retry: 'later', error: 'merchant.transaction-failed' } : verdict;
}

/**
 * The error a person or a queue gets for a failure text.
 * @returns `rejected`, or `upstream-error` if the transaction is to be sent again, with reason and reason code as detail; undefined if
 *   nothing failed
 */
export function refusalError(text: string, retryable = false): PlanchetError | undefined {
  const reason = text.slice(0, 300);
  return errorOf(classifyRefusal(reason, retryable), reason);
}

/** See {@link refusalError}. */
export function arcRefusalError(status: number, text: string): PlanchetError | undefined {
  const reason = text.slice(0, 300);
  return errorOf(classifyArcRefusal(status, reason), reason);
}

/** A failed answer as histories store it. A miner that dropped a transaction for lack of room gets it again later. */
export function reasonOf(error: PlanchetError): TransactionReason {
  const { code, message, hint, detail, id, values = {} } = error.toFailure();
  const refusal = typeof detail?.refusal === 'string' ? detail.refusal : code;
  const text = typeof detail?.reason === 'string' ? detail.reason : undefined;
  return {
    code: refusal,
    text: text ?? message,
    advice: hint ?? '',
    retriedByItself: code !== 'rejected' || refusal === 'no-room',
    ...(id !== undefined && { id, ...(text === undefined && { values }) }),
  };
}

function errorOf({ code, retry, error }: Refusal, reason: string): PlanchetError | undefined {
  if (retry === 'accepted') return undefined;
  const values = { reason: reason === '' ? phrase('reason.none') : reason };
  return new PlanchetError(error, values, { detail: { ...(reason !== '' && { reason }), refusal: code } });
}
