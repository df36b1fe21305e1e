import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SealedFile } from './sealed-file.ts';
import { openVault, type Vault } from './vault.ts';

const scrypt = { N: 16, r: 1, p: 1 };
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (secret: Uint8Array | undefined): string | undefined => secret && new TextDecoder().decode(secret);

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'planchet-vault-'));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const path = (name = 'vault.json'): string => join(dataDir, name);
const open = (passphrase?: string): Promise<Vault> =>
  openVault({ dataDir, network: 'main', scrypt, passphrase: async () => passphrase });
const openSandbox = (): Promise<Vault> => openVault({ dataDir, network: 'sandbox', scrypt });

describe('a vault under a passphrase', () => {
  it('keeps secrets across a restart, with none of their bytes readable in the file', async () => {
    const vault = await open('correct horse');
    expect(vault.get('seed:main')).toBeUndefined();
    await vault.set('seed:main', bytes('sixteen secret b'));
    await vault.set('apiKey:main', bytes('mainnet_0123'));
    const again = await open('correct horse');
    expect(text(again.get('seed:main'))).toBe('sixteen secret b');
    expect(text(again.get('apiKey:main'))).toBe('mainnet_0123');
    const file = await readFile(path(), 'utf8');
    for (const secret of ['sixteen secret b', 'mainnet_0123']) {
      expect(file).not.toContain(secret);
      expect(file).not.toContain(Buffer.from(secret).toString('hex'));
      expect(file).not.toContain(Buffer.from(secret).toString('base64'));
    }
  });

  it('keeps a secret as long as a backup of a wallet', async () => {
    const secret = randomBytes(4_000_000);
    await (await open('p phrase')).set('restore:main', secret);
    expect(Buffer.from((await open('p phrase')).get('restore:main') ?? []).equals(secret)).toBe(true);
  });

  it('names its secrets without a key', async () => {
    await (await open('p phrase')).set('seed:main', bytes('s'));
    const file = await SealedFile.open(path());
    expect([file.locked, file.has('seed:main'), file.has('seed:test')]).toEqual([true, true, false]);
  });

  it('is readable by its owner only, whatever the umask', async () => {
    const before = process.umask(0);
    try {
      const vault = await open('p phrase');
      await vault.set('seed:main', bytes('s'));
      expect((await stat(path())).mode & 0o777).toBe(0o600);
      await chmod(path(), 0o644);
      await vault.set('seed:main', bytes('t'));
      expect((await stat(path())).mode & 0o777).toBe(0o600);
    } finally {
      process.umask(before);
    }
  });

  it('refuses a wrong passphrase however often it is tried, and changes no byte', async () => {
    await (await open('right phrase')).set('seed:main', bytes('s'));
    const before = await readFile(path());
    for (let attempt = 0; attempt < 5; attempt++) {
      await expect(open(`wrong ${attempt}`)).rejects.toMatchObject({ code: 'vault-passphrase-wrong' });
    }
    expect(await readFile(path())).toEqual(before);
    expect(await readdir(dataDir)).toEqual(['vault.json']);
    expect(text((await open('right phrase')).get('seed:main'))).toBe('s');
  });

  it('is locked without a passphrase, and opens later', async () => {
    await (await open('right phrase')).set('seed:main', bytes('s'));
    const vault = await open();
    expect(vault.locked).toBe(true);
    expect(() => vault.get('seed:main')).toThrow(expect.objectContaining({ code: 'vault-locked' }));
    await expect(vault.set('seed:main', bytes('t'))).rejects.toMatchObject({ code: 'vault-locked' });
    await expect(vault.unlock('wrong phrase')).rejects.toMatchObject({ code: 'vault-passphrase-wrong' });
    expect(vault.locked).toBe(true);
    await vault.unlock('right phrase');
    expect(vault.locked).toBe(false);
    expect(text(vault.get('seed:main'))).toBe('s');
    vault.lock();
    expect(() => vault.get('seed:main')).toThrow(expect.objectContaining({ code: 'vault-locked' }));
  });

  it('stays open whatever passphrase is given once it is', async () => {
    const vault = await open('right phrase');
    await vault.set('seed:main', bytes('s'));
    await vault.unlock('wrong phrase');
    expect(text(vault.get('seed:main'))).toBe('s');
  });

  it('is not taken for missing where its file cannot be read', async () => {
    await mkdir(path());
    await expect(open('p phrase')).rejects.toMatchObject({ id: 'vault.unreadable', code: 'store-failed' });
  });

  it('is not written for a secret that it does not have', async () => {
    const vault = await open('p phrase');
    await vault.set('seed:main', bytes('s'));
    // Each writing makes another file.
    const { ino } = await stat(path());
    await vault.delete('apiKey:main');
    expect((await stat(path())).ino).toBe(ino);
  });

  it('creates no vault without a key to seal it', async () => {
    const vault = await open();
    expect(vault.locked).toBe(false);
    await expect(vault.set('seed:main', bytes('s'))).rejects.toMatchObject({ code: 'vault-locked' });
    expect(await readdir(dataDir)).toEqual([]);
  });

  it('is made by the passphrase that a person sets first, where nobody else gives one', async () => {
    const vault = await open();
    expect(await vault.access()).toEqual({ keychain: false, passphrase: false, needsPassphrase: true });
    await expect(vault.changePassphrase('', '')).rejects.toMatchObject({ code: 'invalid-input' });
    await vault.changePassphrase('', 'first phrase');
    expect(await vault.access()).toEqual({ keychain: false, passphrase: true, needsPassphrase: false });
    await expect(vault.changePassphrase('', 'second phrase')).rejects.toMatchObject({ code: 'vault-passphrase-wrong' });
    await vault.set('seed:main', bytes('s'));
    expect(text((await open('first phrase')).get('seed:main'))).toBe('s');
    expect((await open()).locked).toBe(true);
  });

  it('takes one of two first passphrases that are set at once, and says so of the other', async () => {
    const vault = await open();
    const set = await Promise.allSettled(
      ['one phrase', 'other phrase'].map((passphrase) => vault.changePassphrase('', passphrase)),
    );
    expect(set.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const taken = set[0]?.status === 'fulfilled' ? 'one phrase' : 'other phrase';
    await vault.set('seed:main', bytes('s'));
    expect(text((await open(taken)).get('seed:main'))).toBe('s');
  });

  it('needs no passphrase from a person where the program was given one', async () => {
    expect((await (await open('p phrase')).access()).needsPassphrase).toBe(false);
  });

  it('accepts the same passphrase in another Unicode form', async () => {
    await (await open('caf\u00e9 phrase')).set('seed:main', bytes('s'));
    expect(text((await open('cafe\u0301 phrase')).get('seed:main'))).toBe('s');
  });

  it('requires the current passphrase to change it', async () => {
    const vault = await open('old phrase');
    await vault.set('seed:main', bytes('s'));
    const before = await readFile(path());
    await expect(vault.changePassphrase('guess phrase', 'new phrase')).rejects.toMatchObject({
      code: 'vault-passphrase-wrong',
    });
    await expect(vault.changePassphrase('', 'new phrase')).rejects.toMatchObject({ code: 'vault-passphrase-wrong' });
    await expect(vault.changePassphrase('old phrase', '')).rejects.toMatchObject({ code: 'invalid-input' });
    expect(await readFile(path())).toEqual(before);
    await vault.changePassphrase('old phrase', 'new phrase');
    await expect(open('old phrase')).rejects.toMatchObject({ code: 'vault-passphrase-wrong' });
    expect(text((await open('new phrase')).get('seed:main'))).toBe('s');
    expect(JSON.parse(await readFile(path(), 'utf8')).slots).toHaveLength(1);
    expect(await vault.access()).toEqual({ keychain: false, passphrase: true, needsPassphrase: false });
  });

  it('is changed only while the vault is open', async () => {
    await (await open('old phrase')).set('seed:main', bytes('s'));
    const locked = await open();
    await expect(locked.changePassphrase('old phrase', 'new phrase')).rejects.toMatchObject({ code: 'vault-locked' });
    expect(text((await open('old phrase')).get('seed:main'))).toBe('s');
  });

  it('stores the cost of its passphrase', async () => {
    await (await open('p phrase')).set('seed:main', bytes('s'));
    const file = JSON.parse(await readFile(path(), 'utf8'));
    expect(file.slots[0].record).toMatchObject(scrypt);
  });

  it('makes guessing expensive by default', async () => {
    const costly = await openVault({ dataDir, network: 'main', passphrase: async () => 'p phrase' });
    await costly.set('seed:main', bytes('s'));
    const file = JSON.parse(await readFile(path(), 'utf8'));
    expect(file.slots[0].record).toMatchObject({ N: 131_072, r: 8, p: 1 });
    expect(text((await open('p phrase')).get('seed:main'))).toBe('s');
  });

  it('forgets a deleted secret', async () => {
    const vault = await open('p phrase');
    await vault.set('apiKey:main', bytes('k'));
    await vault.set('seed:main', bytes('s'));
    await vault.delete('apiKey:main');
    await vault.delete('apiKey:test');
    const again = await open('p phrase');
    expect(again.get('apiKey:main')).toBeUndefined();
    expect(text(again.get('seed:main'))).toBe('s');
  });

  it('returns copies, so a caller may overwrite them', async () => {
    const vault = await open('p phrase');
    await vault.set('seed:main', bytes('secret'));
    vault.get('seed:main')?.fill(0);
    expect(text(vault.get('seed:main'))).toBe('secret');
  });

  it('runs writes one after the other, so none is lost', async () => {
    const vault = await open('p phrase');
    const names = ['seed:main', 'seed:test', 'apiKey:main', 'apiKey:test'] as const;
    await Promise.all(names.flatMap((name) => [1, 2, 3].map((n) => vault.set(name, bytes(`${name} ${n}`)))));
    const again = await open('p phrase');
    for (const name of names) expect(text(again.get(name))).toBe(`${name} 3`);
    expect(await readdir(dataDir)).toEqual(['vault.json']);
  });

  it('does not overwrite what another program saved', async () => {
    const first = await open('p phrase');
    await first.set('seed:main', bytes('one'));
    const second = await open('p phrase');
    await second.set('apiKey:main', bytes('two'));
    await expect(first.set('apiKey:main', bytes('three'))).rejects.toMatchObject({ code: 'conflict' });
    expect(text((await open('p phrase')).get('apiKey:main'))).toBe('two');
  });

  it('stores any secret, byte for byte', async () => {
    const vault = await open('p phrase');
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (secret) => {
        await vault.set('apiKey:test', secret);
        expect(vault.get('apiKey:test')).toEqual(secret);
        expect((await open('p phrase')).get('apiKey:test')).toEqual(secret);
      }),
      { numRuns: 25 },
    );
  });
});

