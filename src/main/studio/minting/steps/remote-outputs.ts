import { createHash } from 'node:crypto';
import type { Item } from '../../../../contract/index.ts';
import type { RemoteOutput } from '../../projects/api-replies.ts';
import { metadataOf } from '../../projects/items.ts';
import { protocolMetadata } from '../../projects/metadata.ts';
import type { ItemRow } from '../../tables.ts';
import type { StepContext } from './step-context.ts';

/**
 * Looks for an output that an upload may have created although its reply was lost: unused, with the same content and metadata, and known to
 * no item.
 * @returns its id, or undefined where there is none
 */
export async function findUnusedOutput(
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

/** Services send the hash of the base64 text or of the file itself, so both count. */
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

/** Deletes the outputs of a cancelled mint at the token service. The service keeps those that are in a transaction. */
export async function deleteOutputs(ctx: StepContext, items: readonly ItemRow[]): Promise<void> {
  for (const item of items) {
    try {
      const uid = item.output_uid ?? (item.upload_intent === 1 ? await unusedOutputOf(ctx, item) : undefined);
      if (uid !== undefined) await ctx.api.deleteOutput(uid, ctx.signal);
    } catch (error) {
      ctx.logger.info({ err: error, item: item.id }, 'an output of a cancelled mint stays at the service');
    }
  }
}

async function unusedOutputOf(ctx: StepContext, item: ItemRow): Promise<string | undefined> {
  const collectionId = await ctx.items.collectionId(item.project_uid);
  return findUnusedOutput(
    ctx,
    item,
    protocolMetadata(metadataOf(item), item.sub_type as Item['subType'], collectionId),
  );
}
