import type { ErrorEntries } from '../../entry.ts';

export const approvalsErrors = {
  'approvals.denied': {
    code: 'forbidden',
    message: 'The person at this machine denied it.',
    hint: 'Nothing was done. Ask again once the person agrees.',
  },
  'approvals.too-late': {
    code: 'forbidden',
    message: 'Nobody approved it in time.',
    hint: 'Nothing was done. Ask again, and approve it in time: planchet approvals approve ID',
  },
  'approvals.page-closed': {
    code: 'forbidden',
    message: 'The page was closed before anybody approved it.',
    hint: 'Nothing was done. Open the page and ask again.',
  },
  'approvals.withdrawn': {
    code: 'cancelled',
    message: 'The program that asked left before anybody approved it.',
    hint: 'Nothing was done. Let it wait longer for the answer.',
    retryable: false,
  },
  'approvals.locked': {
    code: 'vault-locked',
    message: 'The wallet is locked, so nothing can be approved.',
    hint: 'Nothing was done. Unlock the wallet and ask again.',
  },
  'approvals.stopping': {
    code: 'not-running',
    message: 'Planchet stopped before anybody approved it.',
    hint: 'Nothing was done. Ask again once it runs.',
  },
  'approvals.too-often': {
    code: 'quota-exceeded',
    message: 'It was not approved before, so this program may ask again only in {seconds} seconds.',
    hint: 'Nothing was done. Wait, or remember a permission for the program when it asks next.',
  },
  'approvals.too-many': {
    code: 'quota-exceeded',
    message: '{waiting} requests wait for an approval already.',
    hint: 'Nothing was done. Decide about those first: planchet approvals list',
  },
  'approvals.gone': {
    code: 'not-found',
    message: 'This request no longer waits for an approval.',
    hint: 'It was decided, its time was over, or the program left. Nothing was approved by this.',
  },
  'approvals.changed': {
    code: 'conflict',
    message: 'This is not what was shown for the request.',
    hint: 'Nothing was approved. Look at the request again and decide then.',
  },
  'approvals.end-invalid': {
    code: 'invalid-input',
    message: 'A permission ends in the future, within a year.',
    hint: 'Choose another end.',
  },
  'approvals.limits-crossed': {
    code: 'invalid-input',
    message: 'The limit of a day is below that of one request.',
    hint: 'Raise the limit of a day, or lower that of one request.',
  },
  'approvals.permission-missing': {
    code: 'not-found',
    message: 'There is no such permission.',
    hint: 'Look at the list of permissions again.',
  },
} as const satisfies ErrorEntries;
