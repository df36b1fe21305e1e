import { PlanchetError } from '../../../../contract/index.ts';
import { metadataOf } from '../../projects/items.ts';
import { protocolMetadata } from '../../projects/metadata.ts';
import type { ItemRow, JobRow } from '../../tables.ts';
import { findUnusedOutput } from './remote-outputs.ts';
import type { StepContext, StepOutcome } from './step-context.ts';

/** `draft` → `uploaded`: every item becomes an output at the token service. */
export async function uploadStep(ctx: StepContext, job: JobRow): Promise<StepOutcome> {
  await uploadItems(ctx, job);
  await ctx.journal.write(job.id, { state: 'uploaded', failure: null });
  ctx.crash('uploaded');
  return 'next';
}

/** Uploads the items of a job that are no output of the service yet. */
export async function uploadItems(ctx: StepContext, job: JobRow): Promise<void> {
  const collectionId = await ctx.items.collectionId(job.project_uid);
  for (const item of await ctx.journal.items(job.id)) {
    if (item.output_uid === null) await uploadItem(ctx, job, item, collectionId);
  }
}

async function uploadItem(
  ctx: StepContext,
  job: JobRow,
  item: ItemRow,
  collectionId: string | undefined,
): Promise<void> {
  const subType = item.sub_type as 'single' | 'collection' | 'collectionItem';
  if (subType === 'collectionItem' && collectionId === undefined) {
    throw new PlanchetError('mint.collection-failed');
  }
  const metadata = protocolMetadata(metadataOf(item), subType, collectionId);
  let uid: string | undefined;
  if (item.upload_intent === 1) {
    // The reply to an earlier upload was lost: use the output it may have created instead of creating a second one.
    uid = await findUnusedOutput(ctx, item, metadata);
  } else {
    await ctx.journal.write(job.id, { items: new Map([[item.id, { upload_intent: 1 }]]) });
  }
  ctx.crash('upload-intent');
  uid ??= await ctx.api.createOutput(
    {
      projectUid: item.project_uid,
      contentType: item.content_type,
      pieces: ctx.files.pieces(item.sha256),
      bytes: Number(item.bytes),
      metadata,
    },
    ctx.signal,
  );
  ctx.crash('upload-sent');
  await ctx.journal.write(job.id, { items: new Map([[item.id, { upload_intent: 0, output_uid: uid }]]) });
  ctx.crash('upload-journalled');
}
