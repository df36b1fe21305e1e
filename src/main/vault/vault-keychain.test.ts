import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Keychain, openVault, type Vault } from './vault.ts';

const scrypt = { N: 16, r: 1, p: 1 };
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (secret: Uint8Array | undefined): string | undefined => secret && new TextDecoder().decode(secret);

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'planchet-keychain-'));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const path = (): string => join(dataDir, 'vault.json');
const open = (passphrase?: string, keychain?: Keychain): Promise<Vault> =>
  openVault({
    dataDir,
    network: 'main',
    scrypt,
    passphrase: async () => passphrase,
    ...(keychain ? { keychain } : {}),
  });

interface RealKeychain extends Keychain {
  broken: boolean;
  present: boolean;
  /** What the person answers. */
  allows: boolean;
  rotate(): void;
  forgetOld(): void;
}

/** A keychain of its own key, as an operating system would have. */
function realKeychain(options: { weak?: boolean } = {}): RealKeychain {
  const keys = [randomBytes(32)];
  return {
    ...options,
    broken: false,
    present: true,
    allows: true,
    /** Seals with another key from now on, and still opens what earlier ones sealed. */
    rotate(): void {
      keys.push(randomBytes(32));
    },
    /** Forgets every key but the newest. */
    forgetOld(): void {
      for (let at = 0; at < keys.length - 1; at += 1) keys[at] = randomBytes(32);
    },
    async allowsPassphrase() {
      return this.allows;
    },
    async available() {
      return this.present;
    },
    async encrypt(plain) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', keys.at(-1) as Buffer, nonce);
      return Buffer.concat([
        Buffer.of(keys.length - 1),
        nonce,
        cipher.update(plain, 'utf8'),
        cipher.final(),
        cipher.getAuthTag(),
      ]);
    },
    async decrypt(sealed) {
      if (this.broken) throw new Error('the keychain is locked');
      const version = sealed[0] as number;
      const decipher = createDecipheriv('aes-256-gcm', keys[version] as Buffer, sealed.subarray(1, 13));
      decipher.setAuthTag(sealed.subarray(-16));
      const text = decipher.update(sealed.subarray(13, -16), undefined, 'utf8') + decipher.final('utf8');
      return version === keys.length - 1 ? { text } : { text, resealed: await this.encrypt(text) };
    },
  };
}

