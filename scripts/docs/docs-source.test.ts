import { describe, expect, it } from 'vitest';
import { sitePage } from './docs-source.ts';

const pages = new Map([
  ['docs/gateway.md', 'gateway.md'],
  ['docs/guide/start.md', 'guide/start.md'],
  ['ARCHITECTURE.md', 'architecture.md'],
]);
const converted = (text: string, path = 'docs/guide/start.md'): string => sitePage(path, text, pages);

describe('a document as a page of the site', () => {
  it('links to the pages of other documents', () => {
    expect(converted('[a](../gateway.md#errors) and [b](start.md)')).toBe(
      '[a](../gateway.md#errors) and [b](./start.md)',
    );
    expect(converted('[a](../../ARCHITECTURE.md)')).toBe('[a](../architecture.md)');
    expect(converted('[a](docs/gateway.md)', 'ARCHITECTURE.md')).toBe('[a](./gateway.md)');
  });

  it('keeps links to other hosts and within the page', () => {
    const text = '[a](https://example.org/x) [b](#here)';
    expect(converted(text)).toBe(text);
  });

  it('turns links to sources into text, and shows pictures', () => {
    expect(converted('see [the codec](../../src/chain/index.ts)')).toBe('see the codec');
    expect(converted('![mint](../images/project.png)')).toBe('![mint](../images/project.png)');
  });

  it('leaves out comments, except in blocks of code', () => {
    expect(converted('<!-- run -->\n```html\n<!-- kept --> [a](../../src/x.ts)\n```\n')).toBe(
      '```html\n<!-- kept --> [a](../../src/x.ts)\n```\n',
    );
  });
});
