import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PublishedFolder } from './published-folder.ts';

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  return { ...fs, renameSync: vi.fn(fs.renameSync) };
});

let root: string;
let site: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'planchet-published-'));
  site = join(root, 'site');
});
afterEach(() => {
  vi.mocked(renameSync).mockClear();
  rmSync(root, { recursive: true, force: true });
});

/** Publishes a folder of one page. */
function publish(page: string): void {
  const published = new PublishedFolder(site, existsSync(site));
  published.write('index.html', Buffer.from(page));
  published.finish();
}

it('the pages that were published before stay where the new ones cannot take their place', () => {
  publish('old');
  const real = vi.mocked(renameSync).getMockImplementation() as typeof renameSync;
  // On Windows, a program that looks through new files holds them for a moment.
  vi.mocked(renameSync)
    .mockImplementationOnce(real)
    .mockImplementationOnce(() => {
      throw Object.assign(new Error('EPERM: operation not permitted'), { code: 'EPERM' });
    });
  expect(() => publish('new')).toThrow(expect.objectContaining({ id: 'publish.folder-unwritable' }));
  expect(readFileSync(join(site, 'index.html'), 'utf8')).toBe('old');
  expect(readdirSync(root)).toEqual(['site']);
  publish('new');
  expect(readFileSync(join(site, 'index.html'), 'utf8')).toBe('new');
});

it('a folder that a person only looked at counts as empty', () => {
  mkdirSync(site);
  writeFileSync(join(site, '.DS_Store'), '');
  new PublishedFolder(site, false).discard();
});

it('pages are replaced though a system left files of its own beside them', () => {
  publish('old');
  writeFileSync(join(site, '.DS_Store'), '');
  writeFileSync(join(site, 'token', 'Thumbs.db'), '');
  writeFileSync(join(site, 'desktop.ini'), '');
  publish('new');
  expect(readFileSync(join(site, 'index.html'), 'utf8')).toBe('new');
  mkdirSync(join(site, 'notes'));
  writeFileSync(join(site, 'notes', 'my.DS_Store'), '');
  expect(() => publish('newer')).toThrow(expect.objectContaining({ id: 'publish.folder-taken' }));
});
