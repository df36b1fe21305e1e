import type { ErrorEntries } from '../entry.ts';

export const contentErrors = {
  'content.piece-too-large': {
    code: 'invalid-input',
    message: 'A piece of an upload has at most {limit} bytes.',
    hint: 'Send the file in more pieces.',
  },
} as const satisfies ErrorEntries;
