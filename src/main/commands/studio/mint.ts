import { randomUUID } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import type { z } from 'zod';
import {
  type FileInfo,
  type Item,
  isPassing,
  type MintJob,
  type MintState,
  type mintResultSchema,
  mintStates,
  PlanchetError,
  type Project,
  projectNameSchema,
  type Trait,
  UPLOAD_PIECE_BYTES,
} from '../../../contract/index.ts';
import { unreadable } from '../shared/new-file.ts';
import { ownWallet } from '../shared/own-wallet.ts';
import { amongProjects } from '../shared/project-named.ts';
import type { Client, Output } from '../shared/run.ts';
import { confirmSpending } from '../shared/terminal.ts';
import { Deadline, reasonOfState, type TimeoutOption } from '../shared/waiting.ts';

type MintResult = z.infer<typeof mintResultSchema>;

export const waitStates = mintStates.having('submitted');

export interface MintOptions extends TimeoutOption {
  collection?: string;
  name?: string;
  description: string;
  trait: Trait[];
  to?: string;
  contentType?: string;
  wait: (typeof waitStates)[number];
  yes: boolean;
}

const POLL_MS = 150;
/** Project of single tokens that files minted without `--collection` belong to. */
const DEFAULT_PROJECT = 'Command line';

/**
 * The main job: files in, tokens out. Files of one call become one transaction; in a new collection the first file is its seed
 * token, minted on its own before the items that refer to it. What was minted is printed, also where the items fail after the seed token.
 */
export async function mint(client: Client, files: string[], options: MintOptions, output: Output): Promise<void> {
  const results: MintResult[] = [];
  try {
    await mintFiles(client, files, options, output, results);
  } finally {
    if (results.length > 0) {
      output.result(
        files.length === 1 ? results[0] : results,
        results.map(({ outpoint, contentType, bytes }) => `${outpoint}  ${contentType}  ${bytes} bytes`).join('\n'),
      );
    }
  }
}

async function mintFiles(
  client: Client,
  files: string[],
  options: MintOptions,
  output: Output,
  results: MintResult[],
): Promise<void> {
  const destination = options.to ?? (await ownWallet(client)).address;
  const { valid, failure } = await client.wallet.validateAddress({ address: destination });
  if (!valid && failure) throw new PlanchetError(failure);

  // Everything that can be wrong with a file is found before the first one is uploaded.
  const handles: { path: string; handle: FileHandle; bytes: number }[] = [];
  try {
    for (const path of files) handles.push(await openFile(path));
    const stored: { path: string; info: FileInfo }[] = [];
    for (const { path, handle, bytes } of handles) {
      output.note(`Reading ${path}`);
      stored.push({ path, info: await upload(client, handle, basename(path), bytes, options.contentType ?? '') });
    }
    const project = await findOrCreateProject(client, options.collection);
    const batches =
      project.type === 'collection' && project.itemCount === 0 ? [stored.slice(0, 1), stored.slice(1)] : [stored];
    for (const batch of batches.filter((files) => files.length > 0)) {
      const items = await createItems(client, project, batch, options);
      results.push(...(await mintItems(client, items, destination, options, output)));
    }
  } finally {
    for (const { handle } of handles) await handle.close();
  }
}

async function openFile(path: string): Promise<{ path: string; handle: FileHandle; bytes: number }> {
  let handle: FileHandle;
  try {
    handle = await open(path, 'r');
  } catch (error) {
    throw unreadable(path, error);
  }
  const info = await handle.stat();
  if (info.isFile()) return { path, handle, bytes: info.size };
  await handle.close();
  throw new PlanchetError('cli.not-a-file', { path });
}

async function upload(
  client: Client,
  handle: FileHandle,
  name: string,
  bytes: number,
  contentType: string,
): Promise<FileInfo> {
  const { uploadId } = await client.files.begin({ name, bytes, contentType });
  try {
    const piece = new Uint8Array(Math.min(UPLOAD_PIECE_BYTES, Math.max(bytes, 1)));
    for (let offset = 0; ; ) {
      const { bytesRead } = await handle.read(piece, 0, piece.length, offset);
      if (bytesRead === 0) break;
      await client.files.append({ uploadId, offset, piece: new Blob([piece.subarray(0, bytesRead)]) });
      offset += bytesRead;
    }
    return await client.files.finish({ uploadId });
  } catch (error) {
    await client.files.abort({ uploadId }).catch(() => {});
    throw error;
  }
}

