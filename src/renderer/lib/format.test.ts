import { describe, expect, it } from 'vitest';
import {
  formatBytes,
  formatDay,
  formatDifficulty,
  formatDuration,
  formatMilliseconds,
  formatRate,
  formatRelative,
  formatShare,
  nameFromFile,
  regional,
  separators,
  shortenId,
  toneOf,
} from './format.ts';

describe('the number formats of a language', () => {
  it('never round a part up to 100%', () => {
    expect([formatShare(999_999, 1_000_000), formatShare(1, 1), formatShare(0, 0)]).toEqual(['99.9%', '100%', '0%']);
    expect(formatShare(1, 8, 'de')).toBe('12,5%');
    expect([formatShare(113, 250_113), formatShare(1, 1_000)]).toEqual(['< 0.1%', '0.1%']);
  });

  it('include the separators for number fields', () => {
    expect(separators('en')).toEqual({ group: ',', decimal: '.' });
    expect(separators('de')).toEqual({ group: '.', decimal: ',' });
  });
});

describe('the figures of calls', () => {
  it('distinguish microseconds from zero, and group the digits of large numbers', () => {
    expect([0.003, 0.0512, 4.061, 251.73, 1_830.4].map((value) => formatMilliseconds(value))).toEqual([
      '0.003',
      '0.051',
      '4.06',
      '251.7',
      '1,830',
    ]);
    expect([0, 0.234, 9.5, 1_314.25].map((value) => formatRate(value))).toEqual(['0', '0.23', '9.5', '1,314.3']);
  });
});

describe('the difficulty of a block', () => {
  it('has enough digits to differ from zero', () => {
    expect(formatDifficulty(4.656542373906925e-10)).toBe('0.0000000004657');
    expect(formatDifficulty(1)).toBe('1');
    expect(formatDifficulty(79_351_228_131.13)).toBe('79,351,228,131.13');
  });
});

describe('shortened ids', () => {
  it('keep both ends, and short ids are not changed', () => {
    expect(shortenId(`3f2a${'0'.repeat(56)}91c0`)).toBe('3f2a…91c0');
    expect(shortenId('abcdefghi')).toBe('abcdefghi');
    expect(shortenId('abcdefghij')).toBe('abcd…ghij');
  });
});

describe('sizes and times', () => {
  it('use decimal units and change the unit before 1,000', () => {
    expect(formatBytes(0)).toBe('0 B');
    expect(formatBytes(999)).toBe('999 B');
    expect(formatBytes(1_000)).toBe('1 kB');
    expect(formatBytes(41_237)).toBe('41.2 kB');
    expect(formatBytes(999_700)).toBe('1 MB');
    expect(formatBytes(4_000_000)).toBe('4 MB');
  });

  it('show the past and the future in the largest unit', () => {
    const now = 1_700_000_000_000;
    expect(formatRelative(now - 2_000, now)).toBe('now');
    expect(formatRelative(now - 42_000, now)).toBe('42 sec. ago');
    expect(formatRelative(now - 119_000, now)).toBe('1 min. ago');
    expect(formatRelative(now + 3 * 3_600_000, now)).toBe('in 3 hr.');
    expect(formatRelative(now - 400 * 86_400_000, now)).toBe('last yr.');
  });

  it('name recent days relative to today', () => {
    const now = new Date(2026, 10, 22, 0, 30).getTime();
    expect(formatDay(now, now)).toBe('Today');
    expect(formatDay(now - 3_600_000, now)).toBe('Yesterday');
    expect(formatDay(new Date(2026, 10, 2, 23, 59).getTime(), now, 'de')).toBe('Montag, 2. November');
    expect(formatDay(new Date(2025, 11, 31).getTime(), now)).toBe('Wednesday, December 31, 2025');
  });

  it('show durations in the largest unit that fits', () => {
    expect(formatDuration(420)).toBe('420 ms');
    expect(formatDuration(7_900)).toBe('7 s');
    expect(formatDuration(125_000)).toBe('2 min 05 s');
    expect(formatDuration(72 * 60_000)).toBe('1 h 12 min');
    expect(formatDuration(-5)).toBe('0 ms');
  });
});

describe('names and colours', () => {
  it('are a readable name made of a file name', () => {
    expect(nameFromFile('copper-moon.png')).toBe('Copper moon');
    expect(nameFromFile('tide.v2_final.svg')).toBe('Tide v2 final');
    expect(nameFromFile('.png')).toBe('.png');
    expect(nameFromFile(`${'x'.repeat(300)}.txt`)).toHaveLength(120);
  });

  it('are red for a failed mint in any state', () => {
    expect(toneOf('mined', false)).toBe('done');
    expect(toneOf('mined', true)).toBe('fail');
    expect(toneOf('reviewed', false)).toBe('wait');
  });
});

it('dates have the format of the person’s region, if the browser states one for the language', () => {
  expect(regional('en', ['de-DE', 'en-GB', 'en-US'])).toBe('en-GB');
  expect(regional('de', ['de', 'de-AT'])).toBe('de-AT');
  expect(regional('de', ['en-GB'])).toBe('de');
  // Chromium's locale on a system without one is not a valid tag: a formatter throws.
  expect(regional('en', ['en-US@posix'])).toBe('en');
  const day = (tag: string) => new Intl.DateTimeFormat(tag, { dateStyle: 'short' }).format(Date.UTC(2026, 10, 23, 12));
  expect(day(regional('en', ['en-GB']))).toBe('23/11/2026');
});
