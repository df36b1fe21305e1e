import type { ErrorEntries } from '../../entry.ts';

export const consoleErrors = {
  'console.session-missing': {
    code: 'not-found',
    message: 'This browser is not signed in any more.',
    hint: 'Look at the list again.',
  },
  'console.bind-refused': {
    code: 'bind-refused',
    message: 'The console does not listen on {consoleAddress}: it is for this machine alone.',
    hint: 'Choose an address of this machine, and forward its port over SSH to reach it from elsewhere: planchet settings set consoleAddress localhost:9400',
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
  'console.cancelled': {
    code: 'cancelled',
    message: 'The request was cancelled.',
  },
  'console.gateway-missing': {
    code: 'not-running',
    retryable: false,
    message: 'This process does not run the gateway.',
    hint: 'Start Planchet with "planchet serve" or its window.',
  },
  'console.input-invalid': {
    code: 'invalid-input',
    message: 'The request is not valid. {problems}.',
    hint: 'Correct what the message names and try again. Nothing was changed.',
  },
  'console.no-link': {
    code: 'not-running',
    message: 'The console does not listen, so there is no link to it.',
    hint: 'Look at why it failed to start: "planchet doctor" names it.',
  },
  'console.nothing-here': {
    code: 'not-found',
    message: 'There is nothing here.',
  },
  'console.path-not-absolute': {
    code: 'invalid-input',
    message: '{file} is not an absolute path.',
    hint: 'Write the whole path.',
  },
  'console.signed-out': {
    code: 'unauthorized',
    message: 'This browser or program is not signed in to Planchet.',
    hint: 'Run "planchet open" for a new link, or restart Planchet and open the link it prints.',
  },
  'console.target-unreadable': {
    code: 'invalid-input',
    message: 'The request target cannot be read.',
  },
  'console.token-missing': {
    code: 'invalid-input',
    message: 'The request must contain a token.',
  },
  'console.too-many-attempts': {
    code: 'unauthorized',
    message: 'Too many wrong credentials.',
    hint: 'Wait a minute, then open a new link.',
    httpStatus: 429,
  },
  'console.encoding-unknown': {
    code: 'invalid-input',
    message: 'The request cannot be decoded.',
    hint: 'Use a client of the same version.',
  },
  'console.heap-snapshot-running': {
    code: 'conflict',
    message: 'A heap snapshot is already being taken.',
    hint: 'Wait until it is done.',
  },
  'console.target-not-a-path': {
    code: 'invalid-input',
    message: 'The request target is not a path.',
  },
  'console.method-not-allowed': {
    code: 'invalid-input',
    message: 'Only {allowed} is possible here.',
    httpStatus: 405,
  },
  'console.host-refused': {
    code: 'forbidden',
    message: 'The console answers only to the names {hosts}.',
    hint: 'Open http://{host} instead.',
  },
  'console.origin-refused': {
    code: 'forbidden',
    message: 'The console takes requests from its own page only.',
    hint: 'Open http://{host} itself.',
  },
  'console.content-type-refused': {
    code: 'invalid-input',
    message: 'The content type must be {types}.',
    httpStatus: 415,
  },
} as const satisfies ErrorEntries;
