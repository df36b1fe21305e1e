import { z } from 'zod';
import { hashSchema, timestampSchema } from '../common.ts';
import { type Failure, failureSchema } from '../errors/index.ts';
import { procedure } from '../procedure.ts';

/** What a source of headers said last. */
export const headerSourceSchema = z.object({
  name: z.string(),
  /** Whose word it is; null for a node of one's own, which needs no second opinion. */
  operator: z.string().nullable(),
  /** Of its tip, as it says; null before it answered. */
  height: z.number().int().nullable(),
  /** Height up to which its chain is the active one; null if it did not answer last time. */
  agreesTo: z.number().int().nullable(),
  /** How often it said what does not hold, since the start: forbidden headers, other bytes, false proofs and spends. */
  refused: z.number().int(),
  /** Why it was of no use last time; null if it was. */
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
  /** Whether a node of one's own, or two operators, have the tip or a block at most two below it. While not, nothing counts as settled. */
  isAgreed: z.boolean(),
  sources: z.array(headerSourceSchema),
  /** Whether the sources are being asked now. */
  isReading: z.boolean(),
  /** What the headers take, 80 bytes each. */
  bytes: z.number().int(),
  /** Height of the highest block that is fixed in the program and was found in the chain. */
  checkpoint: z.number().int().nullable(),
  /** Why the newest headers could not be read; null if they could. */
  failure: failureSchema.nullable(),
});
export type HeadersStatus = z.infer<typeof headersStatusSchema>;

/** Faults of this computer, not of whoever is asked. */
const ownFaults: ReadonlySet<string> = new Set(['store-failed', 'disk-full']);

/** Whether the newest headers could not be read because nobody who was asked answered. */
export function isSilence(failure: Pick<Failure, 'code'> | null): boolean {
  return failure !== null && !ownFaults.has(failure.code);
}

/**
 * Why what is known of the chain may be old: nobody answers, or no two operators agree. Undefined where that is not so, and before anybody was
 * asked.
 */
export function headersFault({ isAgreed, tip, sources, failure }: HeadersStatus): 'silent' | 'not-agreed' | undefined {
  if (isSilence(failure)) return 'silent';
  if (isAgreed && tip !== null) return undefined;
  return sources.some((source) => source.height !== null || source.failure !== null) ? 'not-agreed' : undefined;
}

export const headersContract = {
  status: procedure.output(headersStatusSchema),
  /** Begins to read what is new, and with `from` older headers from that height on. */
  sync: procedure
    .input(z.object({ from: z.number().int().min(0).nullable().default(null) }))
    .output(headersStatusSchema),
};
