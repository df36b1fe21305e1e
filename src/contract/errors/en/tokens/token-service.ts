import type { ErrorEntries } from '../../entry.ts';

export const tokenServiceErrors = {
  'token-service.api-key-missing': {
    code: 'api-key-missing',
    message: 'There is no API key for the {network} network.',
    hint: 'No token service is needed: leave baseUrl empty. To use one, store its key: planchet settings set apiKey -',
  },
  'token-service.cancelled': {
    code: 'cancelled',
    message: 'The request was ended.',
  },
  'token-service.failed': {
    code: 'upstream-error',
    message: 'The token service failed with status {status}{reason}',
    hint: 'Try again later; if this stays, check the setting baseUrl.',
  },
  'token-service.malformed': {
    code: 'upstream-error',
    message: 'The token service sent a malformed reply ({field}).',
    hint: 'Check the setting baseUrl; if it is right, tell the operator of the service.',
  },
  'token-service.no-address': {
    code: 'upstream-unreachable',
    retryable: false,
    message: 'No address of the token service is set.',
    hint: 'Set {setting} to the address of the service.',
  },
  'token-service.not-found': {
    code: 'not-found',
    message: 'The token service refused: {reason}',
    hint: 'Correct what the service names and try again.',
  },
  'token-service.other-transaction': {
    code: 'review-failed',
    message: 'The token service answered with {what} the transaction that was asked for.',
    hint: 'Nothing was signed. Try again. If this keeps happening, do not use this token service.',
  },
  'token-service.quota-used': {
    code: 'quota-exceeded',
    message: 'The quota of this API key is used up{reason}',
    hint: 'Wait for the next period, or ask for a higher limit.',
  },
  'token-service.rejected': {
    code: 'rejected',
    message: 'The token service refused: {reason}',
    hint: 'Correct what the service names and try again.',
  },
  'token-service.timeout': {
    code: 'upstream-timeout',
    message: 'The token service at {root} did not answer in time.',
    hint: 'Planchet tries again on its own. If this keeps happening, check the connection and the service.',
  },
  'token-service.unauthorized': {
    code: 'unauthorized',
    message: 'The token service refused the API key{reason}',
    hint: 'Check that the key belongs to this network and store it again: planchet settings set apiKey -',
  },
  'token-service.sandbox-not-running': {
    code: 'upstream-unreachable',
    message: 'The sandbox is not running.',
    hint: 'Restart the sandbox service, or see what stops it: planchet doctor',
  },
  'token-service.sandbox-unreachable': {
    code: 'upstream-unreachable',
    message: 'The token service at {root} cannot be reached ({reason}).',
    hint: 'Restart the sandbox service, or see what stops it: planchet doctor',
  },
  'token-service.unreachable': {
    code: 'upstream-unreachable',
    message: 'The token service at {root} cannot be reached ({reason}).',
    hint: 'Check the network connection and the settings baseUrl and consoleBaseUrl.',
  },
  'token-service.reply-too-large': {
    code: 'upstream-error',
    retryable: false,
    message: 'The token service sent a reply over the size limit.',
    hint: 'Check the setting baseUrl; if it is right, tell the operator of the service.',
  },
} as const satisfies ErrorEntries;
