import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callCommand } from '../../test-support/hosts/call-command.ts';
import type { Ended } from '../../test-support/hosts/command-line.ts';
import { filledDataDir } from '../../test-support/hosts/open-host.ts';
import { startHere } from '../../test-support/hosts/start-here.ts';

let folder: string;
let host: Awaited<ReturnType<typeof startHere>>;
let words: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-wallet-cli-'));
  writeFileSync(join(folder, 'passphrase'), 'correct horse battery staple\n');
  await filledDataDir(join(folder, 'data'));
  expect((await wallet('--network', 'test', 'create')).code).toBe(0);
  const backup = await wallet('--network', 'test', 'backup', '--json');
  words = (JSON.parse(backup.out) as { mnemonic: string }).mnemonic;
  // The settings file still names the sandbox: the network is that of this run alone.
  host = await startHere({ dataDir: join(folder, 'data'), set: { network: 'test' } });
});
afterAll(async () => {
  await host.stop();
  rmSync(folder, { recursive: true, force: true });
});

function wallet(...args: string[]): Promise<Ended> {
  const secret = join(folder, 'passphrase');
  return callCommand(['--data-dir', join(folder, 'data'), '--passphrase-file', secret, 'wallet', ...args]);
}

/** Runs a command that names its network in the environment. */
function onNetwork(network: string, ...args: string[]): Promise<Ended> {
  const env = { ...process.env, PLANCHET_NETWORK: network };
  return callCommand(['--data-dir', join(folder, 'data'), ...args], '', env);
}

describe('a sandbox wallet', () => {
  const run = (dataDir: string, ...args: string[]) =>
    callCommand([
      '--data-dir',
      join(folder, dataDir),
      '--network',
      'sandbox',
      '--passphrase-file',
      join(folder, 'passphrase'),
      'wallet',
      ...args,
      '--json',
    ]);
  const addressOf = ({ code, out }: Ended): string => {
    expect(code).toBe(0);
    return (JSON.parse(out) as { address: string }).address;
  };

  it('is restored in an empty folder', async () => {
    await filledDataDir(join(folder, 'first'));
    const address = addressOf(await run('first', 'address'));
    expect((await run('first', 'account', 'create', 'Shop')).code).toBe(0);
    expect((await run('first', 'address', '--new', '--label', 'till')).code).toBe(0);
    const file = join(folder, 'sandbox.backup');
    const secret = join(folder, 'passphrase');
    const saved = await run('first', 'backup', '--encrypted', '--out', file, '--backup-passphrase-file', secret);
    expect(saved.code).toBe(0);
    const restored = await run('second', 'restore', '--backup', file, '--backup-passphrase-file', secret);
    expect(addressOf(restored)).toBe(address);
    expect(JSON.parse(restored.out)).toMatchObject({ accounts: 1, labels: 1, frozen: 0 });
    expect((await run('second', 'accounts')).out).toContain('Shop');
    // Only once: what is there is not overwritten.
    const again = await run('second', 'restore', '--backup', file, '--backup-passphrase-file', secret);
    expect(JSON.parse(again.err)).toMatchObject({ error: { code: 'wallet-exists' } });
  });

  it('is not made by a restore that is refused', async () => {
    writeFileSync(join(folder, 'nonsense'), 'these are no seed words\n');
    const refused = await run('third', 'restore', '--seed-file', join(folder, 'nonsense'));
    expect(refused.code).toBe(1);
    expect(existsSync(join(folder, 'third', 'vault-sandbox.json'))).toBe(false);
  });
});

describe('wallet backup beside a running host', () => {
  it('gives the words of the network of the host, and names it', async () => {
    const shown = await wallet('backup');
    expect(shown).toMatchObject({ code: 0, out: `${words}\n` });
    expect(shown.err).toContain('the test network');
    const file = join(folder, 'words');
    const written = await wallet('backup', '--out', file);
    expect(written.out).toContain('the test network');
    expect(readFileSync(file, 'utf8')).toBe(`${words}\n`);
    expect(JSON.parse((await wallet('backup', '--json')).out)).toEqual({ mnemonic: words, network: 'test' });
  });

  it('refuses the words of another network', async () => {
    const refused = await wallet('--network', 'sandbox', 'backup', '--json');
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(JSON.parse(refused.err)).toMatchObject({ error: { code: 'conflict' } });
  });
});

