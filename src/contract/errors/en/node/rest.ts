import type { ErrorEntries } from '../../entry.ts';

/**
 * Refusals of the gateway's REST paths. The messages are the exact words and statuses of a node, because programs that were written for
 * one read them. The hints are for the documentation: an answer has none.
 */
export const restErrors = {
  'rest.block-missing': {
    code: 'not-found',
    message: 'Block not found: {hash}',
    hint: 'Check the hash, and that the upstream is on the network you expect.',
    httpStatus: 400,
  },
  'rest.chain-moving': {
    code: 'upstream-error',
    message: 'Service temporarily unavailable: the chain is moving',
    hint: 'Ask again: new blocks came while the answer was put together.',
    httpStatus: 503,
  },
  'rest.forbidden': {
    code: 'forbidden',
    message: '{reason}',
    hint: 'Use a key that may call the command.',
  },
  'rest.format-unknown': {
    code: 'not-found',
    message: 'output format not found (available: {available})',
    hint: 'End the path with one of the formats that the message lists.',
  },
  'rest.hash-invalid': {
    code: 'invalid-input',
    message: 'Invalid hash: {text}',
    hint: 'Write a txid or block hash as 64 hex digits.',
  },
  'rest.header-count-invalid': {
    code: 'invalid-input',
    message: 'Header count out of range: {text}',
    hint: 'Ask for 1 to 2000 headers.',
  },
  'rest.header-count-missing': {
    code: 'invalid-input',
    message: 'No header count specified. Use /rest/headers/<count>/<hash>.<ext>.',
    hint: 'Write the path as the message shows it.',
  },
  'rest.missing': {
    code: 'not-found',
    message: '{id} not found',
    hint: 'Check the id, and that the upstream is on the network you expect.',
  },
  'rest.no-outpoints': {
    code: 'invalid-input',
    message: 'Error: empty request',
    hint: 'Name outputs in the path as <txid>-<index>, or post them in the format .bin or .hex.',
  },
  'rest.node-error': {
    code: 'upstream-error',
    message: '{reason}',
    hint: 'The node upstream says why.',
    httpStatus: 500,
  },
  'rest.share-used': {
    code: 'quota-exceeded',
    message: '{reason}',
    hint: 'Public services take a few requests a second: try again after the time in Retry-After.',
    httpStatus: 429,
  },
  'rest.node-starting': {
    code: 'upstream-error',
    message: 'Service temporarily unavailable: {reason}',
    hint: 'Ask again when the upstream node has finished starting.',
    httpStatus: 503,
  },
  'rest.outpoint-invalid': {
    code: 'invalid-input',
    message: 'Parse error',
    hint: 'Write each output as <txid>-<index>, or post the outpoints as a node serialises them.',
  },
  'rest.outpoints-posted-too': {
    code: 'invalid-input',
    message: 'Combination of URI scheme inputs and raw post data is not allowed',
    hint: 'Name the outputs in the path or in the body, not in both.',
  },
  'rest.path-unknown': {
    code: 'not-found',
    message: 'There is no REST path {path}.',
    hint: 'docs/gateway.md lists the paths. As from a node, the answer is empty.',
  },
  'rest.pruned': {
    code: 'not-found',
    message: '{subject} not available (pruned data)',
    hint: 'Name an upstream that stores all blocks.',
  },
  'rest.range-invalid': {
    code: 'invalid-input',
    message: '{reason}',
    hint: 'Write the header as "Range: bytes=<first>-<last>".',
    httpStatus: 404,
  },
  'rest.too-many-outpoints': {
    code: 'invalid-input',
    message: 'Error: max outpoints exceeded (max: {limit}, tried: {count})',
    hint: 'Ask for the others in further requests.',
  },
  'rest.unreachable': {
    code: 'upstream-unreachable',
    message: '{reason}',
    hint: 'Check the upstreams in bitcoinRpcUrl.',
    httpStatus: 503,
  },
} as const satisfies ErrorEntries;
