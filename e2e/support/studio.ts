import { fileURLToPath } from 'node:url';
import { expect, type Page } from '@playwright/test';
import type { RunningHost } from './host.ts';
import { viewStands } from './open.ts';

/** A file that a test drops: the name of one in resources/samples, or its bytes. */
export type TestFile = string | { name: string; mimeType: string; buffer: Buffer };

const samples = new URL('../../resources/samples/', import.meta.url);

/** Goes to a view by its path, as a link would. */
export async function goTo(app: Page, path: string): Promise<void> {
  // The origin of the desktop's own scheme is not a string.
  await app.goto(new URL(`/#${path}`, app.url()).href);
  // The page handles its new address in a separate task, and renders the view in the next frame.
  await app.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  await viewStands(app);
}

/** Creates a project with files. */
export async function createProject(app: Page, name: string, files: TestFile[]): Promise<void> {
  await goTo(app, '/projects');
  await app
    .getByRole('button', { name: /^(New project|Create your first project)$/ })
    .first()
    .click();
  await app.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
  await app.getByRole('button', { name: 'Create project' }).click();
  await expect(app.getByRole('heading', { name, level: 1 })).toBeVisible();
  const input = app.locator('input[type=file]').first();
  const named = files.filter((file) => typeof file === 'string').map((file) => fileURLToPath(new URL(file, samples)));
  const made = files.filter((file) => typeof file !== 'string');
  await input.setInputFiles(named.length > 0 ? named : made);
}

/** Builds the mint of a project's drafts, which then waits for its approval. */
export async function buildMint(app: Page): Promise<void> {
  await app.getByRole('link', { name: /^Mint (all|\d)/ }).click();
  await app.getByRole('button', { name: 'Continue' }).click();
  await app.getByRole('button', { name: 'Check before minting' }).click();
  await expect(app.getByRole('button', { name: /^Approve and mint/ })).toBeEnabled();
}

/** Approves the review and waits for its proof. */
export async function approveAndWait(app: Page): Promise<void> {
  await app.getByRole('button', { name: /^Approve and mint/ }).click();
  await expect(app.getByText(/(is|are) mined and proven/)).toBeVisible({ timeout: 20_000 });
}

/** Opens the palette by its shortcut. A key pressed before the page listens is lost, so it is pressed again. */
export async function openPalette(app: Page): Promise<void> {
  await expect(app.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(async () => {
    await app.keyboard.press('Control+k');
    await expect(app.getByRole('combobox', { name: /^Search names/ })).toBeFocused({ timeout: 3_000 });
  }).toPass();
}

/** Opens a view or runs a command by its name in the palette. */
export async function runCommand(app: Page, words: string): Promise<void> {
  await openPalette(app);
  // Text typed before the field has the focus is lost, and the commands may still be loading. Enter runs the
  // first entry, whether it is selected yet or not.
  await expect(async () => {
    await app.keyboard.press('ControlOrMeta+a');
    await app.keyboard.type(words);
    const first = app.getByRole('option').first();
    await expect(first).toContainText(new RegExp(words, 'i'), { timeout: 5_000 });
  }).toPass();
  await app.keyboard.press('Enter');
  await expect(app.getByRole('combobox', { name: /^Search names/ })).toHaveCount(0);
}

/** Creates a draft of a unique text. @param name of the file, with `.txt`. @returns its id */
export async function addText(
  client: ReturnType<RunningHost['client']>,
  projectUid: string,
  name: string,
): Promise<string> {
  const bytes = new TextEncoder().encode(`a text of ${name}`);
  const { uploadId } = await client.files.begin({ name, bytes: bytes.length, contentType: 'text/plain' });
  await client.files.append({ uploadId, offset: 0, piece: new Blob([bytes]) });
  const { sha256 } = await client.files.finish({ uploadId });
  const metadata = { name: name.replace('.txt', ''), description: '', traits: [] };
  return (await client.items.create({ projectUid, sha256, fileName: name, metadata })).id;
}
