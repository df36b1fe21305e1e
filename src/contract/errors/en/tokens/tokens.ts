import type { ErrorEntries } from '../../entry.ts';

export const tokensErrors = {
  'tokens.missing': {
    code: 'not-found',
    message: 'No token of a project or of the wallet is at {outpoint}.',
    hint: 'Check the outpoint in the list of tokens. A token that just arrived is listed once the wallet has seen it.',
  },
} as const satisfies ErrorEntries;
