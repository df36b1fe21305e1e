import type { ErrorEntries } from '../../entry.ts';

export const tokenErrors = {
  'token.address-invalid': {
    code: 'address-invalid',
    message: '“{address}” is not an address.',
    hint: 'Compare it with where you copied it from.',
  },
  'token.address-wrong-network': {
    code: 'address-wrong-network',
    message: '{address} is an address of another network.',
    hint: 'This is the {network} network.',
  },
  'token.fee-too-high': {
    code: 'fee-too-high',
    message: 'Nothing was signed. {reasons}',
    hint: 'Cancel it and start again, or raise maxFeeSatoshis or maxFeeRate.',
  },
  'token.idempotency-key-used': {
    code: 'conflict',
    message: 'This idempotency key belongs to another request.',
    hint: 'Use a new key for a new request.',
  },
  'token.input-spent': {
    code: 'review-failed',
    message: 'Nothing was signed: {outpoint} is spent or in use by now.',
    hint: 'Cancel it and start again.',
  },
  'token.missing': {
    code: 'not-found',
    message: 'There is no token transaction {id}.',
    hint: 'List them and try again.',
  },
  'token.no-single-coin': {
    code: 'funds-insufficient',
    message: 'No single free coin of the wallet holds {needed} satoshis.',
    hint: "A token's fee is paid by one coin: send at least {needed} satoshis to {address} at once.",
  },
  'token.several-accounts': {
    code: 'conflict',
    message: 'These tokens belong to different accounts, and one transaction spends those of one.',
    hint: 'Transfer them to one account first.',
  },
  'token.not-a-token': {
    code: 'invalid-input',
    message: '{outpoint} is neither a token nor a contract.',
    hint: 'Give the output of a token transaction, as txid_vout.',
  },
  'token.other-transaction-approved': {
    code: 'review-failed',
    message: 'Nothing was signed: another transaction was approved.',
    hint: 'Look at the current review and approve that.',
  },
  'token.review-failed': {
    code: 'review-failed',
    message: 'Nothing was signed: the transaction did not pass its review.',
    hint: 'Cancel it and start again.',
  },
  'token.script-refused': {
    code: 'review-failed',
    message: 'The script of input {input} refuses the transaction.',
    hint: 'Nothing was sent. Cancel it and start again.',
  },
  'token.supply-too-large': {
    code: 'invalid-input',
    message: 'The supply is more satoshis than exist.',
    hint: 'Lower totalSupply or satsPerToken.',
  },
  'token.transaction-unknown': {
    code: 'not-found',
    message: 'The node does not know the transaction {txid}.',
    hint: 'Check the id. A node without a transaction index knows its own recent transactions only.',
  },
  'token.wrong-state': {
    code: 'conflict',
    message: 'This transaction {state}.',
    hint: 'Start a new one.',
  },
  'token.merge-parent': {
    code: 'invalid-input',
    message:
      'Token {n} of the two cannot be merged as it is: the transaction that made it is too large to be proven in a merge.',
    hint: 'Transfer that token to an address of yours first, then merge. Nothing was signed.',
  },
  'token.request-invalid': {
    code: 'invalid-input',
    message: '{reason}',
    hint: 'Correct what the message names and try again. Nothing was signed.',
  },
  'token.destination-invalid': {
    code: 'address-invalid',
    message: '{reason}',
    hint: 'Correct what the message names and try again. Nothing was signed.',
  },
} as const satisfies ErrorEntries;
