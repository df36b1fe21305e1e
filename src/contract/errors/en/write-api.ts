import type { ErrorEntries } from '../entry.ts';

/**
 * Answers of the data writer's HTTP interface. They begin in lower case, and some keep the exact words of older servers, because programs
 * that were written for those read them.
 */
export const writeApiErrors = {
  'write-api.address-unknown': {
    code: 'not-found',
    message: 'there is nothing at this address',
    hint: 'The description at /openapi.json lists all addresses.',
  },
  'write-api.authorization-invalid': {
    code: 'unauthorized',
    message: 'invalid authorization',
    hint: 'Send the header "Authorization: Bearer" followed by the API key.',
  },
  'write-api.authorization-missing': {
    code: 'unauthorized',
    message: 'missing authorization',
    hint: 'Send the header "Authorization: Bearer" followed by the API key.',
  },
  'write-api.batch-content-type': {
    code: 'invalid-input',
    message: 'the Content-Type must be {type}',
    hint: 'Set the header as the message says.',
    httpStatus: 415,
  },
  'write-api.batch-misplaced': {
    code: 'invalid-input',
    message: 'lines go to /api/v1/write/batch',
    hint: 'Send several documents to that address, or one document as application/json.',
    httpStatus: 415,
  },
  'write-api.body-empty': {
    code: 'file-empty',
    message: 'empty body',
    hint: 'Send the document as the body of the request.',
  },
  'write-api.body-late': {
    code: 'timeout',
    message: 'the body did not arrive within {ms} ms',
    hint: 'Send it again over a faster connection.',
    httpStatus: 408,
  },
  'write-api.body-not-json': {
    code: 'invalid-input',
    message: 'the body is not JSON',
    hint: 'Send valid JSON in UTF-8, or another Content-Type if writerAnyContentType is on.',
  },
  'write-api.body-not-utf8': {
    code: 'invalid-input',
    message: 'the body is not UTF-8',
    hint: 'Send JSON in UTF-8.',
  },
  'write-api.body-too-large': {
    code: 'file-too-large',
    message: 'the body may hold at most {limit} bytes',
    hint: 'Send a smaller document, or raise writerMaxBytes.',
  },
  'write-api.body-unreadable': {
    code: 'invalid-input',
    message: 'could not read body: {reason}',
    hint: 'Correct what the message names and send it again.',
  },
  'write-api.busy-disk': {
    code: 'quota-exceeded',
    message: 'come again later: the disk is nearly full',
    hint: 'Free some space, or lower writerMinFreeDisk.',
  },
  'write-api.busy-accepting': {
    code: 'quota-exceeded',
    message: 'come again later: too many documents are on their way in',
    hint: 'Send it again after the seconds of Retry-After.',
  },
  'write-api.busy-queue': {
    code: 'quota-exceeded',
    message: 'come again later: {count} documents wait already',
    hint: 'Send it again after the seconds of Retry-After, or raise writerQueueLimit.',
  },
  'write-api.content-encoding': {
    code: 'invalid-input',
    message: 'no Content-Encoding is taken: send the body as it is',
    hint: 'Leave the body uncompressed and send no Content-Encoding.',
    httpStatus: 415,
  },
  'write-api.content-type-long': {
    code: 'invalid-input',
    message: 'a Content-Type is at most {limit} visible characters',
    hint: 'Send a shorter Content-Type.',
  },
  'write-api.content-type-missing': {
    code: 'invalid-input',
    message: 'empty mimetype',
    hint: 'Send the header Content-Type.',
  },
  'write-api.content-type-refused': {
    code: 'invalid-input',
    message: 'the Content-Type must be application/json',
    hint: 'Send JSON, or turn writerAnyContentType on.',
    httpStatus: 415,
  },
  'write-api.dead': {
    code: 'rejected',
    message: 'failed: {reason}',
    hint: 'Correct what the reason names, then retry the document under Data writer › Given up.',
    httpStatus: 400,
  },
  'write-api.dead-funding': {
    code: 'rejected',
    message: 'failed to get funding: {reason}',
    hint: 'Correct what the reason names, then retry the document under Data writer › Given up.',
    httpStatus: 400,
  },
  'write-api.dead-output': {
    code: 'rejected',
    message: 'failed to create op return output: {reason}',
    hint: 'Correct what the reason names, then retry the document under Data writer › Given up.',
    httpStatus: 400,
  },
  'write-api.dead-signing': {
    code: 'rejected',
    message: 'failed to sign transaction: {reason}',
    hint: 'Correct what the reason names, then retry the document under Data writer › Given up.',
    httpStatus: 400,
  },
  'write-api.dead-submission': {
    code: 'rejected',
    message: 'failed to submit transaction: {reason}',
    hint: 'Correct what the reason names, then retry the document under Data writer › Given up.',
    httpStatus: 400,
  },
  'write-api.document-over-policy': {
    code: 'file-too-large',
    message: 'no miner in use takes a document of {bytes} bytes; {miner} takes the longest, {limit} bytes',
    hint: 'Send a smaller document, or add a miner that takes more under Miners.',
  },
  'write-api.document-too-large': {
    code: 'file-too-large',
    message: 'a document may hold at most {limit} bytes',
    hint: 'Send a smaller document, or raise writerMaxBytes.',
  },
  'write-api.headers-late': {
    code: 'timeout',
    message: 'the headers did not arrive within {ms} ms',
    hint: 'Send the request again over a faster connection.',
    httpStatus: 408,
  },
  'write-api.headers-too-long': {
    code: 'invalid-input',
    message: 'the headers are too long',
    hint: 'Send fewer or shorter headers.',
    httpStatus: 431,
  },
  'write-api.host-missing': {
    code: 'invalid-input',
    message: 'the Host header is missing',
    hint: 'Send the header Host.',
  },
  'write-api.idempotency-key-malformed': {
    code: 'invalid-input',
    message: 'an Idempotency-Key is 1 to 255 visible ASCII characters',
    hint: 'Use a UUID, for example.',
  },
  'write-api.idempotency-key-used': {
    code: 'conflict',
    message: 'this Idempotency-Key was used for another document',
    hint: 'Send each document with a key of its own.',
  },
  'write-api.internal': {
    code: 'internal',
    message: 'something went wrong inside Planchet; its log has the reason',
    hint: 'Look at the log of this time.',
  },
  'write-api.key-check-failed': {
    code: 'store-failed',
    message: 'failed to read apikey data: {reason}',
    hint: 'Correct what the reason names and send it again.',
  },
  'write-api.key-revoked': {
    code: 'unauthorized',
    message: 'the apikey was revoked',
    hint: 'Send the rest with another key.',
  },
  'write-api.key-unknown': {
    code: 'unauthorized',
    message: 'unknown apikey',
    hint: 'Register the key: planchet register -',
  },
  'write-api.keys-unreadable': {
    code: 'store-failed',
    message: 'the keys cannot be read',
    hint: 'Look at the log of this time.',
  },
  'write-api.method-not-allowed': {
    code: 'invalid-input',
    message: '{method} is not possible here: use {allowed}',
    hint: 'The description at /openapi.json lists what each address takes.',
    httpStatus: 405,
  },
  'write-api.mode-unknown': {
    code: 'invalid-input',
    message: 'X-Mode is raw, hash or encrypt',
    hint: 'Send one of these, or leave X-Mode out for raw.',
  },
  'write-api.not-decrypted': {
    code: 'proof-invalid',
    message: '{reason}',
    hint: 'Read the document with the key it was written with.',
    httpStatus: 422,
  },
  'write-api.not-found': {
    code: 'not-found',
    message: '{reason}',
    hint: 'Check the id.',
  },
  'write-api.not-ready': {
    code: 'not-running',
    message: '{reason}',
    hint: 'Correct what the message names and send it again.',
  },
  'write-api.other-failed': {
    code: 'upstream-error',
    message: '{reason}',
    hint: 'Correct what the message names and send it again.',
  },
  'write-api.page-refused': {
    code: 'forbidden',
    message: '{reason}',
    hint: 'Call the writer from a program, not from a web page.',
  },
  'write-api.query-cursor': {
    code: 'invalid-input',
    message: 'cursor is the "next" of the page before',
    hint: 'Copy it from the answer before, or leave it out for the first page.',
  },
  'write-api.query-limit': {
    code: 'invalid-input',
    message: 'limit is a number from 1 to {limit}',
    hint: 'Correct the number.',
  },
  'write-api.query-order': {
    code: 'invalid-input',
    message: 'order is asc or desc',
    hint: 'Send one of the two, or leave it out for desc.',
  },
  'write-api.query-since': {
    code: 'invalid-input',
    message: 'since is a time in ISO 8601 (2026-01-31T12:00:00Z), or milliseconds',
    hint: 'Write the time as in the example.',
  },
  'write-api.query-state': {
    code: 'invalid-input',
    message: 'state is one of {states}',
    hint: 'Send one of them.',
  },
  'write-api.query-tag-empty': {
    code: 'invalid-input',
    message: 'tag is empty: leave it out for documents of any tag',
    hint: 'Name a tag or leave it out.',
  },
  'write-api.query-unknown': {
    code: 'invalid-input',
    message: 'there is no such filter, or it stands twice: {name}',
    hint: 'The filters are tag, state, since, cursor, order and limit, each at most once.',
  },
  'write-api.query-vout': {
    code: 'invalid-input',
    message: 'vout is the number of an output',
    hint: 'Send a whole number from 0.',
  },
  'write-api.query-wait': {
    code: 'invalid-input',
    message: 'wait is accepted, submitted or mined',
    hint: 'Send one of the three.',
  },
  'write-api.request-unreadable': {
    code: 'invalid-input',
    message: 'this is no readable HTTP request',
    hint: 'Call the address with an HTTP client.',
  },
  'write-api.stopping': {
    code: 'not-running',
    message: 'the writer is stopping',
    hint: 'Send it again when the writer runs.',
  },
  'write-api.storage-failed': {
    code: 'store-failed',
    message: 'nothing was accepted: {reason}',
    hint: 'Correct what the reason names and send it again.',
  },
  'write-api.storage-full': {
    code: 'disk-full',
    message: 'nothing was accepted: {reason}',
    hint: 'Free some space and send it again.',
  },
  'write-api.tag-too-long': {
    code: 'invalid-input',
    message: 'X-Tag may hold at most {limit} bytes',
    hint: 'Send a shorter tag.',
  },
  'write-api.target-ambiguous': {
    code: 'invalid-input',
    message: '{reason}',
    hint: 'Send the path alone, or one address that fits the Host header.',
  },
  'write-api.target-unreadable': {
    code: 'invalid-input',
    message: 'the address of this request cannot be read',
    hint: 'Encode the address as a URL.',
  },
  'write-api.vault-locked': {
    code: 'vault-locked',
    message: '{reason}',
    hint: 'Unlock the vault.',
    httpStatus: 503,
  },
} as const satisfies ErrorEntries;
