import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for what the workers of a run keep until its end: they are ended by a signal, and cannot remove it themselves. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'planchet-templates-'));
  process.env.PLANCHET_TEST_TEMPLATES = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
