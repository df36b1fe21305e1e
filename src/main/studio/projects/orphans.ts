import { createHash } from 'node:crypto';
import type { Item } from '../../../contract/index.ts';
import type { StepContext } from '../minting/step-context.ts';
import type { ItemRow } from '../tables.ts';
import type { RemoteOutput } from './api-replies.ts';
import { metadataOf } from './items.ts';
import { protocolMetadata } from './metadata.ts';

/**
 * Looks for the output that a request whose answer was lost may have made: unused, with the same content and metadata, and not known to
 * any item.
 * @returns its id, or undefined where there is none
 */
export async function findOrphan(
  ctx: Pick<StepContext, 'api' | 'files' | 'items' | 'signal'>,
  item: ItemRow,
  metadata: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const outputs = await ctx.api.listOutputs(item.project_uid, ctx.signal);
  const known = await ctx.items.knownOutputs(outputs.map(({ uid }) => uid));
  const digests = await fileDigests(ctx, item);
  return outputs.find(
    (output) =>
      !known.has(output.uid) &&
      (output.transactionUid ?? null) === null &&
      (output.txId ?? null) === null &&
      output.offChainData?.contentType === item.content_type &&
      digests.has((output.offChainData.b64FileHash ?? '').toLowerCase()) &&
      sameMetadata(output.metadata, metadata),
  )?.uid;
}

/** Services call it the hash of the base64 file: of the text or of what it stands for, so both count. */
async function fileDigests(ctx: Pick<StepContext, 'files'>, item: ItemRow): Promise<Set<string>> {
  const text = createHash('sha256');
  for await (const piece of ctx.files.pieces(item.sha256)) text.update(piece.toString('base64'));
  return new Set([item.sha256, text.digest('hex')]);
}

function sameMetadata(actual: RemoteOutput['metadata'], expected: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(expected);
  return (
    actual !== undefined &&
    actual !== null &&
    Object.keys(actual).length === keys.length &&
    keys.every((key) => Object.hasOwn(actual, key) && actual[key] === expected[key])
  );
}

/** Removes what a cancelled mint left at the token service, as far as the service allows: outputs in a transaction stay there. */
export async function deleteOutputs(ctx: StepContext, items: readonly ItemRow[]): Promise<void> {
  for (const item of items) {
    try {
      const uid = item.output_uid ?? (item.upload_intent === 1 ? await orphanOf(ctx, item) : undefined);
      if (uid !== undefined) await ctx.api.deleteOutput(uid, ctx.signal);
    } catch (error) {
      ctx.logger.info({ err: error, item: item.id }, 'an output of a cancelled mint stays at the service');
    }
  }
}

async function orphanOf(ctx: StepContext, item: ItemRow): Promise<string | undefined> {
  const collectionId = await ctx.items.collectionId(item.project_uid);
  return findOrphan(ctx, item, protocolMetadata(metadataOf(item), item.sub_type as Item['subType'], collectionId));
}