async function findOrCreateProject(client: Client, collection: string | undefined): Promise<Project> {
  const type = collection === undefined ? 'single' : 'collection';
  const name = collection ?? DEFAULT_PROJECT;
  const read = projectNameSchema.safeParse(name);
  if (!read.success)
    throw new PlanchetError('cli.collection-name-invalid', { reason: read.error.issues[0]?.message ?? '' });
  const projects = (await client.projects.list()).filter((project) => project.type === type);
  // Without a name, any project of the default name will do.
  const known =
    collection === undefined ? projects.find((project) => project.name === name) : amongProjects(projects, name);
  return known ?? (await client.projects.create({ name, type }));
}

async function createItems(
  client: Client,
  project: Project,
  files: { path: string; info: FileInfo }[],
  options: MintOptions,
): Promise<Item[]> {
  const items: Item[] = [];
  for (const { path, info } of files) {
    const fallback = basename(path, extname(path));
    items.push(
      await client.items.create({
        projectUid: project.uid,
        sha256: info.sha256,
        fileName: basename(path),
        metadata: { name: options.name ?? fallback, description: options.description, traits: options.trait },
      }),
    );
  }
  return items;
}

async function mintItems(
  client: Client,
  items: Item[],
  destination: string,
  options: MintOptions,
  output: Output,
): Promise<MintResult[]> {
  const itemIds = items.map((item) => item.id);
  const estimate = await client.mint.estimate({ itemIds, destination });
  // the mint itself asks again where something does not answer now
  const problem = estimate.problems.find((one) => !isPassing(one));
  if (problem) {
    await discard(client, items);
    throw new PlanchetError(problem);
  }
  let job = await client.mint.create({ itemIds, destination, idempotencyKey: randomUUID() });
  const deadline = new Deadline(options);
  let printed: MintState | undefined;
  let waitsUntil: number | null = null;
  for (;;) {
    if (job.state !== printed) {
      output.note(`  ${job.state}${job.txid && job.state === 'submitted' ? ` ${job.txid}` : ''}`);
      printed = job.state;
    }
    if (job.retryAt !== null && job.retryAt !== waitsUntil) {
      const seconds = Math.max(1, Math.ceil((job.retryAt - Date.now()) / 1_000));
      output.note(`  ${job.failure?.message ?? ''} Next try in ${seconds} s.`);
      waitsUntil = job.retryAt;
    }
    if (job.failure && !job.active) throw new PlanchetError(job.failure);
    if (job.state === 'cancelled') throw new PlanchetError('cli.nothing-signed');
    if (job.awaitingApproval && job.review) {
      try {
        await approveByPerson(job, options, output);
        job = await client.mint.approve({ id: job.id, digest: job.review.digest });
      } catch (error) {
        // An unapproved job would wait beside that of the next call. A signed one is not cancelled.
        const { id } = job;
        await client.mint
          .cancel({ id })
          .then(() => discard(client, items))
          .catch(() => {});
        throw error;
      }
      continue;
    }
    if (mintStates.indexOf(job.state) >= mintStates.indexOf(options.wait)) break;
    deadline.check('The mint', job.failure?.message ?? reasonOfState('The mint', job.state));
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    job = await client.mint.get({ id: job.id });
  }
  return items.map((item, index) => ({
    txid: job.txid as string,
    outpoint: `${job.txid}_${index}`,
    blockHash: job.blockHash,
    blockHeight: job.blockHeight,
    contentType: item.file.contentType,
    bytes: item.file.bytes,
    fee: job.fee ?? 0,
  }));
}

/** Removes the drafts of a mint that was refused before anything was signed. */
async function discard(client: Client, items: Item[]): Promise<void> {
  await client.items.remove({ ids: items.map(({ id }) => id) });
}

/** The checks have passed by the time this is asked; real money is spent only after a person's yes. */
async function approveByPerson(job: MintJob, options: MintOptions, output: Output): Promise<void> {
  const review = job.review;
  if (!review) return;
  output.note(
    `  You mint ${job.itemIds.length} token${job.itemIds.length === 1 ? '' : 's'} to ${review.destination} and pay ${review.fee} satoshis in fees; ` +
      `${review.checks.length} checks passed.`,
  );
  await confirmSpending(review.network, options.yes);
}
