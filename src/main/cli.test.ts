import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningHost, startHost } from '../../e2e/support/host.ts';
import { callCommand } from './test-support/hosts/call-command.ts';
import { type Ended, runCommand } from './test-support/hosts/command-line.ts';
import { walletFollows } from './test-support/hosts/wallet-follows.ts';

let folder: string;
let dataDir: string;
let host: RunningHost;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-cli-'));
  dataDir = join(folder, 'data');
  host = await startHost({ dataDir, set: { 'sandbox.mineOnArrival': '100ms' } });
  await walletFollows(host.client());
});
afterAll(async () => {
  await host.stop();
  rmSync(folder, { recursive: true, force: true });
});

function planchet(...args: string[]): Promise<Ended> {
  return callCommand(['--data-dir', dataDir, ...args]);
}

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe('the command line, beside a running host', () => {
  it('mints a file and prints one JSON document', async () => {
    const art = file('art.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>');
    const options = ['--trait', 'metal=copper', '--wait', 'mined', '--json'];
    const { code, out } = await runCommand(['--data-dir', dataDir, 'mint', art, ...options]);
    expect(code).toBe(0);
    const result = JSON.parse(out) as { txid: string };
    expect(Object.keys(result)).toEqual([
      'txid',
      'outpoint',
      'blockHash',
      'blockHeight',
      'contentType',
      'bytes',
      'fee',
    ]);
    const raw = await planchet('rpc', 'getrawtransaction', result.txid, 'true', '--json');
    expect(JSON.parse(raw.out)).toMatchObject({ txid: result.txid, confirmations: 1 });
  });

  it('mints a collection: its token first, then the items that name it', { tags: 'long' }, async () => {
    const files = ['cover', 'one', 'two'].map((name) => file(`${name}.txt`, `this is ${name}`));
    const { code, out } = await planchet('mint', ...files, '--collection', 'Words', '--wait', 'seen', '--json');
    expect(code).toBe(0);
    const tokens = JSON.parse(out) as { txid: string; outpoint: string }[];
    expect(tokens).toHaveLength(3);
    expect(tokens[0]?.txid).not.toBe(tokens[1]?.txid);
    expect(tokens[1]?.txid).toBe(tokens[2]?.txid);
    const item = await planchet('rpc', 'getrawtransaction', tokens[1]?.txid as string, '--json');
    expect(item.out).toContain(Buffer.from(`"collectionId":"${tokens[0]?.outpoint}"`).toString('hex'));
  });

  it('changes a setting of the running host and shows it, but never a secret', async () => {
    expect((await planchet('settings', 'set', 'theme', 'dark')).code).toBe(0);
    expect((await planchet('settings', 'get', 'theme')).out.trim()).toBe('dark');
    const piped = await callCommand(
      ['--data-dir', dataDir, 'settings', 'set', 'rpcPassword', '-'],
      'a password of my own\n',
    );
    expect(piped.code).toBe(0);
    const shown = await planchet('settings', 'list');
    expect(shown.out).toContain('rpcPassword = (set)');
    expect(shown.out).not.toContain('a password of my own');
  });

  it('checks every part with the doctor, and ends with 0', async () => {
    const { code, out } = await planchet('doctor', '--json');
    expect(JSON.parse(out)).toMatchObject({ ok: true });
    expect(code).toBe(0);
  });

  it('mines, pays and shows the balance', async () => {
    const mined = await planchet('sandbox', 'mine', '2', '--json');
    expect((JSON.parse(mined.out) as { hashes: string[] }).hashes).toHaveLength(2);
    const { address } = JSON.parse((await planchet('wallet', 'address', '--json')).out) as { address: string };
    const paid = await planchet('sandbox', 'fund', address, '12345', '--json');
    expect(JSON.parse(paid.out)).toMatchObject({ txid: expect.stringMatching(/^[0-9a-f]{64}$/) });
    const balance = JSON.parse((await planchet('wallet', 'balance', '--json')).out) as { spendable: number };
    expect(balance.spendable).toBeGreaterThan(0);
  });

  it('sends coins, and shows them and the history', async () => {
    const to = 'mkpZhYtJu2r87Js3pDiWJDmPte2NRZ8bJV';
    const sent = await planchet('wallet', 'send', to, '5000', '--wait', 'mined', '--json');
    expect(sent.code).toBe(0);
    const { txid, fee } = JSON.parse(sent.out) as { txid: string; fee: number };
    const history = JSON.parse((await planchet('wallet', 'history', '--json')).out) as { txid: string }[];
    expect(history.find((entry) => entry.txid === txid)).toMatchObject({ amount: -5_000 - fee, fee, purpose: 'sent' });
    expect((await planchet('wallet', 'history', '--csv')).out).toContain(txid);
    const coins = JSON.parse((await planchet('wallet', 'coins', '--json')).out) as { outpoint: string }[];
    expect(coins.some(({ outpoint }) => outpoint.startsWith(txid))).toBe(true);
    const refused = await planchet('wallet', 'send', `${to}x`, '5000', '--json');
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.err)).toMatchObject({ error: { code: 'address-invalid' } });
  });

  it('registers a key once, refuses one that nobody gave out, and tells neither', async () => {
    const { apiKey } = JSON.parse((await planchet('sandbox', 'key', '--json')).out) as { apiKey: string };
    const register = (key: string) => callCommand(['--data-dir', dataDir, 'register', '-'], key);
    expect(await register(`${apiKey}\n`)).toMatchObject({ code: 0, out: 'Registration successful\n' });
    const again = await register(apiKey);
    expect(again).toMatchObject({ code: 1, out: '', err: expect.stringContaining('already been registered') });
    const unknown = await register('nobody-gave-me');
    expect(unknown).toMatchObject({ code: 1, out: '', err: expect.stringContaining('does not know the API key') });
    expect(again.err).not.toContain(apiKey);
    expect(unknown.err).not.toContain('nobody-gave-me');
  });

  it('writes what is piped in, byte for byte, and refuses what is no document', async () => {
    const writing = (...more: string[]) => ['--data-dir', dataDir, 'write', '-', '--json', ...more];
    const write = (input: string | Buffer, ...more: string[]) => callCommand(writing(...more), input);
    const keyed = ['--idempotency-key', 'piped', '--tag', 'Käufe'];
    const { code, out } = await runCommand(writing(...keyed), '{"a": "é\u2028"}\n');
    expect(code).toBe(0);
    const document = JSON.parse(out) as { body: string; tag: string; txid: string };
    expect(document.tag).toBe('Käufe');
    expect(Buffer.from(document.body, 'base64').toString('utf8')).toBe('{"a": "é\u2028"}\n');
    expect((JSON.parse((await write('{"a": "é\u2028"}\n', ...keyed)).out) as { txid: string }).txid).toBe(
      document.txid,
    );
    const refused: [string | Buffer, string, string][] = [
      [Buffer.from('"\xff"', 'latin1'), 'invalid-input', 'not UTF-8'],
      ['{"a":', 'invalid-input', 'not JSON'],
      ['{"a":2}', 'conflict', 'another document'],
    ];
    for (const [input, reason, words] of refused) {
      const ended = await write(input, ...keyed);
      expect(ended.code).toBe(1);
      expect(JSON.parse(ended.err)).toMatchObject({
        error: { code: reason, message: expect.stringContaining(words) as string },
      });
    }
  });

  it('gives a new link, also when the host is started a second time', async () => {
    expect((await planchet('open')).out.trim()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=\S{20,}$/);
    expect((await planchet('serve')).out).toMatch(/#token=/);
  });
});

