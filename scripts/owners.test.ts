import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { expect, it } from 'vitest';
import { root } from './paths.ts';

/*
 * A service releases its resources in its own `stop`. A `DisposableStore` is for code that opens several parts in sequence, and closes those
 * already open if a later one fails.
 */
const OPENERS = ['src/main/host/infrastructure.ts', 'src/main/sandbox/core.ts'];

it('a DisposableStore is used only by code that opens several parts one after the other', () => {
  const owners = globSync('src/**/*.ts', { cwd: root })
    .map((path) => path.split(sep).join('/'))
    .filter((path) => !path.endsWith('.test.ts'))
    .filter((path) => readFileSync(join(root, path), 'utf8').includes('new DisposableStore()'));
  // The example in the comment of the class counts too.
  expect(owners.sort()).toEqual([...OPENERS, 'src/main/infrastructure/disposables.ts'].sort());
});
