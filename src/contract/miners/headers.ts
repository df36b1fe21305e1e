import { z } from 'zod';
import { hashSchema, timestampSchema } from '../common.ts';
import { procedure } from '../procedure.ts';

/** The stored headers of the active chain, which every proof is verified against. */
export const headersStatusSchema = z.object({
  /** The node's name of the chain; null before a test network's node has named it. */
  chain: z.enum(['main', 'test', 'stn', 'regtest']).nullable(),
  /** The newest verified header; its time is the miner's. */
  tip: z.object({ hash: hashSchema, height: z.number().int(), time: timestampSchema }).nullable(),
  /** The node's height while headers are being read from it; null otherwise. */
  target: z.number().int().nullable(),
  /** Size of the file. */
  bytes: z.number().int(),
  /** Height of the highest block that is fixed in the program and was found in the chain. */
  checkpoint: z.number().int().nullable(),
  /** Why the newest headers could not be read; null if they could. */
  failure: z.string().nullable(),
});
export type HeadersStatus = z.infer<typeof headersStatusSchema>;

export const headersContract = {
  status: procedure.output(headersStatusSchema),
};
