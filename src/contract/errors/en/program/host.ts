import type { ErrorEntries } from '../../entry.ts';

export const hostErrors = {
  'host.diagnostics-gone': {
    code: 'not-found',
    message: 'A newer report took the place of this one.',
    hint: 'Look at the newer one, and save that.',
  },
  'host.data-folder-full': {
    code: 'disk-full',
    message: 'The data folder {dataDir} cannot be written.',
    hint: 'Free some room on the disk.',
  },
  'host.data-folder-locked': {
    code: 'store-locked',
    message: 'Another Planchet uses {dataDir}.',
    hint: 'Stop it first, or name another folder with --data-dir.',
  },
  'host.data-folder-locked-by': {
    code: 'store-locked',
    message: 'Another Planchet (process {process}) uses {dataDir}.',
    hint: 'Stop it first, or name another folder with --data-dir.',
  },
  'host.data-folder-unwritable': {
    code: 'store-failed',
    message: 'The data folder {dataDir} cannot be written.',
    hint: 'Check that it belongs to you, or name another one with --data-dir.',
  },
  'host.service-missing': {
    code: 'not-running',
    retryable: false,
    message: 'There is no {name} service on this network.',
    hint: 'Switch to a network that has it, or check the name of the service.',
  },
  'host.stopped': {
    code: 'not-running',
    message: 'The services of Planchet have stopped.',
    hint: 'They are started again by themselves. If not, start Planchet again.',
  },
  'host.stopping': {
    code: 'cancelled',
    message: 'Planchet is stopping, so the check of a transaction was given up.',
    hint: 'Start Planchet again: the work goes on where it stopped.',
  },
  'host.transaction-malformed': {
    code: 'invalid-input',
    message: 'The transaction cannot be read: {reason}',
    hint: 'Check that all of its bytes were copied.',
  },
} as const satisfies ErrorEntries;
