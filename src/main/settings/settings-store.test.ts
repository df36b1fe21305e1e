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
import { type PlanchetError, parseDuration, settingKeys, settingsSchema } from '../../contract/index.ts';
import { systemClock } from '../clock.ts';
import { migrateSettings, SETTINGS_VERSION, settingsMigrations } from './migrations.ts';
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

describe('defaults', () => {
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
  it('is not told, and stays what it was where the address is saved as it was told', () => {
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

describe('saving', () => {
  it('keeps a value over a restart, in a file only its owner can read', () => {
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

  it('tells listeners what changed, until they leave', () => {
    const store = open();
    const seen: string[] = [];
    const leave = store.onChange((_, changed) => seen.push(...changed));
    store.set('theme', 'dark');
    leave();
    store.set('theme', 'light');
    expect(seen).toEqual(['theme']);
  });

  it('never tells a secret', () => {
    const store = open();
    store.set('rpcPassword', 'correct horse');
    expect(store.entry('rpcPassword')).toMatchObject({ value: null, isSet: true, secret: true });
    expect(JSON.stringify(store.entries())).not.toContain('correct horse');
  });
});

describe('overrides', () => {
  it('are in force and never saved', () => {
    const store = open({ overrides: { rpcBind: '127.0.0.1:0', 'sandbox.bind': '127.0.0.1:0' } });
    expect(store.current()).toMatchObject({ rpcBind: '127.0.0.1:0', sandbox: { bind: '127.0.0.1:0' } });
    store.set('theme', 'dark');
    expect(open().current()).toMatchObject({ rpcBind: ':8332', theme: 'dark', sandbox: { bind: '127.0.0.1:9600' } });
  });

  it('are validated', () => {
    expect(codeOf(() => open({ overrides: { rpcBind: 'x' } }))).toBe('settings-invalid');
  });
});

describe('a broken file', () => {
  it('that is not JSON is set aside and named', () => {
    writeFileSync(fileOf(), '{"network": "test"');
    const store = open();
    expect(store.current().network).toBe('sandbox');
    const aside = readdirSync(dataDir).find((name) => name.startsWith('settings.json.bad-'));
    expect(readFileSync(join(dataDir, aside as string), 'utf8')).toBe('{"network": "test"');
    expect(store.notices[0]?.hint).toContain(aside);
  });

  it('with one bad value loses that value only', () => {
    writeFileSync(fileOf(), JSON.stringify({ rpcBind: 'nonsense', theme: 'dark', settingsVersion: 1 }));
    const store = open();
    expect(store.current()).toMatchObject({ rpcBind: ':8332', theme: 'dark' });
    expect(store.notices[0]?.message).toContain('rpcBind');
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

  it('never stops the start, whatever JSON it holds', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...settingKeys, 'sandbox', 'x'), fc.jsonValue()), (content) => {
        writeFileSync(fileOf(), JSON.stringify(content));
        expect(settingsSchema.safeParse(open().current()).success).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});

describe('migrations', () => {
  it('are numbered without gaps', () => {
    expect(settingsMigrations.map((step) => step.to)).toEqual(settingsMigrations.map((_, index) => index + 1));
  });

  it('1 reads booleans written as text', () => {
    expect(migrateSettings({ debugServer: 'true', ignoreCertificate: 'false', other: 'true' })).toEqual({
      debugServer: true,
      ignoreCertificate: false,
      other: 'true',
      settingsVersion: 1,
    });
  });

  it('leave a newer file as it is', () => {
    const newer = { settingsVersion: SETTINGS_VERSION + 1, debugServer: 'true' };
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
