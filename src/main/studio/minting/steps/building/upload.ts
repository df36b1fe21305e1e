import type { Updateable } from 'kysely';
import { PlanchetError } from '../../../../../contract/index.ts';
import { protocolMetadataOf } from '../../../projects/metadata.ts';
import type { ItemRow, JobRow } from '../../../tables.ts';
import type { JournalChange } from '../../journal.ts';
import type { StepContext, StepOutcome } from '../step-context.ts';
import { findUnusedOutputs, type Upload } from './remote-outputs.ts';

type ItemChanges = NonNullable<JournalChange['items']>;

/** `draft` → `uploaded`: every item becomes an output at the token service, if one takes part. */
export async function uploadStep(ctx: StepContext, job: JobRow): Promise<StepOutcome> {
  if (job.direct === 1) await requireCollection(ctx, job);
  const items: ItemChanges = job.direct === 1 ? new Map() : await uploadItems(ctx, job);
  await ctx.journal.write(job.id, { state: 'uploaded', failure: null, items });
  ctx.crash('uploaded');
  return 'next';
}

/** @throws PlanchetError `conflict` where items have no collection token to refer to */
async function requireCollection(ctx: StepContext, job: JobRow): Promise<void> {
  const items = await ctx.journal.items(job.id);
  if (!items.some(({ sub_type }) => sub_type === 'collectionItem')) return;
  if ((await ctx.items.collectionId(job.project_uid)) === undefined) throw new PlanchetError('mint.collection-failed');
}

/** Files of one job that are sent at the same time. */
const SIDE_BY_SIDE = 8;

/**
 * Uploads the items of a job that are no output of the service yet.
 * @returns what is left to journal of them, for the caller's next write
 */
export async function uploadItems(ctx: StepContext, job: JobRow): Promise<ItemChanges> {
  const collectionId = await ctx.items.collectionId(job.project_uid);
  const missing = (await ctx.journal.items(job.id)).filter(({ output_uid }) => output_uid === null);
  if (missing.length === 0) return new Map();
  if (collectionId === undefined && missing.some(({ sub_type }) => sub_type === 'collectionItem')) {
    throw new PlanchetError('mint.collection-failed');
  }
  const uploads = missing.map((item) => ({ item, metadata: protocolMetadataOf(item, collectionId) }));
  const isNew = ({ item }: Upload) => item.upload_intent === 0;
  const journal = new UploadJournal(ctx, job.id);
  // The replies to earlier uploads were lost: their outputs, if they exist, are used instead of creating second ones.
  const lost = uploads.filter((upload) => !isNew(upload));
  const found = lost.length === 0 ? new Map<string, string>() : await findUnusedOutputs(ctx, job.project_uid, lost);
  for (const [id, uid] of found) journal.add(id, uid);
  await journal.flushed();
  const intents = new Map(uploads.filter(isNew).map(({ item }) => [item.id, { upload_intent: 1 }]));
  if (intents.size > 0) await ctx.journal.write(job.id, { items: intents });
  ctx.crash('upload-intent');
  const unsent = uploads.filter(({ item }) => !found.has(item.id));
  await sendAll(ctx, unsent, journal);
  return journal.rest();
}

/** Sends several files at a time. After a failure no further one is sent, and what was sent is journalled before the failure is thrown. */
async function sendAll(ctx: StepContext, uploads: readonly Upload[], journal: UploadJournal): Promise<void> {
  const waiting = uploads.values();
  let failure: { error: unknown } | undefined;
  const work = async () => {
    for (const { item, metadata } of waiting) {
      if (failure !== undefined) return;
      try {
        const uid = await ctx.api.createOutput(
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
        journal.add(item.id, uid);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(SIDE_BY_SIDE, uploads.length) }, work));
  if (failure === undefined) return;
  await journal.flushed();
  throw failure.error;
}

/** Outputs that are journalled together. Should the process end before, they are found at the service again, since their intent is journalled. */
const OUTPUTS_A_WRITE = 50;

/** Journals outputs of uploads, many in one write. The last ones are left to the step's own write. */
class UploadJournal {
  readonly #ctx: StepContext;
  readonly #jobId: string;
  readonly #pending = new Map<string, Updateable<ItemRow>>();
  #writing: Promise<void> | undefined;

  constructor(ctx: StepContext, jobId: string) {
    this.#ctx = ctx;
    this.#jobId = jobId;
  }

  /** Never throws: see `rest`. */
  add(itemId: string, output_uid: string): void {
    this.#pending.set(itemId, { upload_intent: 0, output_uid });
    if (this.#pending.size < OUTPUTS_A_WRITE) return;
    this.#writing = this.flushed();
    // Reported by `rest`.
    this.#writing.catch(() => {});
  }

  /** @throws PlanchetError `disk-full` | `store-failed` where something could not be written */
  async flushed(): Promise<void> {
    const items = await this.rest();
    if (items.size > 0) await this.#ctx.journal.write(this.#jobId, { items });
  }

  /** @returns what no write has taken yet. @throws PlanchetError `disk-full` | `store-failed` where something could not be written */
  async rest(): Promise<ItemChanges> {
    await this.#writing;
    const items = new Map(this.#pending);
    this.#pending.clear();
    return items;
  }
}
