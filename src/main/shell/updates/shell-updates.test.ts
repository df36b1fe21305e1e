import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { workingMint } from '../../../contract/test-support/working-mint.ts';
import { ElectronDouble } from '../test-support/electron-double.ts';
import { ShellHarness } from '../test-support/shell-harness.ts';
import { UpdaterDouble } from '../test-support/updater-double.ts';

let harness: ShellHarness;
let updater: UpdaterDouble;
beforeEach(() => {
  harness = new ShellHarness();
  updater = new UpdaterDouble({ version: '9.0.0' });
});
afterEach(() => harness.close());

interface Line {
  readonly label?: string;
  readonly click?: () => void;
  readonly submenu?: readonly Line[];
}

/** The line of the menu that was drawn last, at any depth. */
function line(label: string): Line | undefined {
  const find = (lines: readonly Line[]): Line | undefined =>
    lines.flatMap((each) => (each.label === label ? [each] : [find(each.submenu ?? [])])).find(Boolean);
  return find(harness.electron.menus.at(-1) as readonly Line[]);
}

const timers: { ms: number; run: () => void; cancelled: boolean }[] = [];
const after = (ms: number, run: () => void): (() => void) => {
  const timer = { ms, run, cancelled: false };
  timers.push(timer);
  return () => {
    timer.cancelled = true;
  };
};
beforeEach(() => void timers.splice(0));

describe('the desktop’s updates', () => {
  const open = () => harness.open({ openUpdater: async () => updater, after });

  it('are looked for on demand by a line of the menu', async () => {
    await open();
    harness.electron.answer = 1;
    line('Look for an update now')?.click?.();
    await expect.poll(() => harness.electron.questions).toHaveLength(1);
    expect(harness.electron.questions[0]?.message).toContain('9.0.0');
    expect(updater.calls).toEqual(['check']);
  });

  it('are looked for a minute after the start, and no more once the application quits', async () => {
    await open();
    harness.electron.answer = 1;
    const [first] = timers.filter(({ ms }) => ms === 60_000);
    first?.run();
    await expect.poll(() => updater.calls).toEqual(['check']);
    harness.electron.app.quit();
    await expect.poll(() => harness.electron.app.exitCode).toBe(0);
    expect(timers.filter(({ ms }) => ms === 86_400_000)).toMatchObject([{ cancelled: true }]);
  });

  it('are loaded, but not installed while the host is at work', async () => {
    await open();
    const toolTip = (): string | undefined => harness.electron.trays[0]?.toolTip;
    await expect.poll(toolTip).toBe('Planchet: Running');
    harness.fake.hub.publish({ type: 'job', job: workingMint });
    await expect.poll(toolTip).toBe('Planchet: 1 job is running');
    line('Look for an update now')?.click?.();
    await expect.poll(() => harness.electron.questions).toHaveLength(2);
    expect(updater.calls).toEqual(['check', 'download']);
    expect(harness.preferences.get('installer')).toEqual({ version: '9.0.0', path: '/cache/installer' });
  });

  it('are installed once the host has stopped and another instance may start', async () => {
    await open();
    line('Look for an update now')?.click?.();
    await expect.poll(() => updater.calls).toEqual(['check', 'download', 'install']);
    expect(harness.host.calls.at(-1)).toBe('stop');
    expect(harness.electron.app.calls.at(-1)).toBe('unlock');
    harness.electron.app.quit();
    expect(harness.electron.app.exitCode).toBe(0);
  });

  it('are not offered where the package cannot update itself, or runs from a folder', async () => {
    await harness.open();
    expect(line('Look for an update now')).toBeUndefined();
    harness.electron = new ElectronDouble();
    harness.electron.app.isPackaged = false;
    await open();
    expect(line('Look for an update now')).toBeUndefined();
    expect(timers.filter(({ ms }) => ms === 60_000)).toEqual([]);
  });
});
