import type { ErrorCode } from '../codes.ts';

/** The meaning of each code, and its fix if a message has no hint of its own. */
export const codeTexts: Readonly<Record<ErrorCode, { readonly meaning: string; readonly hint: string }>> = {
  'invalid-input': {
    meaning: 'A value in the request is wrong or missing.',
    hint: 'Correct what the message names and try again.',
  },
  'file-empty': { meaning: 'A file has no content.', hint: 'Choose a file that is not empty.' },
  'file-too-large': {
    meaning: 'A file or document is over a size limit.',
    hint: 'Make the file smaller, or raise maxTokenBytes.',
  },
  'file-not-found': {
    meaning: 'A file does not exist or cannot be read.',
    hint: 'Check the name and the folder you are in.',
  },
  'content-type-unknown': {
    meaning: 'The type of a file is not known.',
    hint: 'Name its MIME type with --content-type.',
  },
  'metadata-invalid': {
    meaning: 'The metadata of a token breaks a rule.',
    hint: 'Correct what the message names and try again.',
  },
  'address-invalid': { meaning: 'An address is malformed.', hint: 'Check the address for a typing error.' },
  'address-wrong-network': {
    meaning: 'An address belongs to another network.',
    hint: 'Give an address of the active network.',
  },
  'not-found': { meaning: 'Nothing has this name or id.', hint: 'Check the name or id.' },
  conflict: {
    meaning: 'The request does not fit the present state.',
    hint: 'Look at the present state, then try again.',
  },
  usage: { meaning: 'A command was typed wrongly.', hint: 'Run "planchet --help".' },
  'funds-insufficient': {
    meaning: 'The wallet has too few spendable coins.',
    hint: 'Send coins to the address that "planchet wallet address" shows.',
  },
  'fee-too-high': {
    meaning: 'A fee is over a limit, so nothing was signed.',
    hint: 'If the fee is right, raise the limit that the message names.',
  },
  'quota-exceeded': {
    meaning: 'The API key has used up its quota.',
    hint: 'Wait for the next month, or ask the token service for a larger quota.',
  },
  'review-failed': {
    meaning: 'A transaction is not what was asked for, so it was not signed.',
    hint: 'Nothing was signed. Tell the operator of the service what differs.',
  },
  'vault-locked': {
    meaning: 'The vault with the keys is locked.',
    hint: 'Give its passphrase: "planchet wallet unlock" where Planchet runs, else PLANCHET_PASSPHRASE or --passphrase-file.',
  },
  'vault-passphrase-wrong': {
    meaning: 'The passphrase does not open the vault.',
    hint: 'Give the passphrase that the vault was made with.',
  },
  'vault-damaged': {
    meaning: 'The vault cannot be read.',
    hint: 'Restore the vault from a backup, or the wallet from its words.',
  },
  'wallet-missing': { meaning: 'There is no wallet yet.', hint: 'Make one with "planchet wallet create".' },
  'wallet-exists': {
    meaning: 'There already is a wallet.',
    hint: 'Name another folder with --data-dir, or keep the wallet that exists.',
  },
  'api-key-missing': {
    meaning: 'A service needs an API key, and none is stored.',
    hint: 'Run: planchet settings set apiKey -',
  },
  unauthorized: { meaning: 'A credential was refused.', hint: 'Check the key or password.' },
  forbidden: { meaning: 'The credential does not allow this.', hint: 'Use a key that may do this.' },
  'port-in-use': {
    meaning: 'Another program already listens on the port.',
    hint: 'Stop the program that uses the port, or set another one.',
  },
  'bind-refused': { meaning: 'Planchet may not listen on an address.', hint: 'Set an address of this machine.' },
  'disk-full': { meaning: 'The disk is full.', hint: 'Free some space and try again.' },
  'store-locked': {
    meaning: 'Another Planchet uses the data folder.',
    hint: 'Stop the Planchet that uses this folder, or name another folder with --data-dir.',
  },
  'store-failed': {
    meaning: 'A file or database cannot be read or written.',
    hint: 'Check that the data folder belongs to you and can be written.',
  },
  'settings-invalid': { meaning: 'A setting is wrong.', hint: 'Run "planchet settings list".' },
  'upstream-unreachable': {
    meaning: 'No connection to another service is possible.',
    hint: 'Check the addresses in the settings, and the network: planchet doctor',
  },
  'upstream-timeout': {
    meaning: 'Another service did not answer in time.',
    hint: 'Try again. If this keeps happening, raise bitcoinTimeout or name another upstream.',
  },
  'upstream-error': {
    meaning: 'Another service answered with an error or with something unusable.',
    hint: 'Look at what the node says; "planchet rpc help" shows what a command takes.',
  },
  rejected: { meaning: 'Another party refused the request.', hint: 'Look at the reason in the message.' },
  'proof-invalid': {
    meaning: 'A proof or signature does not hold.',
    hint: 'Ask another service: the answer of this one is not true.',
  },
  'merchant-key-changed': {
    meaning: 'A merchant API signs with another key than before.',
    hint: 'Ask the miner, then run: planchet merchant accept <key>',
  },
  cancelled: { meaning: 'The work was cancelled.', hint: 'Run the command again.' },
  timeout: { meaning: 'The work took too long.', hint: 'Try again.' },
  'not-running': { meaning: 'A service, or Planchet itself, is not running.', hint: 'Start it with "npm start".' },
  internal: {
    meaning: 'A defect in Planchet.',
    hint: 'Run "planchet doctor" and look at the log in the data folder.',
  },
};
