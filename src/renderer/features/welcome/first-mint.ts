import type { Failure, Item, MintJob, Project } from '../../../contract/index.ts';
import type { Client } from '../../api/client.ts';
import { failureOf } from '../../api/failure.ts';
import { uploadFile } from '../../api/upload/upload.ts';
import { newKey } from '../../lib/new-key.ts';

/** Storage key of the draft and the mint that wait for a decision, so that abandoned ones are removed at the next start. */
export const LEFT_BEHIND = 'planchet-first-mint';

/** What was created so far, so that a retry continues from there. */
export interface FirstMint {
  /** Undefined if another page of this browser took it. */
  file?: File;
  fileName: string;
  name: string;
  /** Idempotency key of the mint. It changes with the name or the picture. */
  idempotencyKey: string;
  project?: Project;
  item?: Item;
  job?: MintJob;
  /** It was approved or is open elsewhere, so leaving does not cancel it. */
  isKept?: boolean;
}

/** `copper-moon.png` → `Copper moon` */
export function nameOf({ name }: Pick<File, 'name'>): string {
  const words = name
    .replace(/\.[^.]*$/, '')
    .replaceAll(/[-_]+/g, ' ')
    .trim();
  return words === '' ? name : `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** Creates a project with one item from a file, and a mint of it that waits for approval. */
export async function prepareFirstMint(
  client: Client,
  mint: FirstMint,
  { projectName, destination }: { projectName: string; destination: string },
): Promise<MintJob> {
  mint.project ??= await emptyProject(client, projectName);
  const metadata = { name: mint.name, description: mint.name, traits: [] };
  if (mint.item === undefined && mint.file !== undefined) {
    const { sha256 } = await upload(client, mint.file);
    const { uid: projectUid } = mint.project;
    mint.item = await client.items.create({ projectUid, sha256, fileName: mint.file.name, metadata });
  } else if (mint.item !== undefined && mint.item.metadata.name !== mint.name)
    mint.item = await client.items.update({ id: mint.item.id, metadata });
  const { idempotencyKey } = mint;
  const item = mint.item as Item;
  localStorage.setItem(LEFT_BEHIND, JSON.stringify({ itemId: item.id }));
  mint.job = await client.mint.create({ itemIds: [item.id], destination, idempotencyKey });
  localStorage.setItem(LEFT_BEHIND, JSON.stringify({ itemId: item.id, jobId: mint.job.id }));
  return mint.job;
}

/** Cancels the mint and changes its item. `prepareFirstMint` then creates another one. */
export async function changeFirstMint(
  client: Client,
  mint: FirstMint,
  change: { name?: string; file?: File },
): Promise<void> {
  await cancelJob(client, mint);
  if (change.file !== undefined && mint.item !== undefined) {
    const { sha256 } = await upload(client, change.file);
    const changes = [{ id: mint.item.id, sha256, fileName: change.file.name }];
    [mint.item] = await client.items.replaceFiles({ changes, keepsOriginal: false });
  }
  // A name that a person typed is kept with another picture.
  const isOwnName = mint.name !== nameOf({ name: mint.fileName });
  if (change.file !== undefined) {
    mint.file = change.file;
    mint.fileName = change.file.name;
    if (!isOwnName) mint.name = nameOf(change.file);
  }
  if (change.name !== undefined) mint.name = change.name;
  mint.idempotencyKey = newKey();
}

/** Cancels the mint and moves its draft to the bin of the project, so that nothing waits for the person. */
export async function abandonFirstMint(client: Client, mint: Pick<FirstMint, 'item' | 'job'>): Promise<void> {
  await cancelJob(client, mint);
  if (mint.item !== undefined) await unless(['not-found'], client.items.remove({ ids: [mint.item.id] }));
  forget(mint.item?.id);
}

/** Removes what a closed or reloaded page left. Mints approved in the meantime stay. */
export async function clearLeftBehind(client: Client): Promise<void> {
  const { itemId, jobId } = leftBehind();
  if (itemId === undefined) return;
  if (jobId !== undefined) await unless(['not-found', 'conflict'], client.mint.cancel({ id: jobId }));
  await unless(['not-found', 'conflict'], client.items.remove({ ids: [itemId] }));
  forget(itemId);
}

/**
 * The first mint that another page of this browser has in review, or that this page had before a reload.
 * @returns undefined if there is none, or if it can no longer be decided
 */
export async function sharedFirstMint(
  client: Client,
): Promise<(FirstMint & Required<Pick<FirstMint, 'job'>>) | undefined> {
  const { itemId, jobId } = leftBehind();
  if (itemId === undefined || jobId === undefined) return undefined;
  const job = await client.mint.get({ id: jobId });
  if (!job.canCancel) return undefined;
  const project = await client.projects.get({ uid: job.projectUid });
  const item = (await client.items.list({ projectUid: project.uid })).find(({ id }) => id === itemId);
  if (item === undefined) return undefined;
  const { file, metadata } = item;
  return { fileName: file.name, name: metadata.name, idempotencyKey: newKey(), project, item, job };
}

async function cancelJob(client: Client, mint: Pick<FirstMint, 'job'>): Promise<void> {
  if (mint.job === undefined) return;
  await unless(['not-found'], client.mint.cancel({ id: mint.job.id }));
  // Only now: a mint that could not be cancelled still waits for a decision.
  delete mint.job;
}

/** Waits for a call that may be refused with these codes, because nothing is left to do. */
async function unless(codes: readonly Failure['code'][], call: Promise<unknown>): Promise<void> {
  await call.catch((error: unknown) => {
    if (!codes.includes(failureOf(error).code)) throw error;
  });
}

function leftBehind(): { itemId?: string; jobId?: string } {
  return JSON.parse(localStorage.getItem(LEFT_BEHIND) ?? '{}');
}

/** Another mint may have been begun since. */
function forget(itemId: string | undefined): void {
  if (leftBehind().itemId === itemId) localStorage.removeItem(LEFT_BEHIND);
}

/** The project of an abandoned first token is used again. */
async function emptyProject(client: Client, name: string): Promise<Project> {
  const projects = await client.projects.list();
  const empty = projects.find((one) => one.name === name && one.type === 'single' && one.itemCount === 0);
  return empty ?? client.projects.create({ name, type: 'single' });
}

function upload(client: Client, file: File) {
  return uploadFile(client.files, file, { signal: new AbortController().signal, onProgress: () => {} });
}
