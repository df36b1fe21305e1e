import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { type SnippetRequest, snippet, snippetLanguages } from './snippets.ts';

const request: SnippetRequest = {
  base: 'http://127.0.0.1:9500',
  body: `{"it's":"a \\"quote\\" $HOME ü😀"}`,
  tag: "o'clock",
  mode: 'raw',
  wait: 'mined',
};

describe('snippet', () => {
  it.each(snippetLanguages)('names address, key and tag in %s', (language) => {
    const code = snippet(language, request);
    expect(code).toContain('http://127.0.0.1:9500/api/v1/write?wait=mined');
    expect(code).toContain('PLANCHET_API_KEY');
    expect(code).toContain('X-Tag');
    expect(code).toContain('Idempotency-Key');
    expect(code).not.toContain('X-Mode');
  });

  it.skipIf(process.platform === 'win32')('hands a shell the very bytes of the form', () => {
    const code = snippet('curl', request).replaceAll('uuidgen', 'echo 1');
    const printed = execFileSync('sh', ['-c', `curl() { for a in "$@"; do printf '%s\\n' "$a"; done; }\n${code}`], {
      encoding: 'utf8',
      env: { ...process.env, PLANCHET_API_KEY: 'k' },
    });
    const lines = printed.trim().split('\n');
    expect(lines.at(-1)).toBe(request.body);
    expect(lines).toContain("X-Tag: o'clock");
    expect(lines).toContain('Authorization: Bearer k');
  });

  it('is JavaScript that sends the very text of the form', async () => {
    const calls: { url: string; init: RequestInit }[] = [];
    const code = snippet('JavaScript', request);
    const run = new Function('fetch', 'console', `return (async () => { ${code} })();`) as (
      fetch: (url: string, init: RequestInit) => Promise<Response>,
      console: { log: () => void },
    ) => Promise<void>;
    await run(
      async (url, init) => {
        calls.push({ url, init });
        return Response.json({ status: 201 });
      },
      { log: () => {} },
    );
    expect(calls[0]?.init.body).toBe(request.body);
    expect(new Headers(calls[0]?.init.headers).get('x-tag')).toBe(request.tag);
  });
});
