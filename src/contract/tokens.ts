import { z } from 'zod';
import { outpointSchema } from './common.ts';

/** What a proof bundle is of: one token, or all mined tokens of a project. */
export const bundleInputSchema = z.union([
  z.object({ outpoint: outpointSchema }),
  z.object({ projectUid: z.string().min(1).max(128) }),
]);
export type BundleInput = z.infer<typeof bundleInputSchema>;
