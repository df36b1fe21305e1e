import type { ErrorEntries } from '../../entry.ts';

export const storeErrors = {
  'store.disk-full': {
    code: 'disk-full',
    message: 'The disk is full, so nothing more can be stored.',
    hint: 'Free some space on the disk that holds {file}; nothing that was stored is lost.',
  },
  'store.failed': {
    code: 'store-failed',
    message: 'The database {file} cannot be used: {reason}',
    hint: 'Check that the file and its folder belong to you, and that no quota and no limit of file size is reached, or start with another --data-dir.',
  },
  'store.failed-open': {
    code: 'store-failed',
    message: 'The database in the data folder cannot be used: {reason}',
    hint: 'Check that the folder and what is in it belong to you, and that no quota and no limit of file size is reached, or start with another --data-dir.',
  },
  'store.removed': {
    code: 'store-failed',
    message: 'The database {file} was removed or replaced while Planchet ran, so nothing more is stored.',
    hint: 'Stop Planchet, put the data folder back where it was, and start again.',
  },
  'store.newer': {
    code: 'store-failed',
    message: 'A newer Planchet has used this database: {file}.',
    hint: 'Nothing was changed. Start the newer version, or put the backup from before the upgrade in place of it.',
  },
} as const satisfies ErrorEntries;
