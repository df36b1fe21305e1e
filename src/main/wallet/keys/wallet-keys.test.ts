import { setImmediate } from 'node:timers/promises';
import { PrivateKey } from '@bsv/sdk';
import { beforeEach, describe, expect, it } from 'vitest';
import { encodeAddress, feeFor, satoshis } from '../../../chain/index.ts';
import { payment } from '../test-support/test-node.ts';
import { type Harness, WalletOfTest } from '../test-support/test-wallet.ts';
import type { Wallet } from '../wallet.ts';

const fee = (inputs: number) => feeFor(200 + 148 * inputs, { satoshis: 500, bytes: 1_000 });

const opened = new WalletOfTest();
let harness: Harness;
let wallet: Wallet;
beforeEach(() => {
  ({ harness, wallet } = opened);
});

const { own } = opened;

describe('the keys of a wallet', () => {
  it('are made by themselves on the sandbox, and are the same after a restart', async () => {
    expect(wallet.status()).toMatchObject({ state: 'ready', network: 'sandbox', worthless: true });
    expect(wallet.address()).toMatch(/^[mn]/);
    const again = await harness.open();
    expect(again.address()).toBe(wallet.address());
    expect(again.seedKeys.mnemonic().split(' ')).toHaveLength(12);
  });

  it.each(['test', 'main'] as const)('are never made by themselves on the %s network', async (network) => {
    const real = await harness.open(network);
    expect(real.status()).toMatchObject({ state: 'missing', address: null, worthless: false });
    expect(harness.secrets.kept.has(`seed:${network}`)).toBe(false);
    for (const use of [
      () => real.address(),
      () => real.seedKeys.mnemonic(),
      () => real.publicKey(),
      () => real.lockingScript(),
    ]) {
      expect(use).toThrow(expect.objectContaining({ code: 'wallet-missing', hint: expect.any(String) }));
    }
    await expect(real.reserve('job', satoshis(1), fee)).rejects.toMatchObject({ code: 'wallet-missing' });
    await real.create(24);
    expect(real.seedKeys.mnemonic().split(' ')).toHaveLength(24);
    expect(real.status().state).toBe('ready');
    const address = real.address();
    await expect(real.create()).rejects.toMatchObject({ code: 'wallet-exists' });
    await expect(real.restore(real.seedKeys.mnemonic())).rejects.toMatchObject({ code: 'wallet-exists' });
    expect(real.address()).toBe(address);
  });

  it('are made once where two ask for them at the same moment', async () => {
    const real = await harness.open('test');
    const words = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
    const { secrets } = harness;
    const set = secrets.set.bind(secrets);
    // The vault writes a file.
    secrets.set = async (...secret) => setImmediate().then(() => set(...secret));
    const made = await Promise.allSettled([real.create(), real.restore(words)]);
    expect(made).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: { code: 'wallet-exists' } }]);
    expect(real.seedKeys.mnemonic()).not.toBe(words);
  });

  it('come back from their words', async () => {
    const words = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
    const real = await harness.open('test');
    await expect(real.restore('abandon abandon')).rejects.toMatchObject({ code: 'invalid-input' });
    expect(real.status().state).toBe('missing');
    await real.restore(words);
    expect(real.address()).toBe('mkpZhYtJu2r87Js3pDiWJDmPte2NRZ8bJV');
    expect(real.seedKeys.mnemonic()).toBe(words);
  });

  it('are locked with their vault, and there after it is opened', async () => {
    harness.secrets.locked = true;
    const locked = await harness.open();
    expect(locked.status()).toMatchObject({ state: 'locked', address: null });
    expect(() => locked.address()).toThrow(expect.objectContaining({ code: 'vault-locked' }));
    harness.secrets.locked = false;
    await locked.reload();
    expect(locked.status()).toMatchObject({ state: 'ready', address: wallet.address() });
  });

  it('say so when what the vault holds is no seed, without repeating it', async () => {
    harness.secrets.kept.set('seed:sandbox', new TextEncoder().encode('{"entropy":"top secret"}'));
    const failure = await harness.open().catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'vault-damaged' });
    expect(String((failure as Error).stack)).not.toContain('top secret');
  });
});

