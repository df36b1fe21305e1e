import type { ErrorEntries } from '../../entry.ts';

export const bundleErrors = {
  'bundle.no-token': {
    code: 'invalid-input',
    message: 'No inscription leads to {outpoint}.',
    hint: 'Give the output of a token as txid_vout. A token that was moved together with other coins in front of it cannot be followed.',
  },
  'bundle.not-mined': {
    code: 'conflict',
    message: 'No block holds the transaction {txid} yet, so nothing proves it.',
    hint: 'Try again after the next block.',
  },
  'bundle.not-proven': {
    code: 'proof-invalid',
    message: 'What the node answered proves nothing. {reason}',
    hint: 'Check that bitcoinRpcUrl is the address of a full node of this network, and try again.',
  },
  'bundle.project-empty': {
    code: 'not-found',
    message: 'No block holds a token of the project {name} yet.',
    hint: 'Mint its items first, and try again after the next block.',
  },
  'bundle.project-ambiguous': {
    code: 'conflict',
    message: 'Several projects are called {name}.',
    hint: 'Give the id of one of them instead: {uids}.',
  },
  'bundle.project-unknown': {
    code: 'not-found',
    message: 'There is no project called {name}.',
    hint: 'Check its name or its id in the list of projects.',
  },
  'bundle.target-missing': {
    code: 'usage',
    message: 'Either an outpoint or --project is needed.',
    hint: 'Write planchet bundle txid_vout --out FILE, or planchet bundle --project NAME --out FILE.',
  },
  'publish.gone': {
    code: 'not-found',
    message: 'The folder that is being published is not known any more.',
    hint: 'Publish the project again from the start.',
  },
  'publish.folder-taken': {
    code: 'conflict',
    message: 'The folder {folder} is there already and was not written by planchet publish, or holds other files.',
    hint: 'Name a folder that does not exist or is empty.',
  },
  'publish.folder-old': {
    code: 'conflict',
    message: 'The folder {folder} holds pages that were published before.',
    hint: 'Add --replace to publish them again, or name another folder.',
  },
  'publish.folder-unwritable': {
    code: 'invalid-input',
    message: 'The folder {folder} cannot be written. {reason}',
    hint: 'Check that the folder above it exists, that you may write there, and that the disk has room.',
  },
  'bundle.too-large': {
    code: 'file-too-large',
    message: 'The bundle would be too large. {reason}',
    hint: 'Write bundles of single tokens instead of the whole project.',
  },
} as const satisfies ErrorEntries;
