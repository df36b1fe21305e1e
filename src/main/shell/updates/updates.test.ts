import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Conf from 'conf';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Preferences, preferenceOptions } from '../preferences/preferences.ts';
import { ElectronDouble } from '../test-support/electron-double.ts';
import { UpdaterDouble } from '../test-support/updater-double.ts';
import { textsIn } from '../texts/texts.ts';
import { plainNotes } from './release-notes.ts';
import { StartRecord } from './start-record.ts';
import { Updates } from './updates.ts';

let folder: string;
let store: Conf<Preferences>;
let electron: ElectronDouble;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-updates-'));
  store = new Conf<Preferences>({ ...preferenceOptions('1.0.0'), cwd: folder, configName: 'shell' });
  electron = new ElectronDouble();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function updatesOf(updater: UpdaterDouble, busy: () => boolean = () => false) {
  const timers: { ms: number; run: () => void }[] = [];
  const logger = { info: () => {}, warn: () => {}, error: () => {} };
  const updates = new Updates({
    electron: electron.api,
    updater,
    preferences: store,
    logger,
    texts: () => textsIn('en'),
    version: '1.0.0',
    folder: join(folder, 'installers'),
    isBusy: busy,
    handOver: async () => void updater.calls.push('hand over'),
    quit: () => void updater.calls.push('quit'),
    after: (ms, run) => {
      timers.push({ ms, run });
      return () => {};
    },
  });
  return { updates, timers };
}

describe('Updates', () => {
  it('tells of an update by default, and loads and installs it only where the person says so', async () => {
    const updater = new UpdaterDouble({ version: '1.1.0', releaseNotes: '<p>Better <b>mints</b></p>' });
    electron.answer = 1;
    await updatesOf(updater).updates.check(false);
    expect(updater.calls).toEqual(['check']);
    expect(electron.questions).toMatchObject([
      { message: 'Planchet 1.1.0 is available', detail: 'You have 1.0.0.\n\nBetter mints' },
    ]);
    electron.answer = 0;
    await updatesOf(updater).updates.check(false);
    expect(updater.calls).toEqual(['check', 'check', 'download', 'hand over', 'install']);
    expect(store.get('installer')).toEqual({ version: '1.1.0', path: '/cache/installer' });
  });

  it('ends the application where its host is stopped and the installer cannot be started', async () => {
    const updater = new UpdaterDouble({ version: '1.1.0' });
    updater.installFault = new Error('denied');
    await updatesOf(updater).updates.check(false);
    await expect.poll(() => updater.calls.at(-1)).toBe('quit');
    expect(electron.questions.at(-1)?.message).toContain('could not be installed');
  });

  it('leaves nothing to the library that it would decide itself', () => {
    const updater = new UpdaterDouble({ version: '1.1.0' });
    updatesOf(updater);
    expect(updater).toMatchObject({
      autoDownload: false,
      autoInstallOnAppQuit: false,
      allowDowngrade: false,
      allowPrerelease: false,
    });
  });

  it.each(['1.0.0', '0.9.9', '1.0.0-beta.1', '2.0.0-beta.1', '01.x', '', '9'])(
    'takes %s for no update',
    async (version) => {
      const updater = new UpdaterDouble({ version });
      await updatesOf(updater).updates.check(true);
      expect(updater.calls).toEqual(['check']);
      expect(electron.questions.map(({ message }) => message)).toEqual(['Planchet 1.0.0 is the newest version.']);
    },
  );

  it('installs nothing during a job, also one that began while it was asked', async () => {
    let busy = true;
    const updater = new UpdaterDouble({ version: '1.1.0' });
    await updatesOf(updater, () => busy).updates.check(false);
    expect(updater.calls).toEqual(['check', 'download']);
    expect(electron.questions.at(-1)?.detail).toBe('A job is running. The update can be installed once it has ended.');

    const later = new UpdaterDouble({ version: '1.1.0' });
    let asked = 0;
    busy = false;
    await updatesOf(later, () => {
      asked += 1;
      return asked > 1;
    }).updates.check(false);
    expect(later.calls).not.toContain('install');
  });

  it('is silent where it was told to install by itself, and waits for the quit, but not during a job', async () => {
    store.set('updates', 'auto');
    let busy = false;
    const updater = new UpdaterDouble({ version: '1.1.0' });
    const { updates } = updatesOf(updater, () => busy);
    // The library looks at it when a download ends, and never again.
    updater.onDownload = () => updater.calls.push(`quit installs: ${updater.autoInstallOnAppQuit}`);
    await updates.check(false);
    expect(electron.questions).toEqual([]);
    expect(updater.calls).toEqual(['check', 'download', 'quit installs: true']);
    busy = true;
    updates.quit();
    expect(updater.autoInstallOnAppQuit).toBe(false);
  });

  it('asks nobody where it is switched off, unless the person asks', async () => {
    store.set('updates', 'off');
    const updater = new UpdaterDouble(new Error('no network'));
    const { updates, timers } = updatesOf(updater);
    updates.start();
    expect(timers.map(({ ms }) => ms)).toEqual([60_000]);
    timers[0]?.run();
    expect(updater.calls).toEqual([]);
    expect(timers.map(({ ms }) => ms)).toEqual([60_000, 86_400_000]);
    await updates.check(true);
    expect(electron.questions.map(({ message }) => message)).toEqual([
      'The update could not be checked or downloaded.',
    ]);
  });

  it('says nothing without a network, where nobody asked', async () => {
    await updatesOf(new UpdaterDouble(new Error('offline'))).updates.check(false);
    expect(electron.questions).toEqual([]);
  });
});

