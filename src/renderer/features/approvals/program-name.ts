import type { TFunction } from 'i18next';

/** The gateway's name for a client that read the cookie file. It can be any program of this user. */
const COOKIE = 'cookie';

export function programName(t: TFunction, program: string): string {
  return program === COOKIE ? t('approvals.cookie') : program;
}
