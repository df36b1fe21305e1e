import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { expect, it } from 'vitest';
import { root } from './paths.ts';

/*
 * A service releases what it holds in its own `stop`. A `DisposableStore` is for who opens one part after the other, and closes those
 * already open where a later one fails.
 */
const OPENERS = ['src/main/host/infrastructure.ts', 'src/main/sandbox/core.ts'];

it('a DisposableStore is used only by code that opens several parts one after the other', () => {
  const owners = globSync('src/**/*.ts', { cwd: root })
    .map((path) => path.split(sep).join('/'))
    .filter((path) => !path.endsWith('.test.ts'))
    .filter((path) => readFileSync(join(root, path), 'utf8').includes('new DisposableStore()'));
  // The example in the class's own comment is one of them.
  expect(owners.sort()).toEqual([...OPENERS, 'src/main/infrastructure/disposables.ts'].sort());
});
