import { ORPCError } from '@orpc/client';
import { type Failure, isRetryable, readFailure } from '../../contract/index.ts';
import { inPageLanguage } from '../i18n/errors.ts';
import { i18n } from '../i18n/index.ts';

export function isUnauthorized(error: unknown): boolean {
  return error instanceof ORPCError && (error.status === 401 || error.code === 'UNAUTHORIZED');
}

/** Whether a retry may succeed. A request that cannot succeed fails without a wait. */
export function mayPass(error: unknown): boolean {
  return isRetryable(failureOf(error));
}

/** A failure to show: the host's own if it sent one, else the closest generic sentence. */
export function failureOf(error: unknown): Failure {
  if (error instanceof ORPCError) {
    const failure = readFailure(error.data);
    if (failure !== undefined) return inPageLanguage(failure);
    if (isUnauthorized(error)) {
      return {
        code: 'unauthorized',
        message: i18n.t('failure.unauthorized'),
        hint: i18n.t('failure.unauthorizedHint'),
      };
    }
    if (error.status === 400) {
      return {
        code: 'invalid-input',
        message: i18n.t('failure.invalidInput'),
        hint: i18n.t('failure.invalidInputHint'),
      };
    }
    return { code: 'internal', message: i18n.t('failure.internal'), hint: i18n.t('failure.internalHint') };
  }
  if (error instanceof DOMException && error.name === 'AbortError') {
    return { code: 'cancelled', message: i18n.t('failure.cancelled') };
  }
  return { code: 'not-running', message: i18n.t('failure.notRunning'), hint: i18n.t('failure.notRunningHint') };
}
