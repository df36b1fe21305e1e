import type { ErrorEntries } from '../../entry.ts';

export const settingsErrors = {
  'settings.address-unreadable': {
    code: 'invalid-input',
    message: 'One of the addresses cannot be read.',
    hint: 'Write it as http://user:password@host:port, with special characters of the password as %XX.',
  },
  'settings.disk-full': {
    code: 'disk-full',
    message: 'The settings could not be saved; the old ones are unchanged.',
    hint: 'Free some room on the disk and try again.',
  },
  'settings.file-broken': {
    code: 'settings-invalid',
    message: 'The settings file {file} is broken. {why}',
    hint: 'Correct the file, or name the network of this run, for example --network sandbox: all other settings then have their defaults.',
  },
  'settings.file-not-exported': {
    code: 'invalid-input',
    message: 'This is no file of Planchet settings.',
    hint: 'Choose a file that was saved with Export.',
  },
  'settings.file-unreadable': {
    code: 'settings-invalid',
    message: 'The settings file {file} cannot be read.',
    hint: 'Check that it belongs to you, or start with --safe-mode.',
  },
  'settings.key-password-required': {
    code: 'settings-invalid',
    message: '{key}: the address changed, so the password is needed again.',
    hint: 'Type the password in place of the dots.',
  },
  'settings.network-alone': {
    code: 'settings-invalid',
    message: 'The network is changed by itself, where what it needs is checked.',
    hint: 'Choose it in the network badge at the top.',
  },
  'settings.no-port': {
    code: 'invalid-input',
    message: '{key} holds no address to listen on.',
    hint: 'Name a setting such as rpcBind, and an address such as :8332.',
  },
  'settings.not-saved': {
    code: 'store-failed',
    message: 'The settings could not be saved; the old ones are unchanged.',
    hint: 'Check that {file} can be written.',
  },
  'settings.overridden': {
    code: 'settings-invalid',
    message: '{key} is held by the command line or the environment.',
    hint: 'Start Planchet without it to change the setting.',
  },
  'settings.password-required': {
    code: 'invalid-input',
    message: 'The address changed, so the password is needed again.',
    hint: 'Type the password in place of the dots.',
  },
  'settings.safe-mode': {
    code: 'conflict',
    message: 'Planchet runs in safe mode, which does not touch the settings file.',
    hint: 'Start without --safe-mode to change a setting, or correct settings.json by hand.',
  },
  'settings.secret-for-one-run': {
    code: 'settings-invalid',
    message: '{key} is stored in the vault, so it cannot be set for one run.',
    hint: 'Run: planchet settings set {key} -',
  },
  'settings.secret-in-file': {
    code: 'settings-invalid',
    message: 'Secrets are not read from a file.',
    hint: 'Type the secret in its own field.',
  },
  'settings.undo-gone': {
    code: 'not-found',
    message: 'This change can no longer be taken back.',
    hint: 'Set the value again.',
  },
  'settings.unknown-key': {
    code: 'settings-invalid',
    message: 'There is no setting "{key}".',
    hint: 'Run "planchet settings list" to see every key.',
  },
  'settings.upstream-address-unreadable': {
    code: 'settings-invalid',
    message: 'One of the addresses in bitcoinRpcUrl cannot be read.',
    hint: 'Write it as http://user:password@host:port, with special characters of the password as %XX.',
  },
  'settings.value-invalid': {
    code: 'settings-invalid',
    message: '{name}: {reasons}.',
    hint: 'The default is {default}.',
  },
} as const satisfies ErrorEntries;
