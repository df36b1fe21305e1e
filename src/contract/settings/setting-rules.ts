import { z } from 'zod';

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

/*
 * Each rule says in one sentence what is allowed. The settings view shows it; sentences.json of each language has it in others.
 */

export const number = (value: number): string => value.toLocaleString('en');

export function wholeNumber(least: number, most: number) {
  const allowed = `must be a whole number from ${number(least)} to ${number(most)}`;
  return z.number(allowed).int(allowed).min(least, allowed).max(most, allowed);
}

export function choice<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, `must be one of ${values.join(', ')}`);
}

export const matching = (pattern: RegExp, allowed: string) => z.string().regex(pattern, allowed);
export const textUpTo = (most: number) => z.string().max(most, `must have at most ${number(most)} characters`);

/** Timers of the runtime count in 32 bits: a longer one would fire at once. */
const MAX_DURATION_MS = 2 ** 31 - 1;
export const DURATION = 'a duration such as 10s or 1m30s';
const durationWithin = (least: number, allowed: string) =>
  z.string().refine((text) => {
    const ms = parseDuration(text);
    return ms !== undefined && ms >= least && ms <= MAX_DURATION_MS;
  }, allowed);
export const duration = durationWithin(0, `must be ${DURATION}, at most 596h`);
/** A time limit: nothing can be done in none. */
export const timeLimit = durationWithin(1, `must be ${DURATION}, from 1ms to 596h`);
const port = '(?:0|[1-9]\\d{0,4})';
export const PORT = 'with a port up to 65535';
export const portInRange = (text: string): boolean => Number(text.slice(text.lastIndexOf(':') + 1)) <= 65_535;
const address = (pattern: string, allowed: string) =>
  z.string().refine((text) => new RegExp(`^${pattern}:${port}$`).test(text) && portInRange(text), allowed);
export const bind = address(
  '(?:[A-Za-z0-9.-]*|\\[[0-9a-fA-F:]+\\])',
  `must be host:port ${PORT}; an empty host means this machine alone`,
);
export const zmqAddress = address('tcp://(?:[A-Za-z0-9.*-]*|\\[[0-9a-fA-F:]+\\])', `must be tcp://host:port ${PORT}`);
/** Whether a client can be made for an address: with a host, a port in range, and user and password that can be decoded. */
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
export const optionalUrl = z
  .string()
  .refine((text) => text === '' || isHttpUrl(text), 'must be empty or an http(s) address');
/** `http://` or `socks5://` with host and port, without credentials. */
export const proxyUrl = z
  .string()
  .refine(
    (text) => text === '' || (/^(?:https?|socks5):\/\/[^\s/@?#]+:\d{1,5}\/?$/.test(text) && URL.canParse(text)),
    'must be empty, http://HOST:PORT or socks5://HOST:PORT',
  );
export const urlList = z
  .string()
  .refine(
    (text) => text === '' || text.split(',').every((part) => isHttpUrl(part.trim())),
    'must be empty or http(s) addresses separated by commas; special characters of a password are written as %XX',
  );
