import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PlanchetError } from '../../../contract/index.ts';
import { StillClock } from '../../test-support/still-clock.ts';
import { openVault, type Vault } from '../../vault/vault.ts';
import { openWriterStore, type WriterStore } from '../storage/store.ts';
import { KeyRing } from './key-ring.ts';
import { SeedKeys } from './seed-keys.ts';

const OLD_KEY = 'testnet_0123456789abcdef';
const NEW_KEY = 'testnet_fedcba9876543210';

let folder: string;
let vault: Vault;
let store: WriterStore;
let keys: KeyRing;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'planchet-keys-'));
  vault = await openVault({
    dataDir: folder,
    network: 'test',
    scrypt: { N: 16, r: 1, p: 1 },
    passphrase: async () => 'correct horse',
  });
  await vault.set('apiKey:test', Buffer.from(OLD_KEY));
  store = await openWriterStore(join(folder, 'writer.db'), '');
  const seedKeys = new SeedKeys('test', () => new Uint8Array(32).fill(7));
  const parts = { store, network: 'test' as const, secrets: vault, seedKeys, service: () => undefined };
  keys = new KeyRing({ ...parts, clock: new StillClock(0), logger: pino({ level: 'silent' }) });
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

describe("the network's own API key", () => {
  it('is unsealed once, however many requests come with it', async () => {
    const get = vi.spyOn(vault, 'get');
    expect(await keys.check(OLD_KEY)).toBeDefined();
    const reads = get.mock.calls.length;
    for (let request = 0; request < 100; request++) expect(keys.known(OLD_KEY)).toBeDefined();
    expect(get.mock.calls.length).toBe(reads);
  });

  it('may write from the moment it is stored, and its predecessor no longer', async () => {
    await keys.check(OLD_KEY);
    await vault.set('apiKey:test', Buffer.from(NEW_KEY));
    expect(keys.known(OLD_KEY)).toBeUndefined();
    expect(keys.known(NEW_KEY)).toBeDefined();
    await vault.delete('apiKey:test');
    expect(keys.known(NEW_KEY)).toBeUndefined();
  });

  it('is not used while the vault is locked', async () => {
    await keys.check(OLD_KEY);
    vault.lock();
    expect(() => keys.known(OLD_KEY)).toThrow(expect.objectContaining({ code: 'vault-locked' }));
    await vault.unlock('correct horse');
    expect(keys.known(OLD_KEY)).toBeDefined();
  });
});

it('a key that another process revoked may write no more, also where the clock was put back', async () => {
  const clock = new StillClock(7_200_000);
  const seedKeys = new SeedKeys('test', () => new Uint8Array(32).fill(7));
  const parts = { store, network: 'test' as const, secrets: vault, seedKeys, service: () => undefined };
  const here = new KeyRing({ ...parts, clock, logger: pino({ level: 'silent' }) });
  const { key_id } = await here.register(NEW_KEY);
  await keys.revoke(key_id);
  clock.advance(-3_600_000);
  expect(here.known(NEW_KEY)).toBeUndefined();
  expect(await here.mayWrite(key_id)).toBe(false);
  expect(await here.check(NEW_KEY)).toBeUndefined();
});

describe('the signing key of a machine without a wallet', () => {
  /** What the service does with each registration, the first one first. */
  let answers: (() => Promise<void>)[];
  let ring: KeyRing;
  beforeEach(() => {
    const seedKeys = new SeedKeys('test', () => {
      throw new PlanchetError('wallet.none', { network: 'test' });
    });
    const service = () => ({ register: async () => answers.shift()?.() });
    const parts = { store, network: 'test' as const, secrets: vault, seedKeys, service };
    ring = new KeyRing({ ...parts, clock: new StillClock(0), logger: pino({ level: 'silent' }) });
  });

  it('stays where its API key is registered twice at the same moment', async () => {
    const refused = async (): Promise<void> => {
      await first;
      throw new PlanchetError('writer.api-key-registered');
    };
    answers = [async () => undefined, refused];
    const first = ring.register(NEW_KEY);
    const [one, other] = await Promise.allSettled([first, ring.register(NEW_KEY)]);
    expect([one, other]).toMatchObject([{ status: 'fulfilled' }, { reason: { code: 'conflict' } }]);
    const { key_id, public_key } = await first;
    expect(Buffer.from(ring.signer(key_id).key.publicKey).toString('hex')).toBe(public_key);
  });

  it('stays where its API key is registered again while those of revoked ones are forgotten', async () => {
    answers = [];
    const { key_id } = await ring.register(NEW_KEY);
    await ring.revoke(key_id);
    let forgotten: Promise<void> | undefined;
    answers = [
      async () => {
        forgotten = ring.forgetRevoked();
      },
    ];
    const { public_key } = await ring.register(NEW_KEY);
    await forgotten;
    expect(Buffer.from(ring.signer(key_id).key.publicKey).toString('hex')).toBe(public_key);
  });
});
