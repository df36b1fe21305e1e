import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { newKey } from './new-key.ts';

it('ids are made without `crypto.randomUUID`, which a page over plain HTTP from another machine lacks', () => {
  for (let n = 0; n < 100; n++)
    expect(newKey()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(newKey()).not.toBe(newKey());
  const users = globSync('src/renderer/**/*.{ts,tsx}', { exclude: ['**/*.test.*', '**/snippets.ts', '**/new-key.ts'] });
  expect(users.filter((file) => readFileSync(file, 'utf8').includes('crypto.randomUUID'))).toEqual([]);
  expect(users.length).toBeGreaterThan(300);
});
