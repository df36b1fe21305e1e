import type { ErrorEntries } from '../../entry.ts';

export const generalErrors = {
  'general.disk-full': {
    code: 'disk-full',
    message: 'The disk is full, so nothing more can be stored.',
    hint: 'Free some space and try again; nothing that was stored is lost.',
  },
  'general.internal': {
    code: 'internal',
    message: 'Something went wrong inside Planchet.',
    hint: 'Look at the log in the data folder, and run the checks: planchet doctor',
  },
} as const satisfies ErrorEntries;
