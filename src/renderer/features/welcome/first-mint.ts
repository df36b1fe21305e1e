import type { Item, MintJob, Project } from '../../../contract/index.ts';
import type { Client } from '../../api/client.ts';
import { uploadFile } from '../../api/upload/upload.ts';

/** What was made so far, so that a second try goes on instead of making it again. */
export interface FirstMint {
  readonly file: File;
  readonly idempotencyKey: string;
  project?: Project;
  item?: Item;
}

/** `copper-moon.png` → `Copper moon` */
export function nameOf({ name }: Pick<File, 'name'>): string {
  const words = name
    .replace(/\.[^.]*$/, '')
    .replaceAll(/[-_]+/g, ' ')
    .trim();
  return words === '' ? name : `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** A file becomes a project with one item, and a mint of it that waits for its approval. */
export async function prepareFirstMint(
  client: Client,
  mint: FirstMint,
  { projectName, destination }: { projectName: string; destination: string },
): Promise<MintJob> {
  mint.project ??= await client.projects.create({ name: projectName, type: 'single' });
  if (mint.item === undefined) {
    const { sha256 } = await uploadFile(client.files, mint.file, {
      signal: new AbortController().signal,
      onProgress: () => {},
    });
    mint.item = await client.items.create({
      projectUid: mint.project.uid,
      sha256,
      fileName: mint.file.name,
      metadata: { name: nameOf(mint.file), description: nameOf(mint.file), traits: [] },
    });
  }
  return client.mint.create({ itemIds: [mint.item.id], destination, idempotencyKey: mint.idempotencyKey });
}
