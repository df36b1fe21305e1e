import type { ErrorEntries } from '../entry.ts';

export const writerErrors = {
  'writer.document-dead': {
    code: 'rejected',
    message: 'The document cannot be written: {reason}',
    hint: 'Correct what the reason names, then retry the document from the dead letters.',
  },
} as const satisfies ErrorEntries;