describe('validateAddress', () => {
  const foreign = new Uint8Array(20).fill(7);

  it('knows its own address, a foreign one, and one of another network', async () => {
    expect(wallet.validateAddress(wallet.address())).toEqual({ valid: true, failure: null, own: true });
    expect(wallet.validateAddress(` ${encodeAddress(foreign, 'test')} `)).toEqual({
      valid: true,
      failure: null,
      own: false,
    });
    expect(wallet.validateAddress(encodeAddress(foreign, 'main'))).toMatchObject({
      valid: false,
      failure: {
        code: 'address-wrong-network',
        message: expect.stringContaining('main network'),
        hint: expect.any(String),
      },
    });
    const main = await harness.open('main');
    expect(main.validateAddress(encodeAddress(foreign, 'main'))).toMatchObject({ valid: true, own: false });
    expect(main.validateAddress(encodeAddress(foreign, 'test'))).toMatchObject({
      failure: { code: 'address-wrong-network', message: expect.stringContaining('test network') },
    });
  });

  it('refuses what is no address', () => {
    const good = encodeAddress(foreign, 'test');
    const swapped = `${good.slice(0, 10)}${good[11]}${good[10]}${good.slice(12)}`;
    const script = '2N3oefVeg6stiTb5Kh3ozCSkaqmx91FDbsm';
    for (const bad of ['', 'x', good.slice(1), `${good}1`, swapped, script, new PrivateKey(5).toWif()]) {
      expect(wallet.validateAddress(bad)).toMatchObject({
        valid: false,
        failure: { code: 'address-invalid', hint: expect.stringContaining('m/n') },
        own: false,
      });
    }
  });
});

describe('the first block that is scanned', () => {
  const script = (): Uint8Array => wallet.lockingScript();

  it('is close before the time the keys were made, on a real network', async () => {
    // One block every ten minutes up to now: 300 of them.
    const now = harness.clock.now() / 1_000;
    for (let n = 300; n > 0; n--) harness.node.mine([], { time: now - n * 600 });
    const real = await harness.open('test');
    await real.create();
    harness.node.mine([payment({ script: real.lockingScript(), satoshis: 4_000 })], { time: now });
    for (let n = 1; n < 4; n++) harness.node.mine([], { time: now + n * 600 });
    harness.node.calls.length = 0;
    await real.start();
    await real.stop();
    expect(real.balance().confirmed).toBe(4_000);
    // Three hours are eighteen blocks.
    expect(harness.node.calls.filter((method) => method === 'getblock').length).toBeLessThan(25);
  });

  it('is the first of all for a restored wallet, or the one a person names', async () => {
    const words = wallet.seedKeys.mnemonic();
    for (const value of [1_000, 2_000, 3_000]) harness.node.mine([payment({ script: script(), satoshis: value })]);
    const real = await harness.open('test');
    await real.restore(words);
    await real.start();
    await real.stop();
    expect(real.balance().confirmed).toBe(6_000);
    harness.secrets.kept.delete('seed:test');
    await harness.store.db.deleteFrom('wallet_state').execute();
    const named = await harness.open('test');
    await named.restore(words, { birthHeight: 3 });
    await named.start();
    await named.stop();
    expect(named.balance().confirmed).toBe(3_000);
  });

  it('is of its own network: coins of one are never shown on another', async () => {
    harness.node.mine([payment(own(5_000))]);
    await wallet.start();
    const words = wallet.seedKeys.mnemonic();
    const test = await harness.open('test');
    await test.restore(words);
    expect(test.address()).toBe(wallet.address());
    expect(test.balance().confirmed).toBe(0);
  });
});