describe('a damaged vault', () => {
  it('detects a change of any byte, and leaves the file as it is', async () => {
    const vault = await open('p phrase');
    await vault.set('seed:main', bytes('secret one'));
    await vault.set('apiKey:main', bytes('secret two'));
    const good = await readFile(path());
    await fc.assert(
      fc.asyncProperty(fc.nat(good.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const bad = Buffer.from(good);
        bad[at] = (bad[at] as number) ^ flip;
        await writeFile(path(), bad);
        await expect(open('p phrase')).rejects.toMatchObject({ code: 'vault-damaged' });
        expect(await readFile(path())).toEqual(bad);
      }),
      { numRuns: 300 },
    );
  });

  it('detects a file that is truncated, empty or not a vault', async () => {
    await (await open('p phrase')).set('seed:main', bytes('s'));
    const good = await readFile(path(), 'utf8');
    for (const bad of [
      '',
      '{}',
      'null',
      '[]',
      good.slice(0, -1),
      good.slice(0, good.length / 2),
      `${good} `,
      `${good}${good}`,
    ]) {
      await writeFile(path(), bad);
      await expect(open('p phrase')).rejects.toMatchObject({ code: 'vault-damaged' });
      expect(await readFile(path(), 'utf8')).toBe(bad);
    }
  });

  it('detects entries that were moved or removed with a matching checksum', async () => {
    const { encodeVault } = await import('./vault-format.ts');
    const vault = await open('p phrase');
    await vault.set('seed:main', bytes('s'));
    await vault.set('seed:test', bytes('t'));
    const { mac: _mac, checksum: _checksum, ...body } = JSON.parse(await readFile(path(), 'utf8'));
    const { 'seed:main': main, 'seed:test': test } = body.entries;
    for (const entries of [
      {},
      { 'seed:main': main },
      { 'seed:main': test, 'seed:test': main },
      { 'seed:main': main, 'seed:test': main },
    ]) {
      await writeFile(path(), encodeVault({ ...body, entries }, randomBytes(32)));
      await expect(open('p phrase')).rejects.toMatchObject({ code: 'vault-damaged' });
    }
  });

  it('says so when a newer version wrote it', async () => {
    await (await open('p phrase')).set('seed:main', bytes('s'));
    await writeFile(path(), (await readFile(path(), 'utf8')).replace('"version": 1', '"version": 2'));
    await expect(open('p phrase')).rejects.toMatchObject({
      code: 'vault-damaged',
      message: expect.stringContaining('newer'),
    });
  });

  it('refuses a key cost that would take gigabytes or minutes, before anything is derived', async () => {
    const { encodeVault } = await import('./vault-format.ts');
    await (await open('p phrase')).set('seed:main', bytes('s'));
    const { mac: _mac, checksum: _checksum, ...body } = JSON.parse(await readFile(path(), 'utf8'));
    const costs = [
      { N: 2 ** 30 },
      { N: 3 },
      { r: 1e6 },
      { p: 1e7 },
      { salt: '' },
      // each within reason, together 2 GB and two minutes
      { N: 2 ** 20, r: 16, p: 8 },
      { N: 2 ** 17, r: 8, p: 5 },
    ];
    let asked = 0;
    const passphrase = async () => {
      asked += 1;
      return 'p';
    };
    for (const cost of costs) {
      const slots = body.slots.map((slot: { record: object }) => ({ ...slot, record: { ...slot.record, ...cost } }));
      await writeFile(path(), encodeVault({ ...body, slots }, randomBytes(32)));
      await expect(openVault({ dataDir, network: 'main', scrypt, passphrase })).rejects.toMatchObject({
        code: 'vault-damaged',
        message: expect.stringContaining(`${path()} is damaged`),
        hint: expect.stringContaining('Restore the file from a backup'),
      });
    }
    expect(asked).toBe(0);
    const { slots } = body;
    await writeFile(path(), encodeVault({ ...body, slots: [...slots, ...slots] }, randomBytes(32)));
    await expect(open('p phrase')).rejects.toMatchObject({ code: 'vault-damaged' });
  });
});

