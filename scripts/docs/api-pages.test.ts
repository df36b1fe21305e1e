import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openApiDocuments } from '../../src/main/host/openapi.ts';
import { apiPages, apiPagesFolder, headingOf } from './api-pages.ts';

const pages = [...apiPages()];

describe('docs/openapi', () => {
  it('has a page for each OpenAPI document and no other', () => {
    expect(readdirSync(apiPagesFolder).sort()).toEqual(pages.map(([file]) => file).sort());
  });

  it.each(pages)('%s is what "npm run docs:api" writes', (file, page) => {
    expect(readFileSync(join(apiPagesFolder, file), 'utf8')).toBe(page);
  });

  it.each(Object.entries(openApiDocuments()))(
    '%s shows every operation and every type',
    (name, { paths, components }) => {
      const page = new Map(pages).get(`${name}.md`);
      for (const [path, methods] of Object.entries(paths)) {
        for (const method of Object.keys(methods)) {
          expect(page).toContain(`\n${headingOf(method, path)}\n`);
        }
      }
      for (const type of Object.keys(components?.schemas ?? {})) expect(page).toContain(`\n### ${type}\n`);
    },
  );
});
