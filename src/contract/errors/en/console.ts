import type { ErrorEntries } from '../entry.ts';

export const consoleErrors = {
  'console.bind-refused': {
    code: 'bind-refused',
    message: 'The console does not listen on {consoleAddress}: it is for this machine alone.',
    hint: 'Run: planchet settings set consoleAddress localhost:9400. To reach it from elsewhere, forward its port over SSH.',
  },
  'console.gateway-missing': {
    code: 'not-running',
    message: 'This process does not run the gateway.',
    hint: 'Start Planchet with "planchet serve" or its window.',
  },
  'console.merchant-missing': {
    code: 'not-running',
    message: 'This process does not use a merchant API.',
    hint: 'Start Planchet with "serve".',
  },
  'console.no-link': {
    code: 'not-running',
    message: 'The console does not listen, so there is no link to it.',
    hint: 'Look at why it failed to start: "planchet doctor" names it.',
  },
  'console.path-not-absolute': {
    code: 'invalid-input',
    message: '{file} is not an absolute path.',
    hint: 'Write the whole path.',
  },
  'console.token-bench-missing': {
    code: 'not-running',
    message: 'This process does not run the token bench.',
    hint: 'Start Planchet with "serve".',
  },
  'console.writer-missing': {
    code: 'not-running',
    message: 'This process does not run the data writer.',
    hint: 'Start Planchet with "serve".',
  },
  'console.cancelled': {
    code: 'cancelled',
    message: 'The request was cancelled.',
  },
  'console.input-invalid': {
    code: 'invalid-input',
    message: 'The request is not valid. {problems}.',
    hint: 'Correct what the message names and try again. Nothing was changed.',
  },
  'console.target-unreadable': {
    code: 'invalid-input',
    message: 'The request target cannot be read.',
  },
  'console.token-missing': {
    code: 'invalid-input',
    message: 'The request must contain a token.',
  },
  'console.body-too-large': {
    code: 'invalid-input',
    message: 'The request is larger than this address accepts.',
    httpStatus: 413,
  },
  'console.body-unreadable': {
    code: 'invalid-input',
    message: 'The body of the request cannot be read.',
  },
  'console.signed-out': {
    code: 'unauthorized',
    message: 'This browser or program is not signed in to Planchet.',
  },
  'console.too-many-attempts': {
    code: 'unauthorized',
    message: 'Too many wrong credentials.',
    hint: 'Wait a minute, then open a new link.',
    httpStatus: 429,
  },
  'console.nothing-here': {
    code: 'not-found',
    message: 'There is nothing here.',
  },
} as const satisfies ErrorEntries;
