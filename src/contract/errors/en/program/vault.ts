import type { ErrorEntries } from '../../entry.ts';

export const vaultErrors = {
  'vault.changed': {
    code: 'conflict',
    message: 'The vault {path} was changed by another program.',
    hint: 'Restart Planchet, so it reads the file again.',
  },
  'vault.damaged': {
    code: 'vault-damaged',
    message: 'The vault {path} is damaged, so its secrets cannot be read.',
    hint: 'Restore the file from a backup, or move it away and restore the wallet from its words. It was left as it is.',
  },
  'vault.disk-full': {
    code: 'disk-full',
    message: 'The disk is full, so the vault could not be saved.',
    hint: 'Free some space on the disk that holds {path}; the previous content of the vault is unchanged.',
  },
  'vault.key-file-unreadable': {
    code: 'store-failed',
    message: 'The key file {path} cannot be read: {reason}',
    hint: 'Check that the file belongs to you.',
  },
  'vault.key-source-unknown': {
    code: 'vault-damaged',
    message: 'The vault file is damaged: Planchet does not know the way its key is made.',
    hint: 'Restore the file from a backup, or move it away and restore the wallet from its words. It was left as it is.',
  },
  'vault.keychain-refused': {
    code: 'vault-locked',
    message: 'The keychain of the operating system did not open the vault.',
    hint: 'Unlock the keychain, or log in as the user who made the vault; a passphrase opens it too if one was set.',
  },
  'vault.locked': {
    code: 'vault-locked',
    message: 'The vault is locked.',
    hint: 'Give its passphrase: "planchet wallet unlock" where Planchet runs, else PLANCHET_PASSPHRASE or --passphrase-file.',
  },
  'vault.newer': {
    code: 'vault-damaged',
    message: 'The vault {path} was written by a newer Planchet.',
    hint: 'Start the newer version. The file was left as it is.',
  },
  'vault.no-passphrase': {
    code: 'not-found',
    message: 'There is no vault whose passphrase could be changed.',
    hint: 'The vault is made when the first secret is stored, and asks for a passphrase then.',
  },
  'vault.passphrase-declined': {
    code: 'forbidden',
    message: 'The first passphrase of this vault was not allowed at the desktop.',
    hint: 'Set it again, and agree to the question that Planchet asks in a window of its own.',
  },
  'vault.passphrase-needed': {
    code: 'vault-passphrase-wrong',
    message: 'The present passphrase is needed to change it.',
    hint: 'Give the passphrase the vault has now.',
  },
  'vault.passphrase-not-set': {
    code: 'not-found',
    message: 'This vault has no passphrase that could be asked for.',
    hint: 'The keychain of the system opens it. Give it a passphrase first: planchet wallet passphrase',
  },
  'vault.passphrase-required': {
    code: 'vault-locked',
    message: 'The vault needs a passphrase before it can keep a secret.',
    hint: 'Set one where the wallet is made: "planchet wallet create". Other commands take PLANCHET_PASSPHRASE.',
  },
  'vault.passphrase-short': {
    code: 'invalid-input',
    message: 'A new passphrase must have at least {least} characters.',
    hint: 'Choose one of several words.',
  },
  'vault.passphrase-wrong': {
    code: 'vault-passphrase-wrong',
    message: 'The passphrase does not open the vault.',
    hint: 'Try again; nothing was changed, and there is no limit of attempts.',
  },
  'vault.sandbox-closed': {
    code: 'vault-locked',
    message: 'The secrets of the sandbox are not available on the {network} network.',
    hint: 'Start Planchet with --network sandbox.',
  },
  'vault.sandbox-key-damaged': {
    code: 'vault-damaged',
    message: 'The key of the sandbox vault, sandbox.key, is missing or damaged.',
    hint: 'Delete {path} to start with new sandbox keys: nothing of value is lost.',
  },
  'vault.unreadable': {
    code: 'store-failed',
    message: 'The vault {path} cannot be read: {reason}',
    hint: 'Check that the file and its folder belong to you.',
  },
  'vault.unwritable': {
    code: 'store-failed',
    message: 'The vault {path} cannot be written: {reason}',
    hint: 'Check that the data folder belongs to you and can be written.',
  },
} as const satisfies ErrorEntries;
