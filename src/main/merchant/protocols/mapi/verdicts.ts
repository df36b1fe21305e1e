import { fromHex } from '../../../../chain/index.ts';
import { type MinerQuote, PlanchetError, type QuoteSource } from '../../../../contract/index.ts';
import type { MinerStatus, MinerVerdict } from '../../../ports/merchant/miners.ts';
import { classifyRefusal, reasonOf, refusalError } from '../../refusals.ts';
import type { QuotePayload, StatusPayload, SubmitPayload } from './payloads.ts';

/** A quote is asked for again after this time, however long it is said to be valid. */
const MAX_VALID_MS = 24 * 3_600_000;
const MAX_VERSION_CHARS = 32;

const HEX = /^(?:[0-9a-f]{2})+$/i;

/** A quote with its signer, which is always known. */
export type SourcedQuote = MinerQuote & { source: QuoteSource };

/**
 * @param now time in milliseconds since 1970. The miner's own clock may be another, so only how long the quote is valid counts.
 * @throws PlanchetError `upstream-error` for a quote that has ended or names no standard fee
 */
export function quoteOf(payload: QuotePayload, source: QuoteSource, now: number): SourcedQuote {
  const { fees, timestamp, expiryTime, policies, apiVersion } = payload;
  const minerTime = Date.parse(timestamp);
  const validFor = Date.parse(expiryTime) - minerTime;
  if (!(validFor > 0)) throw new PlanchetError('merchant.quote-expired');
  const standard = fees.find(({ feeType }) => feeType === 'standard');
  if (!standard) throw new PlanchetError('merchant.quote-incomplete');
  const data = fees.find(({ feeType }) => feeType === 'data') ?? standard;
  const { relayFee: standardRelay } = standard;
  const { relayFee: dataRelay } = data;
  const { currentHighestBlockHash: hash, currentHighestBlockHeight: height } = payload;
  return {
    standard: standard.miningFee,
    data: data.miningFee,
    relay: standardRelay && dataRelay ? { standard: standardRelay, data: dataRelay } : null,
    at: now,
    expiresAt: now + Math.min(validFor, MAX_VALID_MS),
    minerTime,
    apiVersion: apiVersion.slice(0, MAX_VERSION_CHARS) || null,
    policies,
    highestBlock: hash && height !== null && height !== undefined ? { hash, height } : null,
    source,
  };
}

/** What a verdict on a transaction says unless the miner says otherwise. */
const silent = { reason: null, failure: null, block: null, bump: null, conflicts: [] } as const;

type Answer = Pick<MinerVerdict, 'raw' | 'signature'>;

export function submitVerdict(txid: string, result: SubmitPayload, { raw, signature }: Answer): MinerVerdict {
  const answer = { raw, signature };
  if (result.returnResult === 'success') {
    if (result.txid === '' || result.txid.toLowerCase() === txid)
      return { ...silent, ...answer, txid, status: 'accepted', word: 'success' };
    return failedVerdict(txid, new PlanchetError('merchant.other-txid', { answered: result.txid, sent: txid }), answer);
  }
  if (result.returnResult === 'none' && result.resultDescription === '')
    return failedVerdict(txid, new PlanchetError('merchant.no-result'), answer);
  const error = refusalError(result.resultDescription, result.failureRetryable === true);
  // The miner has it already, so nothing failed.
  if (error === undefined) return { ...silent, ...answer, txid, status: 'accepted', word: 'failure' };
  return { ...failedVerdict(txid, error, answer), conflicts: result.conflictedWith.map(conflictOf) };
}

function conflictOf({ txid, hex }: SubmitPayload['conflictedWith'][number]): MinerVerdict['conflicts'][number] {
  return { txid, rawTx: hex && HEX.test(hex) ? fromHex(hex.toLowerCase()) : null };
}

export function failedVerdict(txid: string, error: PlanchetError, { raw, signature }: Answer): MinerVerdict {
  const reason = reasonOf(error);
  const status: MinerStatus =
    error.code !== 'rejected' ? 'unclear' : reason.text === 'evicted' ? 'evicted' : 'rejected';
  return { ...silent, raw, signature, txid, status, word: 'failure', reason, failure: error.toFailure() };
}

export function statusVerdict(txid: string, payload: StatusPayload, { raw, signature }: Answer): MinerVerdict {
  const base = { ...silent, raw, signature, txid };
  if (payload.returnResult === 'success') {
    const { blockHash, blockHeight, merkleProof } = payload;
    if (!blockHash) return { ...base, status: 'seen', word: 'success' };
    const block = { hash: blockHash, height: blockHeight ?? -1 };
    return { ...base, status: 'mined', word: 'success', block, proof: merkleProof ?? undefined };
  }
  if (payload.returnResult === 'none' && payload.resultDescription === '')
    return failedVerdict(txid, new PlanchetError('merchant.no-result'), { raw, signature });
  const text = payload.resultDescription;
  const error = refusalError(text);
  const { retry } = classifyRefusal(text);
  const reason = error === undefined ? null : reasonOf(error);
  if (retry === 'later')
    return { ...base, status: 'unclear', word: 'failure', reason, failure: error?.toFailure() ?? null };
  const status = text === 'evicted' ? 'evicted' : 'unknown';
  return { ...base, status, word: 'failure', reason };
}