describe('a vault under the keychain', () => {
  it('opens without asking for a passphrase', async () => {
    const keychain = realKeychain();
    await (await open(undefined, keychain)).set('seed:main', bytes('s'));
    expect(text((await open(undefined, keychain)).get('seed:main'))).toBe('s');
    expect((await open()).locked).toBe(true);
  });

  it('is never sealed by a keychain that protects nothing', async () => {
    const vault = await open(undefined, realKeychain({ weak: true }));
    await expect(vault.set('seed:main', bytes('s'))).rejects.toMatchObject({ code: 'vault-locked' });
    await (await open('p phrase', realKeychain({ weak: true }))).set('seed:main', bytes('s'));
    expect(JSON.parse(await readFile(path(), 'utf8')).slots[0].kind).toBe('passphrase');
  });

  it('reports a keychain that refuses, and still opens with the passphrase that was set', async () => {
    const keychain = realKeychain();
    const vault = await open(undefined, keychain);
    await vault.set('seed:main', bytes('s'));
    await vault.changePassphrase('', 'spare phrase');
    keychain.broken = true;
    await expect(open(undefined, keychain)).rejects.toMatchObject({ code: 'vault-locked' });
    expect(text((await open('spare phrase', keychain)).get('seed:main'))).toBe('s');
    keychain.present = false;
    expect((await open(undefined, keychain)).locked).toBe(true);
    expect(text((await open('spare phrase')).get('seed:main'))).toBe('s');
  });

  it('follows the key of the keychain when it is rotated, and needs the earlier one no more', async () => {
    const keychain = realKeychain();
    await (await open(undefined, keychain)).set('seed:main', bytes('s'));
    keychain.rotate();
    const vault = await open(undefined, keychain);
    keychain.forgetOld();
    expect(text((await open(undefined, keychain)).get('seed:main'))).toBe('s');
    // The one that renewed the file can still write it.
    await vault.set('apiKey:main', bytes('k'));
    expect(text((await open(undefined, keychain)).get('apiKey:main'))).toBe('k');
  });

  it('keeps its passphrase when the key of the keychain is rotated', async () => {
    const keychain = realKeychain();
    const vault = await open(undefined, keychain);
    await vault.set('seed:main', bytes('s'));
    await vault.changePassphrase('', 'spare phrase');
    keychain.rotate();
    await open(undefined, keychain);
    keychain.forgetOld();
    expect(text((await open(undefined, keychain)).get('seed:main'))).toBe('s');
    expect(text((await open('spare phrase')).get('seed:main'))).toBe('s');
  });

  it('is called damaged where the keychain gives another key, since no passphrase can be wrong', async () => {
    const keychain = realKeychain();
    await (await open(undefined, keychain)).set('seed:main', bytes('s'));
    keychain.decrypt = async () => ({ text: randomBytes(32).toString('base64') });
    await expect(open(undefined, keychain)).rejects.toMatchObject({ code: 'vault-damaged' });
  });

  it('is opened all the same where the renewed seal cannot be stored', async () => {
    const keychain = realKeychain();
    await (await open(undefined, keychain)).set('seed:main', bytes('s'));
    keychain.rotate();
    const before = await readFile(path());
    const decrypt = keychain.decrypt.bind(keychain);
    keychain.decrypt = async (sealed) => {
      const opened = await decrypt(sealed);
      // Another program saves the vault meanwhile.
      await writeFile(path(), `${before} `);
      return opened;
    };
    expect(text((await open(undefined, keychain)).get('seed:main'))).toBe('s');
    expect(await readFile(path(), 'utf8')).toBe(`${before} `);
  });

  it('gets its first passphrase only where the person at the desktop allows it', async () => {
    const keychain = realKeychain();
    const vault = await open(undefined, keychain);
    expect((await vault.access()).needsPassphrase).toBe(false);
    await expect(vault.changePassphrase('', 'mine phrase')).rejects.toMatchObject({ code: 'not-found' });
    await vault.set('seed:main', bytes('s'));
    const before = await readFile(path());
    keychain.allows = false;
    await expect(vault.changePassphrase('', 'mine phrase')).rejects.toMatchObject({ code: 'forbidden' });
    await expect(vault.prove('mine phrase')).rejects.toMatchObject({ code: 'not-found' });
    expect([await readFile(path()), await vault.access()]).toEqual([
      before,
      { keychain: true, passphrase: false, needsPassphrase: false },
    ]);
    keychain.allows = true;
    await vault.changePassphrase('', 'mine phrase');
    expect(await vault.access()).toEqual({ keychain: true, passphrase: true, needsPassphrase: false });
    await vault.prove('mine phrase');
    // The one after it needs the first and no question.
    keychain.allows = false;
    await expect(vault.changePassphrase('', 'next phrase')).rejects.toMatchObject({ code: 'vault-passphrase-wrong' });
    await vault.changePassphrase('mine phrase', 'next phrase');
    expect(text((await open('next phrase')).get('seed:main'))).toBe('s');
    expect(text((await open(undefined, keychain)).get('seed:main'))).toBe('s');
  });

  it('gets none while it is locked, and nobody is asked', async () => {
    const keychain = realKeychain();
    const vault = await open(undefined, keychain);
    await vault.set('seed:main', bytes('s'));
    vault.lock();
    keychain.allowsPassphrase = () => Promise.reject(new Error('asked'));
    await expect(vault.changePassphrase('', 'mine phrase')).rejects.toMatchObject({ code: 'vault-locked' });
  });

  it('is unlocked by the keychain alone until it has a passphrase', async () => {
    const keychain = realKeychain();
    const vault = await open(undefined, keychain);
    await vault.set('seed:main', bytes('s'));
    vault.lock();
    keychain.present = false;
    await expect(vault.unlock('')).rejects.toMatchObject({ code: 'vault-locked' });
    keychain.present = true;
    await vault.unlock('');
    await vault.changePassphrase('', 'mine phrase');
    vault.lock();
    await expect(vault.unlock('')).rejects.toMatchObject({ code: 'vault-locked' });
    await expect(vault.unlock('hers phrase')).rejects.toMatchObject({ code: 'vault-passphrase-wrong' });
    await vault.unlock('mine phrase');
    expect(text(vault.get('seed:main'))).toBe('s');
  });
});
