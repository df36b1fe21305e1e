import type { ErrorEntries } from '../../entry.ts';

export const importErrors = {
  'import.archive-damaged': {
    code: 'invalid-input',
    message: 'The archive {file} cannot be read: {reason}.',
    hint: 'Make the zip file again, or unpack it and import the folder.',
  },
  'import.archive-too-large': {
    code: 'file-too-large',
    message: 'The archive {file} unpacks to more than is allowed: {reason}.',
    hint: 'If the archive is yours, unpack it and import the folder.',
  },
  'import.busy': {
    code: 'conflict',
    message: 'This import is being read or written.',
    hint: 'Wait until it is ready.',
  },
  'import.cover-missing': {
    code: 'not-found',
    message: 'There is no file {id} in this import.',
    hint: 'Choose one of the files that were read.',
  },
  'import.edit-unknown': {
    code: 'invalid-input',
    message: 'The cell "{field}" of row {row} cannot be changed.',
    hint: 'Look at the rows again.',
  },
  'import.interrupted': {
    code: 'cancelled',
    message: 'Planchet ended while it read this import.',
    hint: 'Import the files again.',
  },
  'import.no-content': {
    code: 'invalid-input',
    message: 'Nothing in {what} can be made into a token.',
    hint: 'Name a folder, a zip file or files with artwork.',
  },
  'import.pairing-open': {
    code: 'invalid-input',
    message: 'No column of the table says which file belongs to which row, so nothing was imported.',
    hint: 'Name the column with --map file=COLUMN, or give --pair-by-order if the rows stand in the order of the files; on the page, choose the column or confirm the order.',
  },
  'import.nothing-ready': {
    code: 'invalid-input',
    message: 'No row is free of errors, so nothing was imported. {problem}',
    hint: 'Correct the rows, or leave out those with errors.',
  },
  'import.path-from-page': {
    code: 'forbidden',
    message: 'A page cannot name files of this machine.',
    hint: 'Drop the files into the page.',
  },
  'import.path-missing': {
    code: 'file-not-found',
    message: 'There is no file or folder {path}.',
    hint: 'Check the name and the folder you are in.',
  },
  'import.path-relative': {
    code: 'invalid-input',
    message: '{path} is not a full path.',
    hint: 'Name files and folders by their full path.',
  },
  'import.path-unreadable': {
    code: 'file-not-found',
    message: '{path} cannot be read: {reason}.',
    hint: 'Check that you may read it and that its drive is connected.',
  },
  'import.table-missing': {
    code: 'file-not-found',
    message: 'There is no table {table} among the files.',
    hint: 'Name a CSV or JSON file that describes the tokens.',
  },
  'import.table-unreadable': {
    code: 'invalid-input',
    message: 'The table {table} cannot be read: {reason}.',
    hint: 'Save it again as CSV in UTF-8, or as JSON.',
  },
  'import.too-many-files': {
    code: 'file-too-large',
    message: 'There are more than {limit} files.',
    hint: 'Import a folder with less in it.',
  },
  'import.unknown': {
    code: 'not-found',
    message: 'There is no such import; it may have been discarded.',
    hint: 'Open the files again.',
  },
  'import.unknown-field': {
    code: 'invalid-input',
    message: 'The table has no column "{field}".',
    hint: 'Its columns are {columns}.',
  },
  'import.upload-name': {
    code: 'invalid-input',
    message: '"{name}" cannot be the name of an uploaded file.',
    hint: 'Send the path of the file below the folder that was chosen.',
  },
  'import.upload-order': {
    code: 'conflict',
    message: 'A piece of {name} came for byte {offset}, but byte {received} is next.',
    hint: 'Send the pieces in order, or start the upload again.',
  },
  'import.upload-too-large': {
    code: 'file-too-large',
    message: 'An upload has at most {limit} bytes.',
    hint: 'Import the folder on the machine Planchet runs on.',
  },
} as const satisfies ErrorEntries;
