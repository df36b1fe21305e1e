import { type MintState, mintStates, type Tone } from '../../contract/index.ts';

/** Creating a formatter takes far longer than using it, and a long table formats hundreds of numbers a second, so one is kept per language. */
export function once<T>(make: (language: string) => T): (language: string) => T {
  const made = new Map<string, T>();
  return (language) => {
    const existing = made.get(language);
    if (existing !== undefined) return existing;
    const created = make(language);
    made.set(language, created);
    return created;
  };
}

export const numbers = (options: Intl.NumberFormatOptions) =>
  once((language) => new Intl.NumberFormat(language, options));
/** Dates and times in the format of the person's region, if the browser states it: the day is first in `en-GB`, the month in `en-US`. */
const times = (options: Intl.DateTimeFormatOptions) =>
  once((language) => new Intl.DateTimeFormat(regional(language), options));

/** @param language of the page @param preferred languages of the person, as the browser lists them: without a locale, Chromium has `en-US@posix` */
export function regional(
  language: string,
  preferred: readonly string[] = globalThis.navigator?.languages ?? [],
): string {
  return preferred.find((tag) => tag.startsWith(`${language}-`) && /^[\w-]+$/.test(tag)) ?? language;
}

/** Numbers with at most so many decimals. */
const decimals = [0, 1, 2, 3].map((digits) => numbers({ maximumFractionDigits: digits }));

export function decimal(language: string, digits: 0 | 1 | 2 | 3): Intl.NumberFormat {
  return (decimals[digits] as (typeof decimals)[number])(language);
}

