import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { docsAnchorOf, errorCodes, errorEntries } from '../src/contract/index.ts';
import { errorsPage, errorsPagePath } from './docs/errors-page.ts';
import { root } from './paths.ts';

const sources = globSync('src/{main,renderer,preload}/**/*.{ts,tsx}', { cwd: root })
  .filter((path) => !/\.test\.tsx?$|test-support/.test(path))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

describe('the error catalogue', () => {
  it('has no unused entry', () => {
    const code = `${sources.map(({ text }) => text).join('\n')}\n${readFileSync(join(root, 'src/contract/errors/planchet-error.ts'), 'utf8')}`;
    expect(Object.keys(errorEntries).filter((id) => !code.includes(`'${id}'`))).toEqual([]);
  });

  it('contains every message, so that none is written in the code of the services', () => {
    const inline = new RegExp(
      String.raw`new PlanchetError\(\s*\{|\bcode: '(?:${errorCodes.join('|')})',\s*message: ['"\x60]`,
      'g',
    );
    const found = sources
      .filter(({ path }) => path.startsWith('src/main/'))
      .flatMap(({ path, text }) => [...text.matchAll(inline)].map(([match]) => `${path}: ${match}`));
    expect(found).toEqual([]);
  });
});

describe('docs/errors.md', () => {
  const page = readFileSync(errorsPagePath, 'utf8');

  it('is what "npm run docs:errors" writes', () => {
    expect(page).toBe(errorsPage());
  });

  it.each(errorCodes)('has a section for %s', (code) => {
    const [file, anchor] = docsAnchorOf(code).split('#') as [string, string];
    expect(readFileSync(join(root, file), 'utf8')).toContain(`\n## ${anchor}\n`);
  });
});