describe('plainNotes', () => {
  it('keeps words and drops everything else', () => {
    expect(plainNotes('<h2>New</h2><ul><li>a &lt; b</li><li>c</li></ul><script>alert(1)</script>')).toBe(
      'New\n- a < b\n- c',
    );
    expect(plainNotes([{ note: 'one' }, null, { note: '<b>two</b>' }])).toBe('one\n\ntwo');
    expect(plainNotes(`safe\u202eexe${'x'.repeat(5_000)}`)).toHaveLength(1_501);
    for (const none of [undefined, null, 7, {}]) expect(plainNotes(none)).toBe('');
  });

  it('leaves no tag of HTML and no control character, whatever arrives', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(plainNotes(`<a href="${text}`)).not.toMatch(/<a /);
        expect([...plainNotes(text)].filter((letter) => /[\p{Cc}\p{Cf}]/u.test(letter) && letter !== '\n')).toEqual([]);
      }),
    );
  });
});

describe('StartRecord', () => {
  const start = (version: string, good: boolean) => {
    const record = new StartRecord(store, version);
    const rollback = record.begin();
    if (good) record.good();
    return rollback;
  };

  it('offers the previous version after two starts that failed, with its installer', () => {
    store.set('installer', { version: '1.0.0', path: '/cache/1.0.0' });
    expect(start('1.0.0', true)).toBeUndefined();
    store.set('installer', { version: '1.1.0', path: '/cache/1.1.0' });
    expect([start('1.1.0', false), start('1.1.0', false)]).toEqual([undefined, undefined]);
    expect(start('1.1.0', false)).toEqual({ previous: '1.0.0', installer: '/cache/1.0.0' });
  });

  it('offers nothing once a start was good, or where nothing older ever was', () => {
    expect([start('1.0.0', false), start('1.0.0', false), start('1.0.0', false)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    start('1.0.0', true);
    start('1.1.0', false);
    start('1.1.0', true);
    expect([start('1.1.0', false), start('1.1.0', false), start('1.1.0', false)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('counts each version for itself', () => {
    start('1.0.0', true);
    start('1.1.0', false);
    start('1.1.0', false);
    expect(start('1.2.0', false)).toBeUndefined();
  });
});
