import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const features = join(import.meta.dirname, '../../features');

it('each list has a unique name, so that no stored state is shared', () => {
  const names = readdirSync(features, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.tsx') && !path.endsWith('.test.tsx'))
    .flatMap((path) =>
      [...readFileSync(join(features, path), 'utf8').matchAll(/<List\s+name="([^"]+)"/g)].map(([, name]) => name),
    );
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});
