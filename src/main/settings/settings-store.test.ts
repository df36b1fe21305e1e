import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type PlanchetError,
  parseDuration,
  settingRows,
  settingsSchema,
  settingVariable,
} from '../../contract/index.ts';
import { systemClock } from '../clock.ts';
import { migrateSettings } from './migrations.ts';
import { SettingsStore } from './settings-store.ts';

let dataDir: string;
const open = (options: Partial<ConstructorParameters<typeof SettingsStore>[0]> = {}): SettingsStore =>
  new SettingsStore({ dataDir, clock: systemClock, ...options });
const fileOf = (): string => join(dataDir, 'settings.json');

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'planchet-settings-'));
});
afterEach(() => {
  chmodSync(dataDir, 0o700);
  rmSync(dataDir, { recursive: true, force: true });
});

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return (error as PlanchetError).code;
  }
  return 'no error';
}

describe('defaults of settings', () => {
  it('are those of the node gateway, key by key', () => {
    expect(open().current()).toMatchObject({
      network: 'sandbox',
      consoleAddress: 'localhost:9400',
      debugServer: false,
      rpcBind: ':8332',
      rpcUsername: 'planchet',
      zmqAddress: 'tcp://:28332',
      bitcoinTimeout: '10s',
      ignoreCertificate: false,
      writerBind: ':9500',
      sandbox: { bind: '127.0.0.1:9600', zmqAddress: 'tcp://127.0.0.1:28339' },
    });
  });
});

describe('a password in an address', () => {
  it('is masked, and keeps its value when the masked address is saved', () => {
    const store = open();
    const saved = 'http://me:hunter2@127.0.0.1:1/,http://127.0.0.1:2/';
    expect(JSON.stringify(store.set('bitcoinRpcUrl', saved))).not.toContain('hunter2');
    expect(JSON.stringify(store.entries())).not.toContain('hunter2');
    const { value } = store.entry('bitcoinRpcUrl');
    expect(value).toBe('http://me:•••@127.0.0.1:1/,http://127.0.0.1:2/');
    store.set('bitcoinRpcUrl', `${String(value)},http://127.0.0.1:3/`);
    expect(store.current().bitcoinRpcUrl).toBe(`${saved},http://127.0.0.1:3/`);
    expect(codeOf(() => store.set('bitcoinRpcUrl', 'http://me:•••@evil.example/'))).toBe('settings-invalid');
    expect(store.current().bitcoinRpcUrl).toContain('hunter2');
  });
});

describe('saving a setting', () => {
  it('keeps a value across a restart, in a file only its owner can read', () => {
    open().set('sandbox.bind', '127.0.0.1:9700');
    expect(open().current().sandbox.bind).toBe('127.0.0.1:9700');
    expect(statSync(fileOf()).mode & 0o777).toBe(0o600);
    expect(readdirSync(dataDir)).toEqual(['settings.json']);
  });

  it('reads text as the type of the key', () => {
    const store = open();
    store.set('debugServer', 'true');
    store.set('maxTokenBytes', '1000');
    expect(store.current()).toMatchObject({ debugServer: true, maxTokenBytes: 1000 });
  });

  it.each([
    ['rpcBind', 'nonsense'],
    ['rpcBind', ':99999'],
    ['bitcoinTimeout', '10'],
    ['bitcoinTimeout', '0'],
    ['bitcoinTimeout', '0s'],
    ['bitcoinTimeout', '500us'],
    ['bitcoinTimeout', '-5s'],
    ['bitcoinTimeout', '700h'],
    ['fundingTimeout', '0'],
    ['network', 'regtest'],
    ['maxTokenBytes', '-1'],
    ['debugServer', 'yes'],
    ['bitcoinRpcUrl', 'ftp://x'],
    ['noSuchKey', '1'],
    ['sandbox', '1'],
    ['__proto__', '1'],
  ])('refuses %s = %s and changes nothing', (key, value) => {
    const store = open();
    store.set('maxTokenBytes', 5000);
    const before = readFileSync(fileOf());
    expect(codeOf(() => store.set(key, value))).toBe('settings-invalid');
    expect(readFileSync(fileOf())).toEqual(before);
    expect(store.current().maxTokenBytes).toBe(5000);
  });

  it('keeps keys it does not know', () => {
    writeFileSync(fileOf(), JSON.stringify({ fromTheFuture: { a: 1 }, sandbox: { alsoNew: true } }));
    open().set('theme', 'dark');
    expect(JSON.parse(readFileSync(fileOf(), 'utf8'))).toMatchObject({
      fromTheFuture: { a: 1 },
      sandbox: { alsoNew: true },
      theme: 'dark',
    });
  });

  it('calls listeners with what changed, until they unsubscribe', () => {
    const store = open();
    const seen: string[] = [];
    const leave = store.onChange((_, changed) => seen.push(...changed));
    store.set('theme', 'dark');
    leave();
    store.set('theme', 'light');
    expect(seen).toEqual(['theme']);
  });

  it('never returns a secret', () => {
    const store = open();
    store.set('rpcPassword', 'correct horse');
    expect(store.entry('rpcPassword')).toMatchObject({ value: null, isSet: true, secret: true });
    expect(JSON.stringify(store.entries())).not.toContain('correct horse');
  });
});

