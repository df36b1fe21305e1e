import { z } from 'zod';
import { hashSchema, timestampSchema } from '../common.ts';
import { type Failure, failureSchema } from '../errors/index.ts';
import { procedure } from '../procedure.ts';

/** The last result of a source of headers. */
export const headerSourceSchema = z.object({
  name: z.string(),
  /** Its operator; null for an own node, which needs no second opinion. */
  operator: z.string().nullable(),
  /** Its claimed tip; null before its first reply. */
  height: z.number().int().nullable(),
  /** Height up to which its chain is the active one; null if it did not reply last time. */
  agreesTo: z.number().int().nullable(),
  /** Number of its false answers since the start: invalid headers, other bytes, false proofs and spends. */
  refused: z.number().int(),
  /** Why it could not be used last time; null if it could. */
  failure: failureSchema.nullable(),
});
export type HeaderSourceStatus = z.infer<typeof headerSourceSchema>;

/** The stored headers of the active chain, which every proof is verified against. */
export const headersStatusSchema = z.object({
  /** The name of the chain; null before a source of a test network has named it. */
  chain: z.enum(['main', 'test', 'stn', 'regtest']).nullable(),
  /** The newest verified header; its time is the miner's. */
  tip: z.object({ hash: hashSchema, height: z.number().int(), time: timestampSchema }).nullable(),
  /** A source's height while headers are being read from it; null otherwise. */
  target: z.number().int().nullable(),
  /** Height from which on every header is stored. */
  lowest: z.number().int(),
  /** Height down to which older headers are being read; null if none are. */
  downTo: z.number().int().nullable(),
  /** Of the chain up to the tip, in hex; null where the program knows no block to count from. */
  work: z.string().nullable(),
  /** Whether an own node, or two operators, have the tip or a block at most two below it. If not, nothing counts as settled. */
  isAgreed: z.boolean(),
  sources: z.array(headerSourceSchema),
  /** Whether the sources are being asked now. */
  isReading: z.boolean(),
  /** Size of the stored headers, 80 bytes each. */
  bytes: z.number().int(),
  /** Height of the highest known block of the program that is in the chain. */
  checkpoint: z.number().int().nullable(),
  /** Why the newest headers could not be read; null if they could. */
  failure: failureSchema.nullable(),
});
export type HeadersStatus = z.infer<typeof headersStatusSchema>;

/** Faults of this computer, not of the sources. */
const ownFaults: ReadonlySet<string> = new Set(['store-failed', 'disk-full']);

/** Whether the newest headers could not be read because no source replied. */
export function isSilence(failure: Pick<Failure, 'code'> | null): boolean {
  return failure !== null && !ownFaults.has(failure.code);
}

/**
 * Why the chain data may be stale: no source replies, or no two operators agree. Undefined if neither is so, and before the first
 * request.
 */
export function headersFault({ isAgreed, tip, sources, failure }: HeadersStatus): 'silent' | 'not-agreed' | undefined {
  if (isSilence(failure)) return 'silent';
  if (isAgreed && tip !== null) return undefined;
  return sources.some((source) => source.height !== null || source.failure !== null) ? 'not-agreed' : undefined;
}

export const headersContract = {
  status: procedure.output(headersStatusSchema),
  /** Starts to read new headers, and with `from` older headers from that height on. */
  sync: procedure
    .input(z.object({ from: z.number().int().min(0).nullable().default(null) }))
    .output(headersStatusSchema),
};
