import type { ErrorEntries } from '../../entry.ts';

/** Wrong answers of chain sources. */
export const chainErrors = {
  'chain.answer-malformed': {
    code: 'upstream-error',
    message: "The node's answer to {method} is malformed.",
    hint: 'Check the setting bitcoinRpcUrl.',
  },
  'chain.block-differs': {
    code: 'proof-invalid',
    message: 'The node sent another block than {hash}, or a header that does not show its work.',
    hint: 'Check that bitcoinRpcUrl is the address of a full node; do not trust this one.',
  },
  'chain.block-invalid': {
    code: 'proof-invalid',
    message: 'The node sent other transactions than block {hash} contains. {reason}',
    hint: 'Check that bitcoinRpcUrl is the address of a full node; do not trust this one.',
  },
  'chain.block-pruned': {
    code: 'upstream-error',
    message: 'The node {node} does not have block {height} any more: what happened from there on is not known.',
    hint: 'Set chainData to both, so that public services are asked about it, or bitcoinRpcUrl to a node that stores all blocks.',
  },
  'chain.block-unknown': {
    code: 'upstream-error',
    message: 'The node does not have the block {hash}.',
    hint: 'Planchet asks again on its own. A node that keeps only newer blocks cannot show older ones.',
  },
  'chain.block-unverified': {
    code: 'upstream-error',
    message: 'The block {hash} is not part of the chain that the verified headers show.',
    hint: 'Planchet asks again on its own. If this stays after the headers are read, do not trust the node behind bitcoinRpcUrl.',
  },
  'chain.list-differs': {
    code: 'proof-invalid',
    message: 'The node lists other transactions than block {hash} contains.',
    hint: 'Check that bitcoinRpcUrl is the address of a full node; do not trust this one.',
  },
  'chain.no-such-block': {
    code: 'not-found',
    message: 'The node knows no such block, or no such transaction in it.',
    hint: 'Check the hash or the height, and that it belongs to the network you are on.',
  },
  'chain.node-error': {
    code: 'upstream-error',
    message: 'The node answered with an error: {reason}',
    hint: 'Planchet tries again on its own.',
  },
  'chain.mempool-not-listed': {
    code: 'not-found',
    message: 'Public services do not list the mempool.',
    hint: 'Look for a transaction by its id, or for what your wallet waits for in its history. A node lists all (bitcoinRpcUrl).',
  },
  'chain.no-headers': {
    code: 'upstream-error',
    message: 'No headers of the chain are read yet.',
    hint: 'Planchet reads them on its own. If this stays, see which sources answer: planchet headers status.',
  },
  'chain.source-of-no-use': {
    code: 'upstream-error',
    message: '{reason}',
    hint: 'Planchet asks it again on its own. Under Networks, choose which public services are asked.',
  },
  'chain.sources-unavailable': {
    code: 'upstream-unreachable',
    message: 'No public service answered: {reasons}',
    hint: 'Planchet asks again on its own. Check the connection of this computer, and the setting publicSources.',
  },
  'chain.proof-invalid': {
    code: 'proof-invalid',
    message: 'The Merkle proof that a block holds the transaction {txid} does not hold.',
    hint: 'Planchet fetches it again on its own. If this keeps happening, the node behind bitcoinRpcUrl cannot be trusted.',
  },
  'chain.transaction-differs': {
    code: 'upstream-error',
    message: 'The node sent other bytes than those of transaction {txid}.',
    hint: 'Check the setting bitcoinRpcUrl; do not trust this node.',
  },
  'chain.transaction-too-large': {
    code: 'file-too-large',
    message: 'The transaction has {bytes} bytes; other forms are made of transactions of at most {limit} bytes.',
    hint: 'Copy or save its plain bytes.',
  },
} as const satisfies ErrorEntries;
