import type { ErrorEntries } from '../entry.ts';

export const writerErrors = {
  'writer.api-key-malformed': {
    code: 'invalid-input',
    message: 'This is not an API key: a key has 4 to 256 visible characters.',
    hint: 'Copy the key from the service that issued it.',
  },
  'writer.api-key-refused': {
    code: 'unauthorized',
    message: 'The funding service does not know the API key: {reason}',
    hint: 'Check the key and the network it belongs to.',
  },
  'writer.api-key-registered': {
    code: 'conflict',
    message: 'apikey has already been registered',
    hint: 'It can be used as it is.',
  },
  'writer.api-key-unknown': {
    code: 'not-found',
    message: 'No such key is registered.',
    hint: 'Look at the list of keys.',
  },
  'writer.daily-cap': {
    code: 'fee-too-high',
    message: "Today's fees have reached the cap of {cap} satoshis (writerDailySpend).",
    hint: 'Writing goes on once you approve more for today, tomorrow (UTC), or with a higher cap: planchet settings set writerDailySpend …',
  },
  'writer.database-address': {
    code: 'settings-invalid',
    message: 'databaseUrl is not the address of a PostgreSQL database.',
    hint: 'Write it as postgres://user:password@host:5432/database, or leave it empty for the built-in database.',
  },
  'writer.database-failed': {
    code: 'store-failed',
    message: 'The PostgreSQL database of the writer cannot be used: {reason}',
    hint: 'Check databaseUrl, that the server runs, and that its user may create tables; or set databaseUrl empty for the built-in database.',
  },
  'writer.decryption-failed': {
    code: 'proof-invalid',
    retryable: false,
    message: 'The document cannot be decrypted with this key, or was changed.',
    hint: 'Read it with the key it was written with.',
  },
  'writer.document-dead': {
    code: 'rejected',
    message: 'The document cannot be written: {reason}',
    hint: 'Correct what the reason names, then retry the document under Data writer › Given up.',
  },
  'writer.document-malformed': {
    code: 'invalid-input',
    message: 'Not written: {reason}.',
    hint: 'Correct what the message names and write the document again.',
  },
  'writer.document-missing': {
    code: 'not-found',
    message: 'No document was written under this id.',
    hint: 'Look at the list of documents.',
  },
  'writer.document-too-large': {
    code: 'file-too-large',
    message: 'The document holds {bytes} bytes, over writerMaxBytes.',
    hint: 'Write a smaller document, or raise writerMaxBytes.',
  },
  'writer.fee-rate-too-high': {
    code: 'fee-too-high',
    message: 'The fee would be {fee} satoshis, over the cap of {limit} for its size (maxFeeRate).',
    hint: 'If the fee is right, raise the setting maxFeeRate.',
  },
  'writer.fee-too-high': {
    code: 'fee-too-high',
    message: 'The fee would be {fee} satoshis, over the cap of {limit} (maxFeeSatoshis).',
    hint: 'If the fee is right, raise the setting maxFeeSatoshis.',
  },
  'writer.funding-answer': {
    code: 'upstream-error',
    message: 'The funding service answered with HTTP {status}: {reason}',
    hint: 'Check that fundingUrl is the address of a funding service.',
  },
  'writer.funding-failed': {
    code: 'upstream-error',
    message: 'The funding service answered with HTTP {status}: {reason}',
    hint: 'It is tried again.',
  },
  'writer.funding-malformed': {
    code: 'upstream-error',
    message: 'The funding service did not answer with two transactions.',
    hint: 'Check that fundingUrl is the address of a funding service.',
  },
  'writer.funding-refused': {
    code: 'rejected',
    message: 'The funding service does not pay for this document: {reason}',
    hint: 'Ask the operator of the funding service.',
  },
  'writer.funding-timeout': {
    code: 'upstream-timeout',
    message: 'The funding service at {origin} did not answer in {timeoutMs} ms.',
    hint: 'It is tried again; fundingTimeout sets how long to wait.',
  },
  'writer.funding-unreachable': {
    code: 'upstream-unreachable',
    message: 'The funding service at {origin} cannot be reached ({reason}).',
    hint: 'Check fundingUrl and that the service runs.',
  },
  'writer.idempotency-key-used': {
    code: 'conflict',
    message: 'This idempotency key was used for another document.',
    hint: 'Use a new key for a new document.',
  },
  'writer.no-api-key': {
    code: 'api-key-missing',
    message: 'There is no API key that may write.',
    hint: 'Register one: planchet register -',
  },
  'writer.no-coins-for-fee': {
    code: 'funds-insufficient',
    message: 'There are no coins for the higher fee yet; try again in a moment.',
    hint: 'Wait for a block, or send more coins to the wallet.',
  },
  'writer.no-funding-service': {
    code: 'upstream-unreachable',
    retryable: false,
    message: 'No funding service is named.',
    hint: 'Set fundingUrl, or let the wallet pay: planchet settings set writerFunding wallet',
  },
  'writer.not-running': {
    code: 'not-running',
    message: 'The data writer is not running.',
    hint: 'Look at the state of the writer service, and start it again.',
  },
  'writer.other-signing-key': {
    code: 'conflict',
    message: 'The service already has another signing key for this API key.',
    hint: 'If another machine with another wallet registered it, write there or restore that wallet here. Otherwise ask the service for a new API key.',
  },
  'writer.other-transaction-signed': {
    code: 'review-failed',
    message: 'The signed transaction is not the one that was prepared for signing.',
    hint: 'Nothing was sent. Try again, and report this if it keeps happening.',
  },
  'writer.other-wallet': {
    code: 'wallet-missing',
    message: 'Its coins belong to another wallet, which alone can write it again.',
    hint: 'Restore that wallet here, or retry on the machine that has it.',
  },
  'writer.signing-key-elsewhere': {
    code: 'api-key-missing',
    message: 'Documents wait for a signing key that is not on this machine.',
    hint: 'Start the machine that registered their API key, or restore its wallet here.',
  },
  'writer.signing-key-missing': {
    code: 'api-key-missing',
    message: 'This API key has no signing key here.',
    hint: 'Register it: planchet register -',
  },
  'writer.signing-key-unreadable': {
    code: 'vault-damaged',
    message: 'A signing key in the vault cannot be read.',
    hint: 'It may have been written by a newer Planchet: start that one.',
  },
  'writer.split-fee-too-high': {
    code: 'fee-too-high',
    message: 'Splitting coins would cost {fee} satoshis, over maxFeeSatoshis.',
    hint: 'If the fee is right, raise the setting maxFeeSatoshis.',
  },
  'writer.templates-wrong': {
    code: 'review-failed',
    message: 'Nothing was signed, because the templates of the funding service are wrong: {reason}.',
    hint: 'Ask the operator of the funding service.',
  },
  'writer.transactions-refused': {
    code: 'rejected',
    message: 'The funding service refused the transactions: {reason}',
    hint: 'Ask the operator of the funding service.',
  },
  'writer.split-refused': {
    code: 'rejected',
    message: '{reason}',
    hint: 'Planchet tries again on its own. If this keeps happening, ask the operator of the merchant API.',
  },
  'writer.split-coin-gone': {
    code: 'conflict',
    message: 'Coins could not be split for writing, because one of them is spent already: {reason}',
    hint: 'Planchet reads the chain again and splits other coins on its own. Does another program spend from this wallet?',
  },
  'writer.no-answer': {
    code: 'rejected',
    message: 'The miner did not answer for this transaction.',
    hint: 'Planchet tries again on its own.',
  },
  'writer.signing-key-on-other-machine': {
    code: 'conflict',
    message: 'Another machine has registered this API key, with a signing key that this machine does not have.',
    hint: 'Its signing key is in the vault of that machine alone: write there, or register another API key here.',
  },
  'writer.signing-key-needs-wallet': {
    code: 'conflict',
    message: 'Another machine has registered this API key, with a signing key that this machine does not have.',
    hint: 'There is no wallet here: restore the wallet of that machine here, or register another API key.',
  },
  'writer.signing-key-of-other-wallet': {
    code: 'conflict',
    message: 'Another machine has registered this API key, with a signing key that this machine does not have.',
    hint: 'The wallet here is another one: restore the wallet of that machine here, or register another API key.',
  },
  'writer.wallet-not-ready': {
    code: 'wallet-missing',
    message: 'Not written: {reason}',
    hint: 'Unlock the wallet there is, or make one: planchet wallet create',
  },
  'writer.api-key-not-ready': {
    code: 'api-key-missing',
    message: 'Not written: {reason}',
    hint: 'Register a key: planchet register -',
  },
  'writer.no-paying-wallet': {
    code: 'wallet-missing',
    message: 'The wallet that pays for writing is missing or locked.',
    hint: 'Unlock the wallet there is, or make one: planchet wallet create',
  },
  'writer.retry-changed': {
    code: 'conflict',
    message: 'It has just changed.',
    hint: 'Look again.',
  },
  'writer.retry-scanning': {
    code: 'conflict',
    message: 'The newest blocks are still being looked through.',
    hint: 'Try again in a moment.',
  },
  'writer.retry-contested': {
    code: 'conflict',
    message: 'Its coins are spent by a transaction that no block holds yet.',
    hint: 'Try again when one does.',
  },
  'writer.refused': {
    code: 'rejected',
    message: '{reason}',
    hint: 'The documents wait, and Planchet sends them again by itself. Look at the reason if it stays.',
  },
  'writer.split-refused-without-reason': {
    code: 'rejected',
    message: 'The miner refused to split coins.',
    hint: 'Planchet tries again on its own. If this keeps happening, ask the operator of the merchant API.',
  },
} as const satisfies ErrorEntries;
