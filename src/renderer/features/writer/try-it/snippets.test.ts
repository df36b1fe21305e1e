import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type SnippetLanguage, type SnippetRequest, snippet, snippetLanguages } from './snippets.ts';

const form: Omit<SnippetRequest, 'base'> = {
  body: `{"it's":"a \\"quote\\" $HOME \`x\` %s ü😀\u2028"}`,
  tag: `o'clock "$HOME" \\ %`,
  mode: 'hash',
  wait: 'mined',
};
const has = (program: string): boolean => spawnSync(program, ['--version']).status === 0;

describe('snippet', () => {
  it.each(snippetLanguages)('names address, key and tag in %s', (language) => {
    const code = snippet(language, { ...form, base: 'http://127.0.0.1:9500', mode: 'raw', tag: 'orders' });
    expect(code).toContain('http://127.0.0.1:9500/api/v1/write?wait=mined');
    expect(code).toContain('PLANCHET_API_KEY');
    expect(code).toContain('X-Tag');
    expect(code).toContain('Idempotency-Key');
    expect(code).not.toContain('X-Mode');
  });
});

describe('the program of a snippet', () => {
  let server: Server;
  let came: { url: string; headers: IncomingHttpHeaders; body: string }[];
  let answer: [number, string];
  beforeEach(async () => {
    came = [];
    answer = [201, '{"status":201,"txid":"ab"}'];
    server = createServer(async (request, response) => {
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(piece as Buffer);
      const body = Buffer.concat(pieces).toString('utf8');
      came.push({ url: request.url ?? '', headers: request.headers, body });
      response.writeHead(answer[0], { 'content-type': 'application/json' }).end(answer[1]);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  const run: Record<Exclude<SnippetLanguage, 'C#'>, (code: string) => [string, string[]]> = {
    curl: (code) => ['sh', ['-c', code]],
    JavaScript: (code) => [process.execPath, ['--input-type=module', '--eval', code]],
    Python: (code) => ['python3', ['-c', code]],
  };
  const needed = { curl: ['curl'], JavaScript: [], Python: ['python3'] } as const;
  const languages = Object.keys(run) as (keyof typeof run)[];
  for (const language of languages) {
    const missing = needed[language].some((program) => !has(program));
    it.skipIf(missing || process.platform === 'win32')(`sends what the form says: ${language}`, async () => {
      const { port } = server.address() as AddressInfo;
      const code = snippet(language, { ...form, base: `http://127.0.0.1:${port}` });
      const env = { ...process.env, PLANCHET_API_KEY: 'k-1', FORCE_COLOR: '0', no_proxy: '127.0.0.1' };
      const start = () => promisify(execFile)(...run[language](code), { env });
      const { stdout } = await start();
      expect(stdout).toContain('201');
      answer = [400, '{"status":400,"code":12,"error":"the body is not JSON"}'];
      // Whoever runs it reads why it was refused.
      expect((await start()).stdout).toContain('the body is not JSON');
      expect(came).toHaveLength(2);
      for (const { url, headers, body } of came) {
        expect(url).toBe('/api/v1/write?wait=mined');
        expect(body).toBe(form.body);
        expect(headers).toMatchObject({
          authorization: 'Bearer k-1',
          'content-type': 'application/json',
          'x-tag': form.tag,
          'x-mode': 'hash',
          'idempotency-key': expect.stringMatching(/^[0-9a-f-]{32,36}$/),
        });
      }
      expect(came[0]?.headers['idempotency-key']).not.toBe(came[1]?.headers['idempotency-key']);
    });
  }
});
