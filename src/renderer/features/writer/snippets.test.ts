import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { type SnippetRequest, snippet, snippetLanguages } from './snippets.ts';

const request: SnippetRequest = {
  base: 'http://127.0.0.1:9500',
  body: `{"it's":"a \\"quote\\" $HOME ü😀"}`,
  tag: "o'clock",
  mode: 'raw',
  wait: 'mined',
};

const hasPython = spawnSync('python3', ['--version']).status === 0;

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

  it.skipIf(!hasPython)('is Python that sends the very bytes of the form', () => {
    const printing = [
      'import contextlib, json, sys, urllib.request',
      'class Answer: status, read = 201, lambda self: b""',
      '@contextlib.contextmanager',
      'def printed(request):',
      '    json.dump([request.full_url, request.data.hex(), dict(request.header_items())], sys.stderr)',
      '    yield Answer()',
      'urllib.request.urlopen = printed',
    ].join('\n');
    const { stderr } = spawnSync('python3', ['-'], {
      encoding: 'utf8',
      input: `${printing}\n${snippet('Python', request)}`,
      env: { ...process.env, PLANCHET_API_KEY: 'k' },
    });
    const [url, data, headers] = JSON.parse(stderr) as [string, string, Record<string, string>];
    expect(url).toBe('http://127.0.0.1:9500/api/v1/write?wait=mined');
    expect(Buffer.from(data, 'hex').toString('utf8')).toBe(request.body);
    expect(headers).toMatchObject({
      Authorization: 'Bearer k',
      'X-tag': "o'clock",
      'Content-type': 'application/json',
    });
  });
});
