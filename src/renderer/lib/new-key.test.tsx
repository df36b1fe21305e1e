import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { newKey } from './new-key.ts';

it('ids are made without `crypto.randomUUID`, which a page over plain HTTP from another machine lacks', () => {
  expect(newKey()).toMatch(/^[0-9a-f]{32}$/);
  expect(newKey()).not.toBe(newKey());
  const users = globSync('src/renderer/**/*.{ts,tsx}', { exclude: ['**/*.test.*', '**/snippets.ts', '**/new-key.ts'] });
  expect(users.filter((file) => readFileSync(file, 'utf8').includes('crypto.randomUUID'))).toEqual([]);
  expect(users.length).toBeGreaterThan(300);
});
