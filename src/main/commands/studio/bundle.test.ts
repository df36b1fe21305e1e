import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  fromHex,
  headerHash,
  parseHeader,
  sha256,
  type TscProof,
  toHex,
  verifyTscProof,
} from '../../../chain/index.ts';
import type { LedgerRow } from '../../../contract/index.ts';
import { readPdf } from '../../pictures/test-support/read-pdf.ts';
import { callCommand } from '../../test-support/hosts/call-command.ts';
import type { Ended } from '../../test-support/hosts/command-line.ts';
import { startHere } from '../../test-support/hosts/start-here.ts';

interface Minted {
  readonly outpoint: string;
  readonly blockHash: string;
  readonly blockHeight: number;
  readonly fee: number;
}

let folder: string;
let host: Awaited<ReturnType<typeof startHere>> | undefined;
let minted: Minted[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-bundle-cli-'));
  await start();
  const files = ['cover', 'one', 'two'].map((name) =>
    file(`${name}.svg`, `<svg xmlns="http://www.w3.org/2000/svg" id="${name}"/>`),
  );
  const { out } = await planchet('mint', ...files, '--collection', 'Moons', '--wait', 'proven', '--json');
  minted = JSON.parse(out) as Minted[];
});
async function start(): Promise<void> {
  host = await startHere({ dataDir: join(folder, 'data'), set: { 'sandbox.mineOnArrival': '100ms' } });
}
afterAll(async () => {
  await host?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const planchet = (...args: string[]): Promise<Ended> => callCommand(['--data-dir', join(folder, 'data'), ...args]);

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function verify(
  path: string,
  dataDir = 'data',
): Promise<{ code: number | null; verdict: Record<string, unknown> }> {
  const { code, out } = await callCommand(['--data-dir', join(folder, dataDir), 'verify', path, '--json']);
  return { code, verdict: JSON.parse(out) as Record<string, unknown> };
}

describe('planchet ledger', () => {
  it('lists every item with its proof and its share of the fee, as JSON and as CSV', async () => {
    const { out } = await planchet('ledger', '--project', 'Moons', '--json');
    const rows = JSON.parse(out) as LedgerRow[];
    expect(rows.map(({ outpoint }) => outpoint)).toEqual(minted.map(({ outpoint }) => outpoint));
    for (const [index, { proof, txid, blockHash, blockHeight, fileHash, item, state }] of rows.entries()) {
      const name = ['cover', 'one', 'two'][index] as string;
      const content = readFileSync(join(folder, `${name}.svg`));
      expect({ item, fileHash, state }).toEqual({ item: name, fileHash: toHex(sha256(content)), state: 'proven' });
      expect({ blockHash, blockHeight }).toMatchObject({ blockHash: minted[index]?.blockHash });
      const header = fromHex(proof?.target ?? '');
      expect(headerHash(header)).toBe(blockHash);
      expect(proof?.txOrId).toBe(txid);
      expect(verifyTscProof(proof as TscProof, parseHeader(header).merkleRoot)).toBe(true);
    }
    const shares = rows.filter(({ txid }) => txid === rows[1]?.txid).map(({ fee }) => fee ?? 0);
    expect(shares).toHaveLength(2);
    expect(shares.reduce((sum, fee) => sum + fee, 0)).toBe(minted[1]?.fee);
    const csv = await planchet('ledger', '--project', 'Moons', '--csv');
    expect((await planchet('ledger', '--project', 'Moons', '--csv', '--json')).out).toBe(out);
    const lines = csv.out.trimEnd().split('\r\n');
    expect(lines[0]).toBe(
      'item,fileName,fileHash,contentType,bytes,state,outpoint,txid,blockHash,blockHeight,proof,fee',
    );
    expect(lines).toHaveLength(4);
    expect(lines[2]).toContain(`${rows[1]?.outpoint},${rows[1]?.txid},${rows[1]?.blockHash}`);
  });
});

describe('planchet certificate', () => {
  it('draws a page about a token', async () => {
    const path = join(folder, 'one.pdf');
    const { out } = await planchet('certificate', minted[0]?.outpoint as string, '--out', path, '--json');
    expect(JSON.parse(out)).toEqual({ file: path });
    const { lines } = readPdf(readFileSync(path));
    expect(lines[0]).toBe('Certificate of a one-satoshi token');
    expect(lines.join('')).toContain(minted[0]?.outpoint);
  });
});

describe('planchet bundle and planchet verify', () => {
  it('prove one token, where its block is known and where it is not', async () => {
    const [{ outpoint, blockHash, blockHeight: height }] = minted as [Minted];
    const path = join(folder, 'one.html');
    const written = await planchet('bundle', outpoint, '--out', path, '--json');
    expect(JSON.parse(written.out)).toEqual({ file: path, tokens: 1 });
    const { code, verdict } = await verify(path);
    expect(code).toBe(0);
    expect(verdict).toMatchObject({
      valid: true,
      headerKnown: true,
      tokens: [{ outpoint, origin: outpoint, contentType: 'image/svg+xml', blockHash, height }],
      headers: [{ hash: blockHash, height, work: '2', known: true }],
    });
    expect(await verify(path, 'elsewhere')).toMatchObject({
      code: 0,
      verdict: { valid: true, headerKnown: false, headers: [{ known: false }] },
    });
  });

  it('prove a whole project, and say in words what the file alone cannot show', async () => {
    const path = join(folder, 'all.html');
    const written = await planchet('bundle', '--project', 'Moons', '--out', path, '--json');
    expect(JSON.parse(written.out)).toEqual({ file: path, tokens: 3 });
    const { verdict } = await verify(path);
    expect((verdict.tokens as Minted[]).map(({ outpoint }) => outpoint)).toEqual(
      minted.map(({ outpoint }) => outpoint),
    );
    const { code, out } = await callCommand(['--data-dir', join(folder, 'elsewhere'), 'verify', path]);
    expect(code).toBe(0);
    expect(out).toContain('Valid: 3 tokens of the sandbox network');
    expect(out).toContain('What this file alone cannot show');
  });

  it('refuse a forged, cut or huge file with the reason, and leave with 1', async () => {
    const path = join(folder, 'good.html');
    await planchet('bundle', minted[0]?.outpoint as string, '--out', path);
    const good = readFileSync(path, 'latin1');
    const swapped = good.replace(/"sha256":"./, (start) => `${start.slice(0, -1)}${start.endsWith('0') ? '1' : '0'}`);
    const huge = file('huge.html', good);
    truncateSync(huge, 1_073_741_824);
    for (const [bad, reason] of [
      [file('swapped.html', Buffer.from(swapped, 'latin1')), /does not have the hash/],
      [file('cut.html', Buffer.from(good.slice(0, -9), 'latin1')), /page around the data/],
      [file('page.html', '<p>Hello</p>'), /not a proof bundle/],
      [huge, /1024 MiB; a bundle has at most 256 MiB/],
    ] as const) {
      const { code, verdict } = await verify(bad);
      expect(code).toBe(1);
      expect(verdict).toEqual({ valid: false, headerKnown: false, tokens: [], reason: expect.stringMatching(reason) });
    }
  });

  it.each([
    [
      'an output that is no token',
      () => ['bundle', `${minted[0]?.outpoint.slice(0, -1)}1`, '--out', 'x.html'],
      'invalid-input',
    ],
    ['an unknown project', () => ['bundle', '--project', 'Suns', '--out', 'x.html'], 'not-found'],
    ['neither a token nor a project', () => ['bundle', '--out', 'x.html'], 'usage'],
    ['a folder to write to', () => ['bundle', minted[0]?.outpoint ?? '', '--out', folder], 'conflict'],
    ['a file that exists', () => ['bundle', minted[0]?.outpoint ?? '', '--out', join(folder, 'one.svg')], 'conflict'],
    [
      'a picture that exists',
      () => ['certificate', minted[0]?.outpoint ?? '', '--out', join(folder, 'one.svg')],
      'conflict',
    ],
    [
      'a folder that is missing',
      () => ['bundle', minted[0]?.outpoint ?? '', '--out', join(folder, 'none', 'x')],
      'invalid-input',
    ],
    ['a file that is not there', () => ['verify', join(folder, 'nowhere.html')], 'file-not-found'],
  ])('name what is wrong with %s', async (_, args, expected) => {
    const { code, err } = await planchet(...args(), '--json');
    expect(code).toBe(expected === 'usage' ? 2 : 1);
    expect((JSON.parse(err) as { error: { code: string } }).error.code).toBe(expected);
  });

  it('follow a token that was sent on', async () => {
    const token = minted[2]?.outpoint as string;
    const { out: own } = await planchet('wallet', 'address', '--json');
    const { address } = JSON.parse(own) as { address: string };
    const { code, out } = await planchet('send', token, address, '--wait', 'mined', '--json');
    expect(code).toBe(0);
    const sent = JSON.parse(out) as { txid: string; outpoint: string; fee: number };
    expect(sent).toEqual({ txid: expect.any(String), outpoint: `${sent.txid}_0`, fee: expect.any(Number) });
    const path = join(folder, 'sent.html');
    await planchet('bundle', sent.outpoint, '--out', path);
    expect((await verify(path)).verdict).toMatchObject({
      valid: true,
      headerKnown: true,
      // with the token of its collection, which says its name
      tokens: [{ outpoint: sent.outpoint, origin: token }, { outpoint: minted[0]?.outpoint }],
    });
    const again = await planchet('send', token, address, '--json');
    expect(again.code).toBe(1);
    expect((JSON.parse(again.err) as { error: { code: string } }).error.code).toBe('invalid-input');
  });

  it('verify without a running application', async () => {
    const path = join(folder, 'offline.html');
    await planchet('bundle', '--project', 'Moons', '--out', path);
    await host?.stop();
    host = undefined;
    try {
      expect(await verify(path)).toMatchObject({ code: 0, verdict: { valid: true, headerKnown: true } });
    } finally {
      await start();
    }
  });

  it('share their tokens with planchet send-many, which sends each to its address and names wrong lines', async () => {
    const { address } = JSON.parse((await planchet('wallet', 'address', '--json')).out) as { address: string };
    const other = 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn';
    const bad = file('bad.csv', `${other}\nnobody\n`);
    const first = minted[0]?.outpoint as string;
    const refused = await planchet('send-many', '--file', bad, '--token', first, '--json');
    expect(refused.code).toBe(1);
    expect((JSON.parse(refused.err) as { error: { message: string } }).error.message).toMatch(
      /^Lines of the list that cannot be sent: 1\. Line 2: nobody/,
    );
    const list = file(
      'list.csv',
      `token,address\n${minted[0]?.outpoint},${other}\n${minted[1]?.outpoint},${address}\n`,
    );
    const { code, out, err } = await planchet('send-many', '--file', list, '--yes', '--json');
    expect(code, err).toBe(0);
    const sent = JSON.parse(out) as { fee: number; tokens: { outpoint: string; address: string; txid: string }[] };
    expect(sent.fee).toBeGreaterThan(0);
    expect(sent.tokens).toMatchObject([
      { outpoint: minted[0]?.outpoint, address: other },
      { outpoint: minted[1]?.outpoint, address },
    ]);
    const again = await planchet('send-many', '--file', list, '--yes', '--json');
    expect(again.code).toBe(1);
  });
});
