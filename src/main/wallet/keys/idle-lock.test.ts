import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Settings, settingsSchema } from '../../../contract/index.ts';
import { StillClock } from '../../test-support/still-clock.ts';
import { IdleLock } from './idle-lock.ts';

let clock: StillClock;
let settings: Settings;
let open: boolean;
let busy: boolean;
let idle: IdleLock;
beforeEach(() => {
  clock = new StillClock(1_000);
  settings = settingsSchema.parse({ walletLockAfter: '1m' });
  open = true;
  busy = false;
  idle = new IdleLock({
    clock,
    settings: { current: () => settings },
    logger: pino({ level: 'silent' }),
    isOpen: () => open,
    isBusy: () => busy,
    lock: async () => {
      open = false;
    },
  });
  idle.start();
});

describe('the idle lock', () => {
  it('locks after the time of the setting, counted from the last use', () => {
    clock.advance(50_000);
    idle.used();
    clock.advance(55_000);
    expect(open).toBe(true);
    clock.advance(10_000);
    expect(open).toBe(false);
  });

  it('waits for the end of a job, and then for the whole time again', () => {
    busy = true;
    clock.advance(300_000);
    expect(open).toBe(true);
    busy = false;
    clock.advance(55_000);
    expect(open).toBe(true);
    clock.advance(10_000);
    expect(open).toBe(false);
  });

  it('waits no longer than once more where the clock is put back, and not less than the rest of its wait', () => {
    clock.advance(50_000);
    idle.used();
    clock.advance(-3_600_000);
    clock.advance(55_000);
    expect(open).toBe(true);
    clock.advance(10_000);
    expect(open).toBe(false);
    open = true;
    idle.forJob();
    clock.advance(-3_600_000);
    settings = settingsSchema.parse({ walletLockAfter: '0' });
    clock.advance(55_000);
    expect(open).toBe(true);
    clock.advance(10_000);
    expect(open).toBe(false);
  });

  it('is off at 0, follows a change of the setting, and ends when it is stopped', () => {
    settings = settingsSchema.parse({ walletLockAfter: '0' });
    clock.advance(3_600_000);
    expect(open).toBe(true);
    settings = settingsSchema.parse({ walletLockAfter: '10s' });
    idle.stop();
    clock.advance(3_600_000);
    expect(open).toBe(true);
    idle.start();
    clock.advance(15_000);
    expect(open).toBe(false);
  });

  it('locks at once when the computer goes to sleep, or when the job that needs the keys has ended', async () => {
    settings = settingsSchema.parse({ walletLockAfter: '0' });
    busy = true;
    await idle.sleep();
    clock.advance(600_000);
    expect(open).toBe(true);
    busy = false;
    clock.advance(5_000);
    expect(open).toBe(false);
    open = true;
    await idle.sleep();
    expect(open).toBe(false);
  });

  it('locks again after the job that the wallet was opened for, or where none begins', () => {
    settings = settingsSchema.parse({ walletLockAfter: '0' });
    idle.forJob();
    clock.advance(30_000);
    busy = true;
    clock.advance(600_000);
    expect(open).toBe(true);
    busy = false;
    clock.advance(5_000);
    expect(open).toBe(false);
    open = true;
    idle.forJob();
    clock.advance(55_000);
    expect(open).toBe(true);
    clock.advance(10_000);
    expect(open).toBe(false);
    open = true;
    clock.advance(600_000);
    expect(open).toBe(true);
  });
});
