import type { ErrorEntries } from '../../entry.ts';

export const runErrors = {
  'run.missing': {
    code: 'not-found',
    message: 'There is no such mint run.',
    hint: 'Look at the list of mint runs.',
  },
  'run.nothing-to-mint': {
    code: 'invalid-input',
    message: 'This project has no drafts to mint.',
    hint: 'Add files to the project, or cancel the mint that holds them.',
  },
  'run.no-collection-token': {
    code: 'conflict',
    message: 'The collection token of this project is in a mint that is not finished, and its items refer to it.',
    hint: 'Wait until that mint is submitted, or cancel it.',
  },
  'run.token-over-policy': {
    code: 'file-too-large',
    message: 'The token “{name}” needs {size} bytes in a transaction; no miner in use takes more than {limit}.',
    hint: 'Use a smaller file, or add a miner that takes more.',
  },
  'run.split-over-policy': {
    code: 'invalid-input',
    message:
      'The money would have to be divided into {coins} coins, which is more than the miner takes in one transaction.',
    hint: 'Mint fewer tokens at a time.',
  },
  'run.idempotency-key-used': {
    code: 'conflict',
    message: 'This idempotency key belongs to another mint run.',
    hint: 'Use a new key for a new run.',
  },
  'run.other-plan-approved': {
    code: 'conflict',
    message: 'The approval is for another plan than the current one.',
    hint: 'Look at the plan again and approve that.',
  },
  'run.not-waiting': {
    code: 'conflict',
    message: 'This mint run is not waiting for an approval.',
    hint: 'Look at its state; it may have been approved or cancelled already.',
  },
  'run.not-minting': {
    code: 'conflict',
    message: 'This mint run is not minting, so it cannot be paused.',
    hint: 'Look at its state.',
  },
  'run.not-paused': {
    code: 'conflict',
    message: 'This mint run is not paused.',
    hint: 'Look at its state; a changed plan is approved, not resumed.',
  },
  'run.all-signed': {
    code: 'conflict',
    message: 'Every transaction of this mint run is signed, so nothing of it can be cancelled.',
    hint: 'It goes on by itself; wait until it is mined.',
  },
  'run.nothing-failed': {
    code: 'conflict',
    message: 'Nothing of this mint run has failed.',
    hint: 'Look at its state.',
  },
  'run.quote-changed': {
    code: 'conflict',
    message: 'The miner now asks {now} satoshis for 1,000 bytes; the approved plan has {planned}.',
    hint: 'Look at the new cost of the rest and approve it, or cancel the rest.',
  },
  'run.costs-more': {
    code: 'conflict',
    message: 'A transaction may now cost {now} satoshis in fees; the approved plan allows {planned}.',
    hint: 'Look at the new cost of the rest and approve it, or cancel the rest.',
  },
  'run.split-dropped': {
    code: 'conflict',
    message: 'The network dropped the transaction that divided your money, and its coins are spent elsewhere.',
    hint: 'Look at the new plan for the rest and approve it, or cancel the rest.',
  },
  'run.base64-planned': {
    code: 'conflict',
    message: 'Files are inscribed as base64 text where base64Content accepts it, which takes a third more bytes.',
    hint: 'Look at the new plan for the rest and approve it, or cancel the rest.',
  },
  'run.over-plan': {
    code: 'review-failed',
    message: 'A transaction would pay {fee} satoshis in fees; the approved plan allows {limit}.',
    hint: 'Nothing of it is signed. Retry it to have it built again.',
  },
} as const satisfies ErrorEntries;
