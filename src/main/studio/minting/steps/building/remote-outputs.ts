import { createHash } from 'node:crypto';
import type { RemoteOutput } from '../../../projects/api-replies.ts';
import { protocolMetadataOf } from '../../../projects/metadata.ts';
import type { ItemRow } from '../../../tables.ts';
import type { StepContext } from '../step-context.ts';

/** An item with the metadata its output has. */
export interface Upload {
  readonly item: ItemRow;
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * Looks for outputs that uploads may have created although their replies were lost: unused, with the same content and metadata, and known to
 * no item. Each output is given to one item, also where several items are alike.
 * @returns ids of outputs by the id of their item
 */
export async function findUnusedOutputs(
  ctx: Pick<StepContext, 'api' | 'files' | 'items' | 'signal'>,
  projectUid: string,
  uploads: readonly Upload[],
): Promise<Map<string, string>> {
  const outputs = await ctx.api.listOutputs(projectUid, ctx.signal);
  const known = await ctx.items.knownOutputs(outputs.map(({ uid }) => uid));
  const unused = outputs.filter(
    (output) => !known.has(output.uid) && (output.transactionUid ?? null) === null && (output.txId ?? null) === null,
  );
  const byDigest = Map.groupBy(unused, ({ offChainData }) => (offChainData?.b64FileHash ?? '').toLowerCase());
  const found = new Map<string, string>();
  const taken = new Set<string>();
  for (const { item, metadata } of unused.length === 0 ? [] : uploads) {
    const candidates = [...(await fileDigests(ctx, item))].flatMap((digest) => byDigest.get(digest) ?? []);
    const output = candidates.find(
      ({ uid, offChainData, metadata: theirs }) =>
        !taken.has(uid) && offChainData?.contentType === item.content_type && sameMetadata(theirs, metadata),
    );
    if (output === undefined) continue;
    taken.add(output.uid);
    found.set(item.id, output.uid);
  }
  return found;
}

/** Services report the hash of the base64 text or of the file itself. */
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
  const metadata = protocolMetadataOf(item, await ctx.items.collectionId(item.project_uid));
  return (await findUnusedOutputs(ctx, item.project_uid, [{ item, metadata }])).get(item.id);
}
