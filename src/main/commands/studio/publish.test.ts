import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBundle, verifyBundle } from '../../../chain/bundle/index.ts';
import { callCommand } from '../../test-support/hosts/call-command.ts';
import type { Ended } from '../../test-support/hosts/command-line.ts';
import { startHere } from '../../test-support/hosts/start-here.ts';
import { PublishedFolder } from './published-folder.ts';

let folder: string;
let host: Awaited<ReturnType<typeof startHere>> | undefined;
/** A photo, a drawing and a document, of which the last two carry scripts. */
const HOSTILE = '<script>document.title = "run"</script>';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-publish-'));
  host = await startHere({ dataDir: join(folder, 'data'), set: { 'sandbox.mineOnArrival': '100ms' } });
  const photo = await sharp({ create: { width: 1_000, height: 500, channels: 3, background: '#b4692e' } })
    .png()
    .toBuffer();
  const files = [
    file(
      'cover.svg',
      '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><rect width="40" height="40"/></svg>',
    ),
    file('photo.png', photo),
    file(
      `..draw&amp.svg`,
      `<svg xmlns="http://www.w3.org/2000/svg" width="30" height="30">${HOSTILE}<rect width="9" height="9"/></svg>`,
    ),
    file('page.html', `<h1>Hello</h1>${HOSTILE}`),
  ];
  const { code, err } = await planchet('mint', ...files, '--collection', '../Moons', '--wait', 'proven', '--json');
  expect(err).toBe('');
  expect(code).toBe(0);
});
afterAll(async () => {
  await host?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const planchet = (...args: string[]): Promise<Ended> => callCommand(['--data-dir', join(folder, 'data'), ...args]);
const publish = (out: string, ...args: string[]): Promise<Ended> =>
  planchet('publish', '--project', '../Moons', '--out', join(folder, out), '--json', ...args);
const codeOf = ({ err }: Ended): string => (JSON.parse(err) as { error: { code: string } }).error.code;

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe('planchet publish', () => {
  it('writes a folder with an index, a page a token, pictures in three sizes, proofs, a feed and JSON', async () => {
    const { code, out } = await publish('site', '--base-url', 'https://moons.example/one');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({ folder: join(folder, 'site'), tokens: 3, files: 24 });
    const read = (path: string): string => readFileSync(join(folder, 'site', path), 'utf8');
    const index = read('index.html');
    expect(index).toContain('<a href="token/0001.html">photo</a>');
    expect(index).toContain('<meta property="og:image" content="https://moons.example/one/art/cover-1600.webp">');
    // Neither token has a description of its own, so that its name stands in for it.
    expect(index + read('token/0001.html')).not.toContain('og:description');
    // The style of a document in a frame without rights is checked against this policy, too.
    expect(index).toContain("style-src 'self' 'unsafe-inline';");
    expect(index).toContain('<link rel="canonical" href="https://moons.example/one/index.html">');
    for (const [side, width] of [
      [320, 320],
      [800, 800],
      [1_600, 1_000],
    ] as const) {
      const { format, width: made } = await sharp(join(folder, 'site', `art/0001-${side}.webp`)).metadata();
      expect({ format, made }).toEqual({ format: 'webp', made: width });
    }
    expect(JSON.parse(read('token/0001.json'))).toMatchObject({
      name: 'photo',
      image: 'https://moons.example/one/art/0001.png',
      external_url: 'https://moons.example/one/token/0001.html',
      attributes: [],
      properties: { collection: 'cover', network: 'sandbox' },
    });
    expect(JSON.parse(read('collection.json'))).toMatchObject({ name: 'cover', total: 3 });
    expect(read('feed.xml').match(/<entry>/g)).toHaveLength(3);
    // each transaction is proven once, by a file that verifies with other code
    const proofs = readdirSync(join(folder, 'site', 'proof'));
    const origins = proofs.flatMap((name) =>
      verifyBundle(readBundle(readFileSync(join(folder, 'site', 'proof', name)))).tokens.map(({ origin }) => origin),
    );
    expect(new Set(origins).size).toBe(4);
    for (const name of ['0001', '0002', '0003']) {
      const [, proof, origin] = /"proof":"proof\/(\w+\.html)#t=(\w+)"/.exec(read(`token/${name}.html`)) ?? [];
      expect(proofs).toContain(proof);
      expect(origins).toContain(origin);
    }
  });

  it('has no file that would run scripts of a token under the address of the folder', async () => {
    await publish('caged');
    const files = readdirSync(join(folder, 'caged'), { recursive: true }).map(String);
    expect(files.filter((name) => name.endsWith('.svg') || /^art.*html/.test(name))).toEqual([]);
    for (const name of files.filter((each) => /^(?:token.*|index)\.html$/.test(each))) {
      const page = readFileSync(join(folder, 'caged', name), 'utf8');
      expect(page.match(/<script[^>]*>/g)).toEqual([
        '<script type="application/json" id="data">',
        `<script src="${name === 'index.html' ? '' : '../'}page.js">`,
      ]);
      expect(page).toContain("default-src 'none'; script-src 'self'");
    }
    // the names of a token and of its file are in no path
    expect(files.filter((name) => name.includes('draw') || name.includes('..'))).toEqual([]);
  });

  it('is read by an import again', async () => {
    await publish('again');
    const { out, code } = await planchet(
      'import',
      join(folder, 'again', '_metadata.json'),
      join(folder, 'again', 'art', '0001.png'),
      '--project',
      'Copy',
      '--json',
    );
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ imported: 1 });
  });

  it('replaces only what was published before, and says what is in the way', async () => {
    expect((await publish('twice')).code).toBe(0);
    expect(codeOf(await publish('twice'))).toBe('conflict');
    expect((await publish('twice', '--replace')).code).toBe(0);
    writeFileSync(join(folder, 'twice', 'CNAME'), 'moons.example');
    expect(codeOf(await publish('twice', '--replace'))).toBe('conflict');
    expect(readFileSync(join(folder, 'twice', 'CNAME'), 'utf8')).toBe('moons.example');
    mkdirSync(join(folder, 'empty'));
    expect((await publish('empty')).code).toBe(0);
    expect(codeOf(await publish('none/below'))).toBe('invalid-input');
    file('taken', 'text');
    expect(codeOf(await publish('taken'))).toBe('conflict');
    expect(codeOf(await publish('bad', '--base-url', 'javascript:alert(1)'))).toBe('invalid-input');
    expect(readdirSync(folder).filter((name) => name.endsWith('.part') || name.endsWith('.old'))).toEqual([]);
  });
});

describe('a published folder', () => {
  it('takes no path that leads out of it, and is gone when it is discarded', () => {
    const out = join(folder, 'paths');
    const published = new PublishedFolder(out, false);
    for (const path of [
      '../x.html',
      '/etc/x.html',
      'token/../../x.html',
      'token\\x.html',
      'a/b/c.html',
      '.html',
      'x',
      'token/x.html/',
    ]) {
      expect(() => published.write(path, new Uint8Array()), path).toThrow();
    }
    published.write('token/0001.html', new Uint8Array());
    published.discard();
    expect(existsSync(out)).toBe(false);
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
  });
});