describe('the command line, alone', () => {
  const alone = (): string => join(folder, 'alone');

  it('brings up what it needs and leaves nothing running', async () => {
    const { code, out } = await runCommand(['--data-dir', alone(), 'rpc', 'getblockcount']);
    expect([code, out.trim()]).toEqual([0, '120']);
    expect((await callCommand(['--data-dir', alone(), 'open'])).code).toBe(1);
  });

  it('keeps real keys behind a passphrase, and hands the words out once more to who knows it', {
    tags: 'long',
  }, async () => {
    const secret = file('passphrase', 'correct horse battery staple\n');
    const options = ['--data-dir', alone(), '--network', 'test', '--passphrase-file', secret];
    const made = await callCommand([...options, 'wallet', 'create', '--json']);
    expect(made.code).toBe(0);
    const { address } = JSON.parse(made.out) as { address: string };
    expect((await callCommand([...options, 'wallet', 'create'])).code).toBe(1);
    const backup = join(folder, 'words');
    expect((await callCommand([...options, 'wallet', 'backup', '--out', backup])).code).toBe(0);
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    const restored = join(folder, 'restored');
    const again = await callCommand([
      '--data-dir',
      restored,
      '--network',
      'test',
      '--passphrase-file',
      secret,
      'wallet',
      'restore',
      '--seed-file',
      backup,
      '--json',
    ]);
    expect(JSON.parse(again.out)).toMatchObject({ address });
    const wrong = await callCommand([
      '--data-dir',
      alone(),
      '--network',
      'test',
      '--passphrase-file',
      file('wrong', 'no'),
      'wallet',
      'backup',
      '--json',
    ]);
    expect(JSON.parse(wrong.err)).toMatchObject({ error: { code: 'vault-passphrase-wrong' } });
  });

  it('restores a wallet from its encrypted backup, and spends real money only after the backup was checked', {
    tags: 'long',
  }, async () => {
    const secret = file('vault', 'correct horse battery staple\n');
    const key = file('backup-key', 'another long passphrase\n');
    const on = (name: string, ...args: string[]): Promise<Ended> =>
      callCommand([
        '--data-dir',
        join(folder, name),
        '--network',
        'main',
        '--passphrase-file',
        secret,
        '--json',
        ...args,
      ]);
    const made = await on('first', 'wallet', 'create');
    const { address } = JSON.parse(made.out) as { address: string };
    const early = await on('first', 'wallet', 'send', address, '5000', '--fee-rate', '50');
    expect(JSON.parse(early.err)).toMatchObject({ error: { message: expect.stringContaining('backup') as string } });
    const backup = join(folder, 'encrypted');
    const out = ['--encrypted', '--out', backup, '--backup-passphrase-file', key];
    expect((await on('first', 'wallet', 'backup', ...out)).code).toBe(0);
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    const check = ['wallet', 'restore-check', backup, '--backup-passphrase-file'];
    expect((await on('first', ...check, secret)).code).toBe(1);
    expect((await on('first', ...check, key)).code).toBe(0);
    const late = await on('first', 'wallet', 'send', address, '5000', '--fee-rate', '50');
    expect(JSON.parse(late.err)).toMatchObject({ error: { code: 'funds-insufficient' } });
    const restore = ['wallet', 'restore', '--backup', backup, '--backup-passphrase-file', key];
    expect(JSON.parse((await on('second', ...restore)).out)).toMatchObject({ address });
    await on('third', 'wallet', 'create');
    expect(JSON.parse((await on('third', ...check, key)).err)).toMatchObject({ error: { code: 'conflict' } });
  });
});
