import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './paths.ts';

const MOST_LINES = 150;

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const modules = globSync('src/renderer/**/*.module.css', { cwd: root });
const components = globSync('src/renderer/**/*.tsx', { cwd: root });

describe('the style sheets', () => {
  it(`have at most ${MOST_LINES} lines`, () => {
    expect(modules.length).toBeGreaterThan(30);
    expect(modules.filter((path) => read(path).split('\n').length - 1 > MOST_LINES)).toEqual([]);
  });

  // The bundler puts sheets that several views share before those of the library, whose rules would then override ours. A layer has lower priority.
  it('override those of the component library', () => {
    const imports = globSync('src/renderer/**/*.{ts,tsx}', { cwd: root }).flatMap((path) =>
      [...read(path).matchAll(/import '(@mantine\/[^']+\.css)'/g)].map(([, sheet = '']) => sheet),
    );
    expect(imports.length).toBeGreaterThan(0);
    expect(imports.filter((sheet) => !sheet.endsWith('.layer.css'))).toEqual([]);
  });

  // The types do not cover this: a missing sheet breaks the build, but a missing class has no effect.
  it('compose only classes of existing sheets', () => {
    const missing = modules.flatMap((path) =>
      [...read(path).matchAll(/composes:[^;]* from ["']([^"']+)["']/g)]
        .filter(([, sheet]) => !existsSync(join(root, dirname(path), sheet as string)))
        .map(([line]) => `${path}: ${line}`),
    );
    expect(missing).toEqual([]);
  });

  it('define every class that a component uses', () => {
    const missing: string[] = [];
    for (const path of components) {
      const code = read(path);
      for (const [, name, sheet] of code.matchAll(/import (\w+) from '(\.[^']*\.module\.css)'/g)) {
        const css = read(join(dirname(path), sheet as string));
        for (const [, used = ''] of code.matchAll(new RegExp(`(?<![./'])\\b${name}\\.(\\w+)(?!\\.css)`, 'g'))) {
          if (used !== 'module' && !new RegExp(`\\.${used}\\b`).test(css)) missing.push(`${path}: ${name}.${used}`);
        }
      }
    }
    expect(missing).toEqual([]);
  });
});
