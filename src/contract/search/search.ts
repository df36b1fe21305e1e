import { z } from 'zod';
import { hashSchema } from '../common.ts';
import { procedure } from '../procedure.ts';
import { MAX_SEARCH_TEXT } from './sought.ts';

/** The kinds of hits of the host. `submitted` is a transaction that Planchet submitted, `transaction` any other that the node has. */
export const searchKinds = [
  'block',
  'transaction',
  'output',
  'address',
  'contact',
  'submitted',
  'token',
  'item',
  'project',
  'redeemable',
  'mint',
  'run',
  'document',
  'miner',
  'key',
  'writerKey',
] as const;
export const searchKindSchema = z.enum(searchKinds);
export type SearchKind = z.infer<typeof searchKindSchema>;

export const searchHitSchema = z.object({
  kind: searchKindSchema,
  /** Block hash, txid, outpoint, address, uid of a project, or id of the item, mint, run, document, miner or key; of a contact its address. */
  id: z.string(),
  /** The name given by a person; for a block its height. Empty if it has no name. */
  name: z.string(),
  /** What it belongs to, such as the project of an item. May be empty. */
  place: z.string(),
  /** Project of an item or a mint. */
  projectUid: z.string().nullable(),
  /** A stored file that shows it. */
  file: z.object({ sha256: hashSchema, name: z.string(), contentType: z.string(), bytes: z.number().int() }).nullable(),
});
export type SearchHit = z.infer<typeof searchHitSchema>;

export const searchAnswerSchema = z.object({
  hits: z.array(searchHitSchema),
  /** Sources in which an id was looked up; `failed` if a source could not be asked. Also set for other texts. */
  tried: z.array(z.object({ kind: searchKindSchema, state: z.enum(['found', 'none', 'failed']) })),
});
export type SearchAnswer = z.infer<typeof searchAnswerSchema>;

/** Ids per request for names. */
const MAX_NAMED_IDS = 200;

export const searchContract = {
  /**
   * Everything on this network that matches a text: a complete id or its start, a name (a letter of each word may be wrong), a tag or a label.
   * @param limit hits of each kind, at most
   */
  find: procedure
    .input(
      z.object({ text: z.string().trim().max(MAX_SEARCH_TEXT), limit: z.number().int().min(1).max(50).default(8) }),
    )
    .output(searchAnswerSchema),
  /** The names of txids, outpoints and addresses: their labels and the names of tokens. Ids without a name are left out. */
  names: procedure
    .input(z.object({ ids: z.array(z.string().max(128)).max(MAX_NAMED_IDS) }))
    .output(z.record(z.string(), z.string())),
};