describe('a wallet beside a running Planchet', () => {
  beforeAll(() => writeFileSync(join(folder, 'short'), 'short\n'));
  const at = (dataDir: string, ...args: string[]) =>
    callCommand([
      '--data-dir',
      join(folder, dataDir),
      '--passphrase-file',
      join(folder, 'passphrase'),
      'wallet',
      ...args,
    ]);
  const running = async (dataDir: string, run: () => Promise<void>): Promise<void> => {
    const beside = await startHere({ dataDir: join(folder, dataDir), set: { network: 'test' } });
    try {
      await run();
    } finally {
      await beside.stop();
    }
  };

  it('is made by the running one, which had no passphrase before, and is there after it ended', async () => {
    await running('beside', async () => {
      const made = await at('beside', 'create', '--json');
      expect(made).toMatchObject({ code: 0, err: '' });
      expect(await at('beside', 'address', '--json')).toMatchObject({ code: 0, out: made.out });
      expect((await at('beside', 'create')).err).toContain('There is a wallet');
      expect(await at('beside', 'lock')).toMatchObject({ code: 0, out: 'The wallet of the test network is locked.\n' });
      expect((await at('beside', 'address')).err).toContain('planchet wallet unlock');
      const wrong = await callCommand([
        '--data-dir',
        join(folder, 'beside'),
        '--passphrase-file',
        join(folder, 'short'),
        'wallet',
        'unlock',
        '--json',
      ]);
      expect(JSON.parse(wrong.err)).toMatchObject({ error: { code: 'vault-passphrase-wrong' } });
      expect(await at('beside', 'unlock', '--json')).toMatchObject({
        code: 0,
        out: '{"state":"ready","network":"test"}\n',
      });
      expect(await at('beside', 'address', '--json')).toMatchObject({ code: 0, out: made.out });
    });
    expect((await at('beside', 'unlock')).err).toContain('is not running');
    expect((await at('beside', '--network', 'test', 'backup')).code).toBe(0);
  });

  it('is brought back from a backup file by the running one, with its accounts', async () => {
    const file = join(folder, 'beside.backup');
    let address = '';
    await running('beside-first', async () => {
      address = (JSON.parse((await at('beside-first', 'create', '--json')).out) as { address: string }).address;
      expect((await at('beside-first', 'account', 'create', 'Shop')).code).toBe(0);
      const to = ['--out', file, '--backup-passphrase-file', join(folder, 'passphrase')];
      expect((await at('beside-first', 'backup', '--encrypted', ...to)).code).toBe(0);
    });
    const from = ['restore', '--backup', file, '--backup-passphrase-file'];
    await running('beside-second', async () => {
      const wrong = await at('beside-second', ...from, join(folder, 'short'), '--json');
      expect(JSON.parse(wrong.err)).toMatchObject({ error: { code: 'vault-passphrase-wrong' } });
      const restored = await at('beside-second', ...from, join(folder, 'passphrase'), '--json');
      expect(restored).toMatchObject({
        code: 0,
        out: `${JSON.stringify({ address, network: 'test', accounts: 1, labels: 0, frozen: 0 })}\n`,
      });
      expect((await at('beside-second', 'accounts')).out).toContain('Shop');
      const again = await at('beside-second', ...from, join(folder, 'passphrase'), '--json');
      expect(JSON.parse(again.err)).toMatchObject({ error: { code: 'wallet-exists' } });
    });
  });

  it('is brought back from its words by the running one', async () => {
    writeFileSync(join(folder, 'words'), words);
    await running('beside-words', async () => {
      const restored = await at('beside-words', 'restore', '--seed-file', join(folder, 'words'));
      expect(restored).toMatchObject({
        code: 0,
        out: expect.stringMatching(/^Restored\. The wallet of the test network/),
      });
      expect((await at('beside-words', 'backup')).out.trim()).toBe(words);
    });
  });
});