const firstDigits = numbers({ maximumSignificantDigits: 4 });
const shares = numbers({ maximumFractionDigits: 1, roundingMode: 'trunc' });
const ago = once((language) => new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' }));
const dayWords = once((language) => new Intl.RelativeTimeFormat(language, { numeric: 'auto' }));
const headings = times({ weekday: 'long', day: 'numeric', month: 'long' });
const yearHeadings = times({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
const exact = times({
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
});

/** A function that formats a time. */
function written(options: Intl.DateTimeFormatOptions): (at: number, language?: string) => string {
  const formats = times(options);
  return (at, language = 'en') => formats(language).format(at);
}

/** Creates the formatters of the first view, each in its own task: the first of a kind reads its data for tens of milliseconds. */
export function prepareFormats(language: string): void {
  for (const prepare of [() => decimal(language, 0), () => exact(language), () => ago(language)]) setTimeout(prepare);
}

/** `1,250,000`: an integer with the digit groups of the language. */
export function formatInteger(value: number, language = 'en'): string {
  return decimal(language, 0).format(value);
}

/** Milliseconds with enough digits to compare them: `0.003`, `4.06`, `251.7`, `1,830`. A cached reply takes a few thousandths. */
export function formatMilliseconds(milliseconds: number, language = 'en'): string {
  const digits = milliseconds < 0.1 ? 3 : milliseconds < 10 ? 2 : milliseconds < 1_000 ? 1 : 0;
  return decimal(language, digits).format(milliseconds);
}

/** Events per second: `1,314.2`, `0.23`. */
export function formatRate(rate: number, language = 'en'): string {
  return decimal(language, rate < 10 ? 2 : 1).format(rate);
}

/** A block's difficulty: two decimals, or significant digits below one, since that of a sandbox is far smaller. */
export function formatDifficulty(difficulty: number, language = 'en'): string {
  return (difficulty < 1 ? firstDigits(language) : decimal(language, 2)).format(difficulty);
}

/** A share in per cent. Rounded so that 100% means all and 0% means none. */
export function formatShare(part: number, whole: number, language = 'en'): string {
  const share = whole === 0 ? 0 : (part / whole) * 100;
  return share > 0 && share < 0.1 ? `< ${shares(language).format(0.1)}%` : `${shares(language).format(share)}%`;
}

/** The separators of numbers, for fields in which one is typed. */
export const separators = once((language) => {
  const parts = decimal(language, 1).formatToParts(1_234_567.5);
  const signOf = (type: 'group' | 'decimal', usual: string): string =>
    parts.find((part) => part.type === type)?.value ?? usual;
  return { group: signOf('group', ','), decimal: signOf('decimal', '.') };
});

/** `3f2a…91c0`. A text that is no longer than its short form is not changed. */
export function shortenId(id: string, keep = 4): string {
  return id.length <= keep * 2 + 1 ? id : `${id.slice(0, keep)}…${id.slice(-keep)}`;
}

/** An address in its short form. A paymail address is not shortened. */
export function shortAddress(address: string): string {
  return address.includes('@') ? address : shortenId(address, 6);
}

/** Decimal units, as file managers show them: `512 B`, `41.2 kB`, `4 MB`. */
export function formatBytes(bytes: number, language = 'en'): string {
  const units = ['B', 'kB', 'MB', 'GB'];
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 100 ? 0 : 1;
  return `${decimal(language, digits).format(value)} ${units[unit]}`;
}

/** `3 minutes ago`, `in 2 hours`; below five seconds the word for now. */
export function formatRelative(at: number, now: number, language = 'en'): string {
  const format = ago(language);
  const seconds = Math.round((at - now) / 1_000);
  const size = Math.abs(seconds);
  if (size < 5) return format.format(0, 'second');
  if (size < 60) return format.format(seconds, 'second');
  if (size < 3_600) return format.format(Math.trunc(seconds / 60), 'minute');
  if (size < 86_400) return format.format(Math.trunc(seconds / 3_600), 'hour');
  if (size < 30 * 86_400) return format.format(Math.trunc(seconds / 86_400), 'day');
  if (size < 365 * 86_400) return format.format(Math.trunc(seconds / (30 * 86_400)), 'month');
  return format.format(Math.trunc(seconds / (365 * 86_400)), 'year');
}

/** Date and time to the second with the zone, for the tooltip over a relative time. */
export function formatExact(at: number, language = 'en'): string {
  return exact(language).format(at);
}

/** The day of a heading: `Today`, `Yesterday`, `Monday, 2 November`; with the year where it is another. */
export function formatDay(at: number, now: number, language = 'en'): string {
  const midnight = (time: number): number => new Date(time).setHours(0, 0, 0, 0);
  // Rounded, since a day on which clocks change is an hour shorter or longer.
  const days = Math.round((midnight(at) - midnight(now)) / 86_400_000);
  if (days === 0 || days === -1) {
    const word = dayWords(language).format(days, 'day');
    return word.charAt(0).toLocaleUpperCase(language) + word.slice(1);
  }
  const isThisYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return (isThisYear ? headings : yearHeadings)(language).format(at);
}

/** The date alone: `31 Jan 2026`. */
export const formatDate = written({ dateStyle: 'medium' });

/** `31 Jan`: a day in UTC, as a service counts its days. */
export const formatUtcDay = written({ day: 'numeric', month: 'short', timeZone: 'UTC' });

/** Day and time to the minute, for a sentence. */
export const formatMinute = written({ dateStyle: 'medium', timeStyle: 'short' });

/** The time of day to the minute, for the hours of a chart. */
export const formatHour = written({ hour: 'numeric', minute: '2-digit' });

/** The time of day to the second, for the lines of a log and the steps of a chart. */
export const formatTime = written({ hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** `2026-01-31T12:00:00.000Z`: a time in an exported file. */
export function isoTime(at: number): string {
  return new Date(at).toISOString();
}

/** A duration: `420 ms`, `7 s`, `2 min 05 s`, `1 h 12 min`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${String(seconds % 60).padStart(2, '0')} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}

/** A first name for a token: the file's name without its extension, separators as spaces, capitalised. */
export function nameFromFile(fileName: string): string {
  const stem = fileName.replace(/\.[^.]{1,8}$/, '');
  const words = stem.replace(/[-_.\s]+/g, ' ').trim() || fileName;
  return (words.charAt(0).toUpperCase() + words.slice(1)).slice(0, 120);
}

/** Colour of a mint's state; red for one that failed in any state. */
export function toneOf(state: MintState, failed: boolean): Tone {
  return failed ? 'fail' : mintStates.row(state).tone;
}
