import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { passphraseSource } from './key-sources.ts';
import { SealedFile } from './sealed-file.ts';
import { openVault, type Vault } from './vault.ts';

const scrypt = { N: 16, r: 1, p: 1 };
const sourceOf = (passphrase: string) => passphraseSource(async () => passphrase, scrypt);

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'planchet-vault-'));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const open = (passphrase?: string): Promise<Vault> =>
  openVault({ dataDir, network: 'main', scrypt, passphrase: async () => passphrase });

it.each([
  ['and opened again', true],
  ['and stays so', false],
])('a vault opens afterwards where it is locked while a new passphrase is set (%s)', async (_, opensAgain) => {
  await (await open('old phrase')).set('seed:main', Buffer.from('s'));
  const file = await SealedFile.open(join(dataDir, 'vault.json'));
  await file.unlock([sourceOf('old phrase')]);
  const derived = Promise.withResolvers<void>();
  const slow = sourceOf('new phrase');
  const create = async () => {
    const made = await slow.create();
    await derived.promise;
    return made;
  };
  const replaced = file.replaceSlot({ ...slow, create });
  await new Promise(setImmediate);
  file.lock();
  if (opensAgain) await file.unlock([sourceOf('old phrase')]);
  derived.resolve();
  if (opensAgain) await replaced;
  else await expect(replaced).rejects.toMatchObject({ code: 'vault-locked' });
  const kept = (await open(opensAgain ? 'new phrase' : 'old phrase')).get('seed:main');
  expect(Buffer.from(kept ?? []).toString()).toBe('s');
});

it('a vault gets no passphrase of less than 8 characters, whoever gives it, and opens with a shorter one that it has', async () => {
  const tooShort = { id: 'vault.passphrase-short', code: 'invalid-input' };
  const secret = Buffer.from('s');
  await expect((await open('seven77')).set('seed:main', secret)).rejects.toMatchObject(tooShort);
  await expect((await open()).changePassphrase('', 'seven77')).rejects.toMatchObject(tooShort);
  await (await SealedFile.open(join(dataDir, 'vault.json'))).create(sourceOf('old'));
  const vault = await open('old');
  await vault.set('seed:main', secret);
  await expect(vault.changePassphrase('old', 'seven77')).rejects.toMatchObject(tooShort);
  await vault.changePassphrase('old', 'eight888');
  expect(Buffer.from((await open('eight888')).get('seed:main') ?? []).toString()).toBe('s');
});