describe('wallet passphrase', () => {
  const at = (dataDir: string, secret: string, ...args: string[]) =>
    callCommand([
      '--data-dir',
      join(folder, dataDir),
      '--passphrase-file',
      join(folder, secret),
      '--network',
      'test',
      ...args,
    ]);
  const changed = ['wallet', 'passphrase', '--json', '--new-passphrase-file'];
  beforeAll(() => {
    writeFileSync(join(folder, 'next'), 'one of several other words\n');
    writeFileSync(join(folder, 'short'), 'short\n');
  });

  it('changes what opens the vault, and nothing else', async () => {
    expect((await at('fresh', 'passphrase', 'wallet', 'create')).code).toBe(0);
    const before = await at('fresh', 'passphrase', 'wallet', 'backup');
    const short = await at('fresh', 'passphrase', ...changed, join(folder, 'short'));
    expect(JSON.parse(short.err)).toMatchObject({ error: { code: 'invalid-input' } });
    const done = await at('fresh', 'passphrase', ...changed, join(folder, 'next'));
    expect(JSON.parse(done.out)).toEqual({ keychain: false, passphrase: true, needsPassphrase: false });
    expect(await at('fresh', 'next', 'wallet', 'backup')).toMatchObject({ code: 0, out: before.out });
    const old = await at('fresh', 'passphrase', 'wallet', 'backup', '--json');
    expect(JSON.parse(old.err)).toMatchObject({ error: { code: 'vault-passphrase-wrong' } });
  });

  it('is not changed while the vault of the running host is locked', async () => {
    const refused = await at('data', 'next', ...changed, join(folder, 'next'));
    expect(JSON.parse(refused.err)).toMatchObject({ error: { code: 'vault-locked' } });
  });

  it('says that a sandbox has none', async () => {
    await filledDataDir(join(folder, 'play'));
    const refused = await callCommand(['--data-dir', join(folder, 'play'), ...changed, join(folder, 'next')]);
    expect(JSON.parse(refused.err)).toMatchObject({ error: { code: 'not-found' } });
  });
});

describe('PLANCHET_NETWORK beside a running host', () => {
  it('lets no command reach a host on another network', async () => {
    const refused = await onNetwork('sandbox', 'wallet', 'accounts', '--json');
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(JSON.parse(refused.err)).toMatchObject({
      error: { code: 'conflict', hint: expect.stringContaining('PLANCHET_NETWORK') as string },
    });
    expect(await onNetwork('test', 'wallet', 'accounts', '--json')).toMatchObject({ code: 0, err: '' });
    // What is typed counts more than the environment.
    expect(await onNetwork('sandbox', '--network', 'test', 'wallet', 'accounts', '--json')).toMatchObject({ code: 0 });
  });
});

describe('without a wallet, or without its passphrase', () => {
  const on = (network: string, ...args: string[]) =>
    callCommand(['--data-dir', join(folder, network), '--network', network, 'wallet', ...args, '--json']);
  beforeAll(async () => {
    expect((await on('test', 'create', '--passphrase-file', join(folder, 'passphrase'))).code).toBe(0);
  });

  it.each(['address', 'balance', 'coins', 'history'])('"wallet %s" says that there is none', async (command) => {
    const refused = await on('main', command);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(JSON.parse(refused.err)).toMatchObject({ error: { code: 'wallet-missing' } });
  });

  it.each(['address', 'balance', 'coins', 'history'])('"wallet %s" says that it is locked', async (command) => {
    const refused = await on('test', command);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(JSON.parse(refused.err)).toMatchObject({ error: { code: 'vault-locked' } });
  });
});
