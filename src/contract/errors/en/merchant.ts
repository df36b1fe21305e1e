import type { ErrorEntries } from '../entry.ts';

export const merchantErrors = {
  'merchant.key-malformed': {
    code: 'invalid-input',
    message: '"{text}" is not a compressed public key.',
    hint: 'Copy the 66 hex digits from the message, or write "unsigned".',
  },
  'merchant.no-endpoint': {
    code: 'invalid-input',
    message: 'No merchant API is set.',
    hint: 'Name it with --endpoint, or set mapiUrl.',
  },
} as const satisfies ErrorEntries;
