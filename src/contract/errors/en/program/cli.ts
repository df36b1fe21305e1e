import type { ErrorEntries } from '../../entry.ts';

export const cliErrors = {
  'cli.backup-out-missing': {
    code: 'usage',
    message: 'An encrypted backup needs a file to go to.',
    hint: 'Add --out FILE.',
  },
  'cli.collection-name-invalid': {
    code: 'invalid-input',
    message: 'collection: {reason}.',
    hint: 'Give the collection another name.',
  },
  'cli.console-unreachable': {
    code: 'not-running',
    message: 'Planchet runs as process {pid}, but its console cannot be reached.',
    hint: 'It may still be starting: try again in a moment. If its console failed to start, stop Planchet, then free the port, or set another one: planchet settings set consoleAddress localhost:9401',
  },
  'cli.wait-over': {
    code: 'timeout',
    message: '{what} did not come as far as asked within {duration}. {reason}',
    hint: 'Nothing is lost: it is kept and goes on, in the running Planchet or as soon as it is started. Give a longer --timeout to wait longer.',
  },
  'cli.document-not-utf8': {
    code: 'invalid-input',
    message: 'The document is not UTF-8.',
    hint: 'Convert it, for example with iconv.',
  },
  'cli.fault-invalid': {
    code: 'invalid-input',
    message: '{field}: {reason}.',
    hint: 'Faults are {names}.',
  },
  'cli.file-exists': {
    code: 'conflict',
    message: '{file} exists already.',
    hint: 'Name a new file with --out.',
  },
  'cli.file-missing': {
    code: 'file-not-found',
    message: 'There is no file {path}.',
    hint: 'Check the name and the folder you are in.',
  },
  'cli.file-unreadable': {
    code: 'file-not-found',
    message: 'The file {path} cannot be read.',
    hint: 'Check its name, and that you may read it.',
  },
  'cli.file-unwritable': {
    code: 'invalid-input',
    message: 'The file {file} cannot be written.',
    hint: 'Check that its folder exists, can be written to and has room.',
  },
  'cli.host-ended': {
    code: 'not-running',
    message: 'Planchet ended while this command waited.',
    hint: 'Start it again: it goes on with what was submitted. "planchet tx list" shows how far it is.',
  },
  'cli.host-silent': {
    code: 'not-running',
    message: 'The running Planchet does not answer, or was stopped.',
    hint: 'If it still runs, stop it. Start it, and run the command again.',
  },
  'cli.host-other-version': {
    code: 'conflict',
    message: 'The running Planchet is another version than this command: it does not know the question.',
    hint: 'Stop it and start it with the version of this command.',
  },
  'cli.interrupted': {
    code: 'cancelled',
    message: 'The command was interrupted.',
    hint: 'Nothing was signed. Run it again to go on.',
    exitCode: 130,
  },
  'cli.node-too-old': {
    code: 'conflict',
    message: 'Node {version} is too old.',
    hint: 'Run Planchet with Node 24 or later, or with "npm start", which brings its own Node.',
  },
  'cli.not-a-file': {
    code: 'invalid-input',
    message: '{path} is not a file.',
    hint: 'Name the files to mint one by one.',
  },
  'cli.not-running': {
    code: 'not-running',
    message: 'Planchet is not running.',
    hint: 'Start it with "npm start".',
  },
  'cli.list-faults': {
    code: 'invalid-input',
    message: 'Lines of the list that cannot be sent: {count}. {first}',
    hint: 'Correct them and run the command again. Nothing was sent.',
  },
  'cli.nothing-signed': {
    code: 'cancelled',
    message: 'Nothing was signed.',
    hint: 'Run the command again, or add --yes.',
  },
  'cli.run-other-address': {
    code: 'conflict',
    message: 'The mint run {id} of {project} has not finished. Its tokens go to {address}.',
    hint: 'Leave --to out to go on with it, or cancel it in the window first.',
  },
  'cli.run-not-direct': {
    code: 'conflict',
    message: 'The mint run {id} of {project} has not finished. It uses the token service.',
    hint: 'Leave --direct out to go on with it, or cancel it in the window first.',
  },
  'cli.run-paused': {
    code: 'cancelled',
    message: 'The mint run was paused.',
    hint: 'Run the same command again to go on.',
  },
  'cli.other-network': {
    code: 'conflict',
    message: 'The Planchet that is running is on the {network} network.',
    hint: 'Stop process {pid} first, name another folder with --data-dir, or leave --network and PLANCHET_NETWORK out.',
  },
  'cli.receiver-off': {
    code: 'not-running',
    message: 'The application does not listen for callbacks of miners.',
    hint: 'Set callbackBind to an address, and callbackPublicUrl to the one under which miners reach it.',
  },
  'cli.review-failed': {
    code: 'review-failed',
    message: '{reasons}',
    hint: 'Nothing was signed.',
  },
  'cli.rpc-failed': {
    code: 'upstream-error',
    message: '{reason} (code {number})',
    hint: 'Look at what the node says; "planchet rpc help" shows what a command takes.',
  },
  'cli.rpc-unknown-method': {
    code: 'upstream-error',
    message: '{reason} (code {number})',
    hint: 'Run "planchet rpc help" for the commands of the gateway.',
  },
  'cli.schema-invalid': {
    code: 'invalid-input',
    message: 'The schema cannot be used: {field}: {reason}.',
    hint: 'A schema needs symbol, satsPerToken and totalSupply.',
  },
  'cli.schema-not-json': {
    code: 'invalid-input',
    message: '{file} is not JSON.',
    hint: 'Name a JSON file with the schema of the token.',
  },
  'cli.schema-unreadable': {
    code: 'file-not-found',
    message: '{file} cannot be read.',
    hint: 'Name a JSON file with the schema of the token.',
  },
  'cli.secret-file-unreadable': {
    code: 'file-not-found',
    message: 'The file {file} cannot be read.',
    hint: 'Check its name.',
  },
  'cli.secret-lines': {
    code: 'invalid-input',
    message: 'A passphrase of several lines could never be typed again.',
    hint: 'Pipe it in once, as one line. Nothing was changed.',
  },
  'cli.secret-missing': {
    code: 'invalid-input',
    message: '{what}: nothing was given, and there is no terminal to ask for it.',
    hint: 'Run it in a terminal, pipe the secret in, or name a file that holds it where the command has such an option.',
  },
  'cli.secret-repeated': {
    code: 'invalid-input',
    message: 'The two entries differ.',
    hint: 'Try again. Nothing was changed.',
  },
  'cli.set-usage': {
    code: 'usage',
    message: '--set takes key=value.',
    hint: 'For example: --set logLevel=debug',
  },
  'cli.output-unwritable': {
    code: 'invalid-input',
    message: 'The output cannot be written: {reason}',
    hint: 'Check where it goes, and that there is room. What the command was for may be done all the same.',
  },
  'cli.settings-for-one-run': {
    code: 'conflict',
    message: 'Settings of this run only (--set) cannot reach the Planchet that is already running.',
    hint: 'Stop process {pid} first, or change the setting for good with "planchet settings set KEY VALUE".',
  },
  'cli.time-invalid': {
    code: 'invalid-input',
    message: 'time: "{text}" is not a time.',
    hint: 'Write it like 2026-12-24T18:00:00Z.',
  },
  'cli.wallet-locked': {
    code: 'vault-locked',
    message: 'The wallet is locked.',
    hint: 'Give its passphrase: "planchet wallet unlock" where Planchet runs, else PLANCHET_PASSPHRASE or --passphrase-file.',
  },
} as const satisfies ErrorEntries;
