import type { ErrorEntries } from '../../entry.ts';

export const sandboxErrors = {
  'sandbox.branch-gone': {
    code: 'conflict',
    message: 'The branch is no longer in the chain, so the reorganisation cannot be undone.',
    hint: 'Restore a snapshot, or go on with the chain as it is.',
  },
  'sandbox.branch-invalid': {
    code: 'invalid-input',
    message: 'The branch breaks a rule of the chain, so the old one stays.',
    hint: 'Check that the transactions spend what exists before the fork, and are signed.',
  },
  'sandbox.coinbase': {
    code: 'conflict',
    message: 'A coinbase spends nothing, so it cannot be double-spent.',
    hint: 'Reorganise the chain instead: planchet sandbox reorg BLOCKS.',
  },
  'sandbox.content-failed': {
    code: 'store-failed',
    message: 'The contents in {folder} cannot be used: {reason}',
    hint: 'Check that the folder belongs to you, or start with another --data-dir.',
  },
  'sandbox.disk-full': {
    code: 'disk-full',
    message: 'The disk is full, so the content could not be stored.',
    hint: 'Free some room on the disk that holds {folder}.',
  },
  'sandbox.double-spend-failed': {
    code: 'conflict',
    message: 'The node did not take the block with the double-spend: {reason}',
    hint: 'Try again: a block may have been found in between.',
  },
  'sandbox.export-exists': {
    code: 'conflict',
    message: '{file} already exists.',
    hint: 'Name a new file.',
  },
  'sandbox.faucet-amount': {
    code: 'invalid-input',
    message: 'The faucet pays at least one satoshi.',
    hint: 'Ask for more.',
  },
  'sandbox.faucet-empty': {
    code: 'funds-insufficient',
    message: 'The faucet of the sandbox holds {total} spendable satoshis; {amount} and the fee were asked for.',
    hint: 'Mine some blocks first: every block pays the faucet, and may be spent a hundred blocks later.',
  },
  'sandbox.faucet-refused': {
    code: 'rejected',
    message: "The sandbox node refused the faucet's payment: {reason}",
    hint: 'Mine a block and try again.',
  },
  'sandbox.import-incomplete': {
    code: 'invalid-input',
    message: 'The content {name} of the imported sandbox is incomplete.',
    hint: 'Export the sandbox again on the machine it comes from.',
  },
  'sandbox.import-invalid': {
    code: 'invalid-input',
    message: '{file} is not an exported sandbox.',
    hint: 'Name a file that "planchet sandbox export FILE" wrote.',
  },
  'sandbox.import-missing': {
    code: 'not-found',
    message: 'There is no file {file}.',
    hint: 'Check its name.',
  },
  'sandbox.node-stopped': {
    code: 'not-running',
    message: 'The sandbox node is stopped.',
    hint: 'Start it again.',
  },
  'sandbox.none': {
    code: 'not-running',
    retryable: false,
    message: 'There is no sandbox on this network.',
    hint: 'Start with --network sandbox.',
  },
  'sandbox.not-running': {
    code: 'not-running',
    message: 'The sandbox is not running.',
    hint: 'Look at the state of the sandbox service, and start it again.',
  },
  'sandbox.number-out-of-range': {
    code: 'invalid-input',
    message: '{what} must be a whole number from 1 to {most}.',
    hint: 'Correct the number and try again.',
  },
  'sandbox.other-network': {
    code: 'not-running',
    retryable: false,
    message: 'There is no sandbox on the {network} network.',
    hint: 'Switch to the sandbox network to mine blocks and receive coins at will.',
  },
  'sandbox.outputs-unreadable': {
    code: 'store-failed',
    message: 'The sandbox node cannot read the outputs that the transactions spend.',
    hint: 'Restart the sandbox. If that does not help, reset it or import an exported network.',
  },
  'sandbox.reorg-depth': {
    code: 'invalid-input',
    message: 'A reorganisation of {depth} blocks is not possible.',
    hint: 'Give a whole number from 1 to {most}.',
  },
  'sandbox.snapshot-exists': {
    code: 'conflict',
    message: 'There already is a snapshot {name}.',
    hint: 'Choose another name.',
  },
  'sandbox.snapshot-missing': {
    code: 'not-found',
    message: 'There is no snapshot {name}.',
    hint: 'The state of the sandbox lists the snapshots there are.',
  },
  'sandbox.transaction-missing': {
    code: 'not-found',
    message: 'The sandbox has no such transaction.',
    hint: 'Check the txid.',
  },
  'sandbox.zmq-bind-refused': {
    code: 'bind-refused',
    message:
      'sandbox.zmqAddress asks to publish on {hosts}, which other machines can reach; the sandbox serves this machine alone.',
    hint: 'Publish to this machine alone: planchet settings set sandbox.zmqAddress tcp://127.0.0.1:{port}',
  },
  'sandbox.zmq-listen-failed': {
    code: 'bind-refused',
    message: 'The sandbox cannot publish on {address}: {reason}',
    hint: 'Set sandbox.zmqAddress to an address of this machine, such as tcp://127.0.0.1:28339.',
  },
  'sandbox.zmq-port-in-use': {
    code: 'port-in-use',
    message: 'Another program listens on {address}, so the sandbox cannot publish there.',
    hint: 'Stop that program, or set sandbox.zmqAddress to another port (port 0 takes any free one).',
  },
  'sandbox.address-invalid': {
    code: 'address-invalid',
    message: '{reason}',
    hint: 'Give a P2PKH address of the test network.',
  },
  'sandbox.address-wrong-network': {
    code: 'address-wrong-network',
    message: '{reason}',
    hint: 'Give a P2PKH address of the test network.',
  },
  'sandbox.first-coins': {
    code: 'wallet-missing',
    message: 'There was no wallet when the sandbox was made, so its first coins went to the faucet.',
    hint: 'Fund the wallet: planchet sandbox fund ADDRESS SATOSHIS',
  },
  'sandbox.faults-on': {
    code: 'upstream-error',
    message: 'Degraded by faults that you switched on: {names}.',
    hint: 'What fails fails because of them. Turn them off: planchet sandbox fault off',
  },
} as const satisfies ErrorEntries;