describe('overrides of settings', () => {
  it('are in force and never saved', () => {
    const store = open({ overrides: { rpcBind: '127.0.0.1:0', 'sandbox.bind': '127.0.0.1:0' } });
    expect(store.current()).toMatchObject({ rpcBind: '127.0.0.1:0', sandbox: { bind: '127.0.0.1:0' } });
    store.set('theme', 'dark');
    expect(open().current()).toMatchObject({ rpcBind: ':8332', theme: 'dark', sandbox: { bind: '127.0.0.1:9600' } });
  });

  it('are validated as saved settings are', () => {
    expect(codeOf(() => open({ overrides: { rpcBind: 'x' } }))).toBe('settings-invalid');
  });
});

describe('the environment', () => {
  it('holds settings between the command line and the file, and is never saved', () => {
    open().set('theme', 'dark');
    open().set('maxTokenBytes', 7_000);
    const environment = {
      PLANCHET_RPC_BIND: '0.0.0.0:1',
      PLANCHET_SANDBOX_BIND: '127.0.0.1:2',
      PLANCHET_THEME: 'light',
      PLANCHET_DEBUG_SERVER: 'true',
      PLANCHET_DATA_DIR: '/nowhere',
    };
    const store = open({ environment, overrides: { rpcBind: '127.0.0.1:3' } });
    expect(store.current()).toMatchObject({ rpcBind: '127.0.0.1:3', theme: 'light', debugServer: true });
    expect(store.current().sandbox.bind).toBe('127.0.0.1:2');
    const origin = (key: string): unknown => [store.entry(key).origin, store.entry(key).overridden];
    expect(origin('rpcBind')).toEqual(['command-line', true]);
    expect(origin('theme')).toEqual(['environment', true]);
    expect(origin('maxTokenBytes')).toEqual(['file', false]);
    expect(origin('logLevel')).toEqual(['default', false]);
    store.set('logLevel', 'warn');
    expect(open().current()).toMatchObject({ theme: 'dark', debugServer: false, logLevel: 'warn', rpcBind: ':8332' });
  });

  it('has one variable for each key', () => {
    expect(settingVariable('rpcBind')).toBe('PLANCHET_RPC_BIND');
    expect(settingVariable('sandbox.zmqAddress')).toBe('PLANCHET_SANDBOX_ZMQ_ADDRESS');
    expect(new Set([...settingRows.keys()].map(settingVariable)).size).toBe(settingRows.size);
  });

  it('is validated, and errors name the variable', () => {
    expect(() => open({ environment: { PLANCHET_RPC_BIND: 'x' } })).toThrow(/^PLANCHET_RPC_BIND: /);
  });

  it('does not set the key of the token service, which is in the vault', () => {
    expect(open({ environment: { PLANCHET_API_KEY: 'the writer key of a program' } }).current().apiKey).toBe('');
    expect(codeOf(() => open({ overrides: { apiKey: 'x' } }))).toBe('settings-invalid');
  });
});

