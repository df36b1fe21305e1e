import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { covenant } from './covenant/covenant.ts';
import { tokenScript } from './test-support/forge.ts';
import { keys } from './test-support/keys.ts';
import { listing, stepTable } from './test-support/listing.ts';

const page = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');

describe('docs/decisions/0008-token-covenant.md', () => {
  const text = page('decisions/0008-token-covenant.md');

  it('matches the script', () => {
    expect(text).toContain(stepTable(1));
    expect(text).toContain(stepTable(2));
    expect(text).toContain(listing(2));
    const [one, two] = ([1, 2] as const).map((version) => covenant(version).code.length.toLocaleString('en'));
    expect(text).toContain(`| ${one} (version 1), ${two} (version 2) |`);
    const [small, large] = ([1, 2] as const).map((version) =>
      tokenScript(keys.alice, version).length.toLocaleString('en'),
    );
    expect(text).toContain(`${small} bytes in version 1 and ${large} in version 2`);
  });
});

describe('docs/token-library.md', () => {
  it('contains only code that runs', () => {
    const blocks = [...page('token-library.md').matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code);
    expect(blocks.length).toBeGreaterThan(4);
    const folder = mkdtempSync(join(tmpdir(), 'planchet-doc-'));
    try {
      const file = join(folder, 'page.ts');
      const places: Record<string, string> = {
        'planchet/token': new URL('./index.ts', import.meta.url).href,
        '@bsv/sdk': new URL('../../node_modules/@bsv/sdk/dist/esm/mod.js', import.meta.url).href,
      };
      const code = blocks
        .join('\n')
        .replace(/from '([^']+)'/g, (all, name: string) => (places[name] ? `from '${places[name]}'` : all));
      writeFileSync(file, code);
      const { status, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
