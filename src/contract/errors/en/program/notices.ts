import type { ErrorEntries } from '../../entry.ts';

export const noticeErrors = {
  'notices.coin-spent-twice': {
    code: 'conflict',
    message: 'Another transaction spends a coin of {txid}: {rival}, says {source}.',
    hint: 'Until a block holds one of them, do not rely on the payment. Open the transaction to see both side by side.',
  },
  'notices.coin-taken': {
    code: 'conflict',
    message: 'Another transaction took the coins of {txid}: a block holds {rival}.',
    hint: 'Open the transaction to see both side by side and what to do.',
  },
  'notices.network-kept': {
    code: 'conflict',
    message: 'The network was not changed. {reason}',
    hint: '{reason}',
  },
  'notices.safe-mode': {
    code: 'settings-invalid',
    message: 'Planchet runs in safe mode, on its default settings.',
    hint: 'Start it without --safe-mode to use yours.',
  },
  'notices.settings-file': {
    code: 'settings-invalid',
    message: 'The settings file was not valid JSON. Planchet started on the default settings.',
    hint: 'The broken file is now {aside}; correct it and copy it back, or set the values again.',
  },
  'notices.settings-values': {
    code: 'settings-invalid',
    message: 'These settings were not valid and have their defaults now: {keys}.',
    hint: 'A copy of the file as it was is {copy}.',
  },
  'notices.settings-values-network': {
    code: 'settings-invalid',
    message: 'These settings were not valid and have their defaults now, the network at {network}: {keys}.',
    hint: 'A copy of the file as it was is {copy}.',
  },
  'notices.webhook-silent': {
    code: 'upstream-error',
    message: 'The address in stateWebhook cannot be told of states: {reason}.',
    hint: 'It is tried again with growing pauses, and nothing is lost. Check the address: planchet webhook status',
  },
} as const satisfies ErrorEntries;
