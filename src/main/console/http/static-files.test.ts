import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerStatic, resolveStaticPath } from './static-files.ts';

let folder: string;
let root: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-static-'));
  root = join(folder, 'renderer');
  mkdirSync(join(root, 'assets'), { recursive: true });
  mkdirSync(join(folder, 'outside'));
  writeFileSync(join(folder, 'secret.js'), 'secret');
  writeFileSync(join(folder, 'outside', 'a.js'), 'secret');
  writeFileSync(join(root, 'index.html'), '<i nonce="__CSP_NONCE__"></i><b nonce="__CSP_NONCE__"></b>');
  writeFileSync(join(root, 'assets', 'index-a1_B.js'), 'export {}');
  mkdirSync(join(folder, 'docs', 'guide'), { recursive: true });
  writeFileSync(join(folder, 'docs', 'index.html'), 'documents');
  writeFileSync(join(folder, 'docs', 'guide', 'index.html'), 'guide');
  writeFileSync(join(root, '.env.js'), 'secret');
  writeFileSync(join(root, 'key.pem'), 'secret');
  symlinkSync(join(folder, 'secret.js'), join(root, 'link.js'));
  symlinkSync(join(folder, 'outside'), join(root, 'linked'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const textOf = async (path: string): Promise<string> => new TextDecoder().decode((await answerStatic(root, path)).body);

describe('the server of static files', () => {
  it('serves a built file with its type, and lets it be cached for ever where its name holds its hash', async () => {
    const answer = await answerStatic(root, '/assets/index-a1_B.js');
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    });
  });

  it('sends the compressed form that the request accepts, the smallest first', async () => {
    const sent = async (path: string, accepted?: string) => {
      const { headers, body } = await answerStatic(root, path, accepted);
      return `${headers['content-encoding']} ${new TextDecoder().decode(body)}`;
    };
    const path = '/assets/index-a1_B.js';
    writeFileSync(join(root, `${path}.br`), 'brotli');
    writeFileSync(join(root, `${path}.gz`), 'gzip');
    expect(await sent(path, 'gzip, deflate, br, zstd')).toBe('br brotli');
    expect(await sent(path, 'GZIP')).toBe('gzip gzip');
    expect(await sent(path, 'br;q=0, gzip;q=0.5')).toBe('gzip gzip');
    expect(await sent(path, 'identity')).toBe('undefined export {}');
    expect(await sent(path)).toBe('undefined export {}');
    expect(await sent('/', 'br')).toContain('undefined <i nonce=');
    expect((await answerStatic(root, path)).headers).toMatchObject({ vary: 'accept-encoding' });
    expect((await answerStatic(root, `${path}.br`)).status).toBe(404);
    // The plain form is not even read.
    rmSync(join(root, path));
    expect((await answerStatic(root, path, 'br')).status).toBe(200);
    expect((await answerStatic(root, path)).status).toBe(404);
  });

  it('writes the nonce of the header into the page, wherever it is asked for', async () => {
    const { headers, body } = await answerStatic(root, '/');
    const nonce = /'nonce-([^']+)'/.exec(headers['content-security-policy'] as string)?.[1];
    expect(new TextDecoder().decode(body)).toBe(`<i nonce="${nonce}"></i><b nonce="${nonce}"></b>`);
  });

  it('serves the documents under a policy that allows scripts of their files alone', async () => {
    expect(await textOf('/docs/')).toBe('documents');
    expect(await textOf('/docs/guide/')).toBe('guide');
    const { status, headers } = await answerStatic(root, '/docs/index.html');
    expect(status).toBe(200);
    expect(headers['content-security-policy']).toContain("script-src 'self';");
    expect(headers['content-security-policy']).not.toContain('nonce');
    expect(await answerStatic(root, '/docs')).toMatchObject({ status: 302, headers: { location: '/docs/' } });
    expect((await answerStatic(root, '/docs/missing.html')).status).toBe(404);
  });

  it('finds a document without its extension and a folder without its slash, and answers an unknown one with the 404 page', async () => {
    writeFileSync(join(folder, 'docs', 'wallet.html'), 'wallet');
    expect(await textOf('/docs/wallet')).toBe('wallet');
    expect(await answerStatic(root, '/docs/guide')).toMatchObject({
      status: 302,
      headers: { location: '/docs/guide/' },
    });
    writeFileSync(join(folder, 'docs', '404.html'), 'the way home');
    for (const path of ['/docs/nowhere', '/docs/nowhere/', '/docs/guide/nowhere.html']) {
      const { status, headers, body } = await answerStatic(root, path);
      expect([status, new TextDecoder().decode(body)], path).toEqual([404, 'the way home']);
      expect(headers['content-security-policy'], path).toContain("script-src 'self';");
    }
    expect(new TextDecoder().decode((await answerStatic(root, '/docs/nowhere.js')).body)).not.toBe('the way home');
  });

  it('says how to build the documents where they are not built', async () => {
    const { status, body } = await answerStatic(join(folder, 'nothing', 'renderer'), '/docs/');
    expect(status).toBe(503);
    expect(new TextDecoder().decode(body)).toContain('npm run docs');
  });

  it.each([
    '/docs/../secret.js',
    '/docs/%2e%2e/secret.js',
    '/docs//index.html',
    '/../secret.js',
    '/assets/../../secret.js',
    '/%2e%2e/secret.js',
    '/..%2fsecret.js',
    '/..%5csecret.js',
    '/%252e%252e/secret.js',
    '//secret.js',
    '/./index.html',
    '/.env.js',
    '/key.pem',
    '/link.js',
    '/linked/a.js',
    '/assets',
    '/assets/',
    '/index.html/',
    '/index.html%00.js',
    '/%ff',
    '/C:/secret.js',
    '/index.html::$DATA',
    'secret.js',
    '',
  ])('has nothing under %s', async (path) => {
    expect((await answerStatic(root, path)).status).toBe(404);
    expect(await textOf(path)).not.toContain('secret');
  });

  it('never resolves outside of its folder', () => {
    const part = fc.oneof(
      fc.constantFrom('..', '.', '%2e%2e', '%2E.', '%2f', '%5c', '\\', '..%2f', 'assets', 'a.js', '', '%00', '~', 'C:'),
      fc.string({ maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const file = resolveStaticPath('/srv/page', `/${parts.join('/')}`);
        expect(file === undefined || file.startsWith(`${join('/srv/page')}${sep}`)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('says how to build the page where it is not built', async () => {
    const { status, headers, body } = await answerStatic(join(folder, 'nothing'), '/');
    expect(status).toBe(503);
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(new TextDecoder().decode(body)).toContain('npm run build');
  });
});