describe('a broken settings file', () => {
  const aside = (): string[] => readdirSync(dataDir).filter((name) => name.startsWith('settings.json.bad-'));

  it.each([
    ['{"network": "test"', 'It named the network test'],
    ['{"network": "main", "theme": }', 'It named the network main'],
    ['{"network": "main"} {"network": "sandbox"}', 'cannot be read'],
    ['not json at all', 'cannot be read'],
    ['', 'cannot be read'],
    ['[]', 'cannot be read'],
    ['{"network": "mian"}', '"mian"'],
    ['{"network": null}', 'null'],
  ])('that leaves the network open stops the start, each time: %s', (text, reason) => {
    writeFileSync(fileOf(), text);
    for (const _ of [1, 2]) {
      expect(() => open()).toThrow(expect.objectContaining({ code: 'settings-invalid' }));
      expect(() => open()).toThrow(reason);
    }
    expect(readFileSync(fileOf(), 'utf8')).toBe(text);
    expect(aside()).toEqual([]);
  });

  it.each([
    ['{"network": "main"', 'main'],
    ['not json at all', 'test'],
    ['{"network": "mian"}', 'test'],
  ])('is set aside where the network of the run is named, and the next start is on %s → %s', (text, next) => {
    writeFileSync(fileOf(), text);
    const store = open({ overrides: { network: 'test' } });
    expect(store.current().network).toBe('test');
    expect(aside()).toHaveLength(1);
    expect(store.notices).toHaveLength(1);
    expect(open().current().network).toBe(next);
  });

  it('takes the network of the run from the environment too', () => {
    writeFileSync(fileOf(), 'not json at all');
    expect(open({ environment: { PLANCHET_NETWORK: 'test' } }).current().network).toBe('test');
  });

  it('that names the sandbox is renamed and reported', () => {
    writeFileSync(fileOf(), '{"network": "sandbox"');
    const store = open();
    expect(store.current().network).toBe('sandbox');
    expect(readFileSync(join(dataDir, aside()[0] as string), 'utf8')).toBe('{"network": "sandbox"');
    expect(store.notices[0]?.failure.hint).toContain(aside()[0]);
  });

  it('with one invalid value loses that value only', () => {
    writeFileSync(fileOf(), JSON.stringify({ rpcBind: 'nonsense', theme: 'dark', settingsVersion: 1 }));
    const store = open();
    expect(store.current()).toMatchObject({ rpcBind: ':8332', theme: 'dark' });
    expect(store.notices[0]?.failure.message).toContain('rpcBind');
    expect(readdirSync(dataDir).some((name) => name.startsWith('settings.json.bad-'))).toBe(true);
  });

  it('is not touched in safe mode', () => {
    writeFileSync(fileOf(), 'not json at all');
    const store = open({ safeMode: true });
    expect(store.current().network).toBe('sandbox');
    expect(codeOf(() => store.set('theme', 'dark'))).toBe('conflict');
    expect(readFileSync(fileOf(), 'utf8')).toBe('not json at all');
    expect(readdirSync(dataDir)).toEqual(['settings.json']);
  });

  it('leaves valid settings or stops the start, whatever JSON it holds', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom(...settingRows.keys(), 'sandbox', 'x'), fc.jsonValue()),
        fc.constantFrom('main', undefined),
        (content, network) => {
          writeFileSync(fileOf(), JSON.stringify({ ...content, ...(network && { network }) }));
          if (network === undefined && 'network' in content) expect(() => open()).toThrow('network');
          else {
            const current = open().current();
            expect(settingsSchema.safeParse(current).success).toBe(true);
            expect(current.network).toBe(network ?? 'sandbox');
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('migrations of the settings file', () => {
  it('to version 1 read booleans written as text', () => {
    expect(migrateSettings({ debugServer: 'true', ignoreCertificate: 'false', other: 'true' })).toEqual({
      debugServer: true,
      ignoreCertificate: false,
      other: 'true',
      settingsVersion: 2,
    });
  });

  it('to version 2 read whether programs may send as a choice of three', () => {
    for (const [before, after] of [
      [true, 'on'],
      [false, 'off'],
      ['ask', 'ask'],
    ])
      expect(migrateSettings({ gatewayBroadcast: before, settingsVersion: 1 })).toEqual({
        gatewayBroadcast: after,
        settingsVersion: 2,
      });
    expect(migrateSettings({ settingsVersion: 1 })).toEqual({ settingsVersion: 2 });
  });

  it('leave a newer file as it is', () => {
    const newer = { settingsVersion: 3, debugServer: 'true' };
    expect(migrateSettings(newer)).toEqual(newer);
  });

  it('run at the start', () => {
    writeFileSync(fileOf(), JSON.stringify({ debugServer: 'true' }));
    expect(open().current().debugServer).toBe(true);
    expect(existsSync(fileOf())).toBe(true);
  });
});

describe('durations', () => {
  it.each([
    ['10s', 10_000],
    ['1m30s', 90_000],
    ['250ms', 250],
    ['1.5h', 5_400_000],
    ['0', 0],
  ])('%s is %d ms', (text, ms) => expect(parseDuration(text)).toBe(ms));
  it.each(['', '10', 's', '10 s', '-1s', '1d'])('refuses %j', (text) => expect(parseDuration(text)).toBeUndefined());
});

describe('a network in the settings', () => {
  const fileText = () => JSON.parse(readFileSync(fileOf(), 'utf8')) as Record<string, unknown>;

  it('keeps its addresses while another one is chosen', () => {
    const store = open();
    store.set('bitcoinRpcUrl', 'http://sandbox.example');
    store.setOn('main', 'bitcoinRpcUrl', 'http://me:hunter2@main.example');
    store.setOn('test', 'baseUrl', 'https://test.example/v1');
    expect(store.current().bitcoinRpcUrl).toBe('http://sandbox.example');
    expect(store.on('main').bitcoinRpcUrl).toBe('http://me:hunter2@main.example');
    store.set('network', 'main');
    // Until the restart this run stays with the values of its own network.
    expect(store.current().bitcoinRpcUrl).toBe('http://sandbox.example');
    expect(fileText()).toMatchObject({ network: 'main', bitcoinRpcUrl: 'http://me:hunter2@main.example' });
    const next = open();
    expect(next.current()).toMatchObject({
      network: 'main',
      bitcoinRpcUrl: 'http://me:hunter2@main.example',
      baseUrl: '',
    });
    next.set('network', 'test');
    expect(open().current()).toMatchObject({ bitcoinRpcUrl: '', baseUrl: 'https://test.example/v1' });
    open().set('network', 'sandbox');
    expect(open().current().bitcoinRpcUrl).toBe('http://sandbox.example');
    expect(open().on('main').bitcoinRpcUrl).toContain('main.example');
  });

  it('named for one run has its own values, which leave those of the file alone', () => {
    open().set('bitcoinRpcUrl', 'http://sandbox.example');
    const run = open({ overrides: { network: 'test' } });
    expect(run.current().bitcoinRpcUrl).toBe('');
    run.set('bitcoinRpcUrl', 'http://test.example');
    expect(run.current().bitcoinRpcUrl).toBe('http://test.example');
    expect(open().current()).toMatchObject({ network: 'sandbox', bitcoinRpcUrl: 'http://sandbox.example' });
  });

  it('takes the values of a file that names no network', () => {
    writeFileSync(fileOf(), JSON.stringify({ bitcoinRpcUrl: 'http://gateway.example' }));
    expect(open({ overrides: { network: 'main' } }).current().bitcoinRpcUrl).toBe('http://gateway.example');
  });

  it('masks the password of its upstream, and takes it back only with the same address', () => {
    const store = open();
    store.setOn('main', 'bitcoinRpcUrl', 'http://me:hunter2@main.example/');
    const shown = store.entriesOn('main').find(({ key }) => key === 'bitcoinRpcUrl')?.value;
    expect(shown).toBe('http://me:•••@main.example/');
    store.setOn('main', 'bitcoinRpcUrl', String(shown));
    expect(store.on('main').bitcoinRpcUrl).toContain('hunter2');
    expect(codeOf(() => store.setOn('test', 'bitcoinRpcUrl', String(shown)))).toBe('settings-invalid');
  });

  it('gives a value that is not valid its default, once it is in use', () => {
    writeFileSync(
      fileOf(),
      JSON.stringify({ network: 'sandbox', profiles: { test: { baseUrl: 'nonsense' }, main: 7 } }),
    );
    expect(open().on('test').baseUrl).toBe('');
    const run = open({ overrides: { network: 'test' } });
    expect(run.current().baseUrl).toBe('');
    expect(run.notices[0]?.failure.message).toContain('baseUrl');
  });
});
