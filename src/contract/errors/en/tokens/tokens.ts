import type { ErrorEntries } from '../../entry.ts';

export const tokensErrors = {
  'tokens.missing': {
    code: 'not-found',
    message: 'No token of a project or of the wallet is at {outpoint}.',
    hint: 'Check the outpoint in the list of tokens. A token that just arrived is listed once the wallet has seen it.',
  },
  'tokens.list-empty': {
    code: 'invalid-input',
    message: 'The list names no receiver.',
    hint: 'Write one address a line, or a table with a column of addresses.',
  },
} as const satisfies ErrorEntries;
