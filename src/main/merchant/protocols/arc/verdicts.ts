import { z } from 'zod';
import { fromHex } from '../../../../chain/index.ts';
import { hashSchema, PlanchetError } from '../../../../contract/index.ts';
import { jsonOf } from '../../../foreign-json.ts';
import type { MinerStatus, MinerVerdict } from '../../../ports/merchant/miners.ts';
import { arcRefusalError, reasonOf } from '../../refusals.ts';
import { failedAnswer, type HttpAnswer } from '../miner-http.ts';

/** The statuses of ARC and of Arcade, in order of progress, and how far a transaction has come with each. */
const statuses: ReadonlyMap<string, MinerStatus> = new Map(
  Object.entries<MinerStatus>({
    UNKNOWN: 'unknown',
    QUEUED: 'accepted',
    RECEIVED: 'accepted',
    STORED: 'accepted',
    // Arcade waits for a parent by itself
    PENDING_RETRY: 'accepted',
    ANNOUNCED_TO_NETWORK: 'accepted',
    REQUESTED_BY_NETWORK: 'accepted',
    SENT_TO_NETWORK: 'accepted',
    ACCEPTED_BY_NETWORK: 'accepted',
    SEEN_IN_ORPHAN_MEMPOOL: 'accepted',
    SEEN_ON_NETWORK: 'seen',
    SEEN_MULTIPLE_NODES: 'seen',
    DOUBLE_SPEND_ATTEMPTED: 'double-spend-attempted',
    REJECTED: 'rejected',
    MINED_IN_STALE_BLOCK: 'stale',
    // a block holds it, and its path is put together
    STUMP_PROCESSING: 'mined',
    MINED: 'mined',
    IMMUTABLE: 'mined',
  }),
);

/** Text that may be left out. */
const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');
const bytesHex = z
  .string()
  .regex(/^(?:[0-9a-fA-F]{2})+$/)
  .nullish()
  .catch(null);

/** A status of a transaction, or an error about it in its place (RFC 9457). */
export const answerSchema = z.object({
  txid: hashSchema.nullish().catch(null),
  txStatus: text,
  blockHash: hashSchema.nullish().catch(null),
  blockHeight: z.number().int().nullish().catch(null),
  merklePath: bytesHex,
  extraInfo: text,
  competingTxs: z.array(hashSchema).nullish().catch(null),
  status: z.number().int().nullish(),
  title: text,
  detail: text,
});
export type Answer = z.infer<typeof answerSchema>;

/**
 * Reads a status that ARC sent by itself, in a callback.
 * @param raw the status as it came
 * @returns undefined for what is none
 */
export function readArcStatus(value: unknown, raw: string): MinerVerdict | undefined {
  const read = answerSchema.safeParse(value);
  const txid = read.data?.txid;
  if (!read.success || !txid || !statuses.has(read.data.txStatus)) return undefined;
  return verdictOf(txid, read.data, raw);
}

/** HTTP statuses that say nothing of a transaction. */
export const NO_ANSWER = new Set([404, 405, 413, 415, 429]);

/** @throws PlanchetError `upstream-error` for what is neither a status nor an error of ARC */
export function readAnswer(answer: HttpAnswer): Answer {
  if (answer.status >= 500 || NO_ANSWER.has(answer.status)) throw failedAnswer(answer);
  const read = answerSchema.safeParse(jsonOf(answer.text));
  if (!read.success)
    throw answer.status === 200
      ? new PlanchetError('merchant.answer-no-status', {}, { cause: read.error })
      : failedAnswer(answer);
  if (read.data.txStatus === '' && answer.status === 200 && (read.data.status ?? 200) < 400)
    throw new PlanchetError('merchant.answer-no-status');
  return answer.status === 200 ? read.data : { ...read.data, status: answer.status };
}

/** The fields of a verdict that has nothing to say in them. */
export const silent = {
  reason: null,
  failure: null,
  block: null,
  bump: null,
  conflicts: [],
  signature: 'none',
} as const satisfies Partial<MinerVerdict>;

/** @param raw the answer as it came */
export function verdictOf(txid: string, answer: Answer, raw: string): MinerVerdict {
  const { txStatus, status, blockHash, blockHeight, merklePath, competingTxs } = answer;
  const why = answer.extraInfo || answer.detail || answer.title;
  const conflicts = (competingTxs ?? []).map((conflict) => ({ txid: conflict, rawTx: null }));
  if (txStatus === '' || (status !== null && status !== undefined && status >= 400)) {
    const error = arcRefusalError(status ?? 0, why);
    if (error === undefined) return { ...silent, txid, status: 'accepted', word: String(status), raw };
    return { ...failedVerdict(txid, error, String(status ?? ''), raw), conflicts };
  }
  if (answer.txid && answer.txid !== txid) {
    const values = { answered: answer.txid, sent: txid };
    return failedVerdict(txid, new PlanchetError('merchant.other-txid', values), txStatus, raw);
  }
  const reached = statuses.get(txStatus);
  if (reached === 'rejected') {
    const error = arcRefusalError(0, why);
    if (error !== undefined) return { ...failedVerdict(txid, error, txStatus, raw), conflicts };
    // the network refused it because it has it
    return { ...silent, txid, status: 'accepted', word: txStatus, conflicts, raw };
  }
  const block = blockHash && typeof blockHeight === 'number' ? { hash: blockHash, height: blockHeight } : null;
  return {
    ...silent,
    txid,
    // A status of a later version says at least that the miner has it.
    status: reached ?? 'accepted',
    word: txStatus,
    block: reached === 'mined' || reached === 'stale' ? block : null,
    bump: reached === 'mined' && merklePath ? fromHex(merklePath.toLowerCase()) : null,
    conflicts,
    raw,
  };
}

export function failedVerdict(txid: string, error: PlanchetError, word: string, raw: string): MinerVerdict {
  const reason = reasonOf(error);
  const refused = reason.code === 'no-room' ? 'evicted' : 'rejected';
  const status = error.code === 'rejected' ? refused : 'unclear';
  return { ...silent, txid, status, word, reason, failure: error.toFailure(), raw };
}
