import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../paths.ts';

const TEST = /\.test\.tsx?$/;

/**
 * SHA-256 over the names and contents of all sources but tests: a checkout's file times say nothing about what changed.
 * @param sources files and folders of the repository
 */
export function fingerprint(sources: readonly string[]): string {
  const hash = createHash('sha256');
  const add = (name: string): void => {
    if (statSync(join(root, name)).isDirectory()) {
      for (const entry of readdirSync(join(root, name)).sort()) if (!TEST.test(entry)) add(`${name}/${entry}`);
    } else {
      hash
        .update(`${name}\0`)
        .update(readFileSync(join(root, name)))
        .update('\0');
    }
  };
  for (const source of sources) add(source);
  return hash.digest('hex');
}
