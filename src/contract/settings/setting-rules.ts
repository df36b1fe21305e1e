import { z } from 'zod';
import { allowed } from '../phrases/allowed.ts';

const DURATION_UNITS: ReadonlyMap<string, number> = new Map(
  Object.entries<number>({
    ns: 1e-6,
    us: 1e-3,
    µs: 1e-3,
    ms: 1,
    s: 1_000,
    m: 60_000,
    h: 3_600_000,
  }),
);

/**
 * Reads a Go-style duration (`10s`, `1m30s`, `250ms`, `0`).
 * @returns milliseconds, or undefined where the text is not a duration.
 */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  if (!/^(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, value, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g)) {
    total += Number(value) * (DURATION_UNITS.get(unit as string) as number);
  }
  return total;
}

export function wholeNumber(least: number, most: number) {
  const rule = allowed('rule.whole-number', { least, most });
  return z.number(rule).int(rule).min(least, rule).max(most, rule);
}

export function choice<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, allowed('rule.choice', { choices: values.join(', ') }));
}

export const matching = (pattern: RegExp, rule: string) => z.string().regex(pattern, rule);
export const textUpTo = (most: number) => z.string().max(most, allowed('rule.length', { most }));

/** Timers of the runtime use 32 bits: a longer one would fire at once. */
const MAX_DURATION_MS = 2 ** 31 - 1;
const durationWithin = (least: number, rule: string) =>
  z.string().refine((text) => {
    const ms = parseDuration(text);
    return ms !== undefined && ms >= least && ms <= MAX_DURATION_MS;
  }, rule);
export const duration = durationWithin(0, allowed('rule.duration'));
/** A time limit, which cannot be zero. */
export const timeLimit = durationWithin(1, allowed('rule.time-limit'));
const port = '(?:0|[1-9]\\d{0,4})';
export const portInRange = (text: string): boolean => Number(text.slice(text.lastIndexOf(':') + 1)) <= 65_535;
const address = (pattern: string, rule: string) =>
  z.string().refine((text) => new RegExp(`^${pattern}:${port}$`).test(text) && portInRange(text), rule);
export const bind = address('(?:[A-Za-z0-9.-]*|\\[[0-9a-fA-F:]+\\])', allowed('rule.bind'));
export const zmqAddress = address('tcp://(?:[A-Za-z0-9.*-]*|\\[[0-9a-fA-F:]+\\])', allowed('rule.zmq'));
/** Whether an address is usable for a client: with a host, a port in range, and user and password that can be decoded. */
function isHttpUrl(text: string): boolean {
  if (!/^https?:\/\/\S+$/.test(text)) return false;
  try {
    const { username, password } = new URL(text);
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}
export const optionalUrl = z.string().refine((text) => text === '' || isHttpUrl(text), allowed('rule.url'));
/** `http://` or `socks5://` with host and port, without credentials. */
export const proxyUrl = z
  .string()
  .refine(
    (text) => text === '' || (/^(?:https?|socks5):\/\/[^\s/@?#]+:\d{1,5}\/?$/.test(text) && URL.canParse(text)),
    allowed('rule.proxy'),
  );
export const urlList = z
  .string()
  .refine((text) => text === '' || text.split(',').every((part) => isHttpUrl(part.trim())), allowed('rule.urls'));
