import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PrivateKey } from '@bsv/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WalletAccount } from '../contract/index.ts';
import { callCommand } from './test-support/hosts/call-command.ts';
import type { Ended } from './test-support/hosts/command-line.ts';
import { until } from './test-support/hosts/open-host.ts';
import { startHere } from './test-support/hosts/start-here.ts';

/** The public key of the first vector of BIP32, with the version of test networks. */
const TPUB =
  'tpubD6NzVbkrYhZ4XgiXtGrdW5XDAPFCL9h7we1vwNCpn8tGbBcgfVYjXyhWo4E1xkh56hjod1RhGjxbaTLV3X4FyWuejifB9jusQ46QzG87VKp';

let folder: string;
let host: Awaited<ReturnType<typeof startHere>>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-cli-accounts-'));
  host = await startHere({ dataDir: join(folder, 'data'), set: { 'sandbox.mineOnArrival': '100ms' } });
});
afterAll(async () => {
  await host.stop();
  rmSync(folder, { recursive: true, force: true });
});

function wallet(...args: string[]): Promise<Ended> {
  return callCommand(['--data-dir', join(folder, 'data'), 'wallet', ...args]);
}

async function told<T>(...args: string[]): Promise<T> {
  const { code, out, err } = await wallet(...args, '--json');
  expect({ code, err }).toMatchObject({ code: 0 });
  return JSON.parse(out) as T;
}

async function refused(...args: string[]): Promise<string> {
  const { code, out, err } = await wallet(...args, '--json');
  expect({ code, out }).toEqual({ code: 1, out: '' });
  return (JSON.parse(err) as { error: { code: string } }).error.code;
}

describe('the accounts on the command line', () => {
  it('are made, watched, named, switched and listed', async () => {
    expect(await told('account', 'create', 'Shop')).toMatchObject({
      id: '3',
      name: 'Shop',
      kind: 'seed',
      active: true,
    });
    const cold = await told<WalletAccount>('account', 'watch', 'Cold', TPUB, '--birth-height', '5');
    expect(cold).toMatchObject({ name: 'Cold', kind: 'watch', canSend: false, active: true });
    expect(await told('account', 'rename', '3', 'Till')).toMatchObject({ id: '3', name: 'Till' });
    expect(await told('account', 'switch', 'main')).toMatchObject({ id: 'main', active: true });
    const accounts = await told<WalletAccount[]>('accounts');
    expect(accounts.map(({ name, active }) => ({ name, active }))).toEqual([
      { name: '', active: true },
      { name: 'Till', active: false },
      { name: 'Cold', active: false },
    ]);
    const { code, out } = await wallet('accounts');
    expect(code).toBe(0);
    const [main, till, watched] = out.trimEnd().split('\n');
    expect(main).toMatch(/^\* main {2}Main {2}seed {2}\d+ satoshis {2}[mn]\w+$/);
    expect(till).toMatch(/^ {2}3 {2}Till {2}seed {2}0 satoshis {2}[mn]\w+$/);
    expect(watched).toContain(`${cold.id}  Cold  watch  0 satoshis`);
  });

  it('are refused where they exist, are unknown or come from a bad key', async () => {
    expect(await refused('account', 'watch', 'Again', TPUB)).toBe('conflict');
    expect(await refused('account', 'watch', 'Bad', 'tpub')).toBe('invalid-input');
    expect(await refused('account', 'switch', '99')).toBe('not-found');
    expect(await refused('account', 'rename', '99', 'x')).toBe('not-found');
    const bad = join(folder, 'bad.wif');
    writeFileSync(bad, 'no key');
    expect(await refused('account', 'import', 'Bad', '--key-file', bad)).toBe('invalid-input');
    expect((await wallet('account', 'create')).code).toBe(2);
    expect((await wallet('account', 'watch', 'x', TPUB, '--birth-height', 'x')).code).toBe(2);
  });

  it('with an imported key are swept into the main account, tokens included', async () => {
    const key = join(folder, 'paper.wif');
    const wif = new PrivateKey(31_337).toWif([0xef]);
    writeFileSync(key, `${wif}\n`);
    const paper = await told<WalletAccount>('account', 'import', 'Paper', '--key-file', key);
    expect(paper).toMatchObject({ name: 'Paper', kind: 'key', canSend: true });
    const client = host.client();
    await client.sandbox.fund({ address: paper.address as string, satoshis: 1 });
    await client.sandbox.fund({ address: paper.address as string, satoshis: 30_000 });
    await until(async () => {
      const balance = await client.wallet.balance();
      return balance.confirmed === 30_000 && balance.tokens === 1;
    });
    const swept = await wallet('sweep', paper.id, '--wait', 'mined', '--json');
    expect(swept.code).toBe(0);
    expect(swept.out + swept.err).not.toContain(wif);
    const { txid, fee, state } = JSON.parse(swept.out) as { txid: string; fee: number; state: string };
    expect(state).toBe('mined');
    await until(async () => (await client.wallet.balance()).total === 0);
    expect((await client.wallet.balance()).tokens).toBe(0);
    await told('account', 'switch', 'main');
    const history = await until(async () => {
      const entries = await told<{ txid: string; amount: number; tokens: number }[]>('history');
      return entries.find((entry) => entry.txid === txid);
    });
    expect(history).toMatchObject({ amount: 30_000 - fee, tokens: 1 });
    expect(await refused('sweep', paper.id)).toBe('funds-insufficient');
    expect(await refused('sweep', 'main')).toBe('invalid-input');
    expect(await refused('sweep', 'nobody')).toBe('not-found');
  });
});

describe('wallet sweep without a node', () => {
  it('says what it waits for, and ends with the reason', async () => {
    const [secret, key] = ['passphrase', 'key'].map((name) => join(folder, name)) as [string, string];
    writeFileSync(secret, 'correct horse battery staple');
    writeFileSync(key, new PrivateKey(78).toWif([0xef]));
    const alone = (...args: string[]): Promise<Ended> =>
      callCommand([
        ...['--data-dir', join(folder, 'alone'), '--network', 'test', '--passphrase-file', secret],
        ...['wallet', ...args],
      ]);
    expect((await alone('create')).code).toBe(0);
    const made = await alone('account', 'import', 'Paper', '--key-file', key, '--json');
    const { id } = JSON.parse(made.out) as WalletAccount;
    const { code, err } = await alone('sweep', id);
    expect(code).toBe(1);
    expect(err).toMatch(/Waiting until the account has been searched[\s\S]*No upstream node is set/);
  });
});
