import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildIfStale } from './build.ts';
import { root } from './paths.ts';

/** Size of the scripts that a browser has to load before anything is rendered. All other views are loaded when they are opened. */
const MAX_FIRST_SCRIPT_BYTES = 250_000;
/** Strings that occur in libraries which only some views need. */
const ofViews = ['recharts-wrapper', '$ZodType', 'onFileDialogCancel', 'getVirtualItems'];

interface Chunk {
  readonly file: string;
  readonly isEntry?: true;
  readonly imports?: readonly string[];
}

const page = join(root, 'out', 'renderer');
let first: string[] = [];
let manifest: Record<string, Chunk> = {};

/** The chunk and all that it needs at its start. */
function neededBy(chunk: string): Set<string> {
  const needed = new Set([chunk]);
  for (const key of needed) for (const next of manifest[key]?.imports ?? []) needed.add(next);
  return needed;
}

/** Small files are not compressed. */
function sentBytes(file: string): number {
  const packed = `${file}.br`;
  return statSync(existsSync(packed) ? packed : file).size;
}

beforeAll(() => {
  buildIfStale({ quiet: true });
  manifest = JSON.parse(readFileSync(join(page, '.vite', 'manifest.json'), 'utf8'));
  const entry = Object.keys(manifest).find((key) => manifest[key]?.isEntry) as string;
  first = [...neededBy(entry)].map((key) => (manifest[key] as Chunk).file);
});

describe('the page', () => {
  it(`loads at most ${MAX_FIRST_SCRIPT_BYTES} bytes of compressed script at first`, () => {
    const bytes = first.map((file) => sentBytes(join(page, file)));
    expect(first.length).toBeGreaterThan(1);
    expect(bytes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(MAX_FIRST_SCRIPT_BYTES);
  });

  // Constants of a file that waits for this one are undefined while this one is run.
  it('has no files that need each other at their start', () => {
    const inCircle = Object.keys(manifest).filter((key) =>
      (manifest[key]?.imports ?? []).some((next) => neededBy(next).has(key)),
    );
    expect(inCircle).toEqual([]);
  });

  it('loads heavy libraries only with the views that use them', () => {
    const scripts = readdirSync(join(page, 'assets')).filter((name) => name.endsWith('.js'));
    const holding = (names: readonly string[], mark: string): string[] =>
      names.filter((name) => readFileSync(join(page, name), 'utf8').includes(mark));
    for (const mark of ofViews) {
      expect(
        holding(
          scripts.map((name) => `assets/${name}`),
          mark,
        ).length,
        mark,
      ).toBeGreaterThan(0);
      expect(holding(first, mark), mark).toEqual([]);
    }
  });
});
