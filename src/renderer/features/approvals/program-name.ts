import type { TFunction } from 'i18next';

/** What the gateway calls whoever read the cookie file: it may be any program of this user. */
const COOKIE = 'cookie';

export function programName(t: TFunction, program: string): string {
  return program === COOKIE ? t('approvals.cookie') : program;
}