describe('the sandbox vault', () => {
  it('needs no passphrase, and its key file is readable by its owner only', async () => {
    const vault = await openSandbox();
    await vault.set('seed:sandbox', bytes('s'));
    await vault.set('minerId', bytes('m'));
    await vault.set('sandboxFaucet', bytes('f'));
    expect((await readdir(dataDir)).sort()).toEqual(['sandbox.key', 'vault-sandbox.json']);
    for (const name of ['sandbox.key', 'vault-sandbox.json']) expect((await stat(path(name))).mode & 0o777).toBe(0o600);
    const again = await openSandbox();
    expect([again.locked, text(again.get('seed:sandbox')), text(again.get('minerId'))]).toEqual([false, 's', 'm']);
  });

  it('starts next to a real vault that is locked, and does not open it', async () => {
    await (await open('p phrase')).set('seed:main', bytes('worth something'));
    const vault = await openSandbox();
    await vault.set('seed:sandbox', bytes('s'));
    expect(vault.locked).toBe(false);
    expect(() => vault.get('seed:main')).toThrow(expect.objectContaining({ code: 'vault-locked' }));
  });

  it('starts next to a real vault that is damaged', async () => {
    await writeFile(path(), 'not a vault');
    const vault = await openSandbox();
    await vault.set('seed:sandbox', bytes('s'));
    expect(() => vault.get('seed:main')).toThrow(expect.objectContaining({ code: 'vault-damaged' }));
    expect(await readFile(path(), 'utf8')).toBe('not a vault');
  });

  it('never puts the seed of another network under the key file', async () => {
    const vault = await openSandbox();
    await expect(vault.set('seed:main', bytes('s'))).rejects.toMatchObject({ code: 'vault-locked' });
    expect(await readdir(dataDir)).toEqual([]);
  });

  it('has no passphrase, and sets none for the real one beside it', async () => {
    await (await open('p phrase')).set('seed:main', bytes('worth something'));
    const vault = await openSandbox();
    expect(await vault.access()).toEqual({ keychain: false, passphrase: false, needsPassphrase: false });
    await expect(vault.changePassphrase('p phrase', 'q phrase')).rejects.toMatchObject({ code: 'not-found' });
    expect(text((await open('p phrase')).get('seed:main'))).toBe('worth something');
  });

  it('is closed on the other networks', async () => {
    const vault = await open('p phrase');
    expect(() => vault.get('seed:sandbox')).toThrow(expect.objectContaining({ code: 'vault-locked' }));
  });

  it('says what to do when its key file is missing', async () => {
    await (await openSandbox()).set('seed:sandbox', bytes('s'));
    await rm(path('sandbox.key'));
    await expect(openSandbox()).rejects.toMatchObject({
      code: 'vault-damaged',
      hint: expect.stringContaining('vault-sandbox.json'),
    });
  });
});
