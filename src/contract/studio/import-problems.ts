interface ProblemText {
  readonly severity: 'error' | 'warning';
  /** The problem and its fix; `{name}` is a placeholder. */
  readonly message: string;
}

/**
 * All problems of an import. Scripts depend on the codes. A row with an error is not imported; a person may accept those
 * of {@link acceptableProblems} for a row.
 */
export const importProblemTexts = {
  // files
  'missing-file': { severity: 'error', message: 'There is no file "{file}". Choose one, or leave the row out.' },
  'no-file': { severity: 'error', message: 'No file belongs to this row. Choose one, or leave the row out.' },
  'file-unused': { severity: 'warning', message: 'No row belongs to this file, so it is left out.' },
  'duplicate-content': {
    severity: 'error',
    message: 'This file has the same content as {other}. Choose another one, or accept it.',
  },
  'type-unknown': { severity: 'error', message: 'The type of {file} is not known. Enter it, such as image/png.' },
  'type-invalid': { severity: 'error', message: '"{text}" is not a content type. Write one such as image/png.' },
  'type-not-viewable': {
    severity: 'error',
    message: 'Browsers cannot show {type}. Convert the file to PNG, JPEG or WebP, or accept it.',
  },
  'picture-unreadable': {
    severity: 'error',
    message:
      '{file} is no {type} that can be opened: it is damaged, or something else. Choose another file, or export it again.',
  },
  'svg-script': { severity: 'warning', message: 'This SVG holds a script. Most viewers will not run it.' },
  'svg-external': {
    severity: 'warning',
    message: 'This SVG loads something from elsewhere. A token can only show what is inside it.',
  },
  'file-too-large': {
    severity: 'error',
    message: '{file} has {bytes} bytes; the limit is {limit}. Make it smaller, or raise maxTokenBytes.',
  },
  'file-empty': { severity: 'error', message: '{file} is empty.' },
  'file-unreadable': { severity: 'error', message: '{file} cannot be read: {reason}.' },
  'file-changed': {
    severity: 'error',
    message: '{file} changed after it was read. Open the import again, or accept the version shown here.',
  },
  'file-not-regular': { severity: 'warning', message: '{file} is a link or a device, so it is left out.' },
  'image-differs': { severity: 'warning', message: 'The table names {file}, but a file {other} exists too.' },
  // text
  'name-missing': { severity: 'error', message: 'The token has no name.' },
  'too-long': { severity: 'error', message: '{what} has {length} characters; at most {limit} are allowed.' },
  'text-invalid': { severity: 'error', message: '{what} holds a character that cannot be stored.' },
  'hidden-marks': {
    severity: 'warning',
    message:
      '{what} holds marks that nobody sees: {marks}. It may look like another one. Delete them, unless they are meant.',
  },
  // numbers
  'number-invalid': { severity: 'error', message: '"{text}" is not a whole number.' },
  'duplicate-number': { severity: 'error', message: 'The number {number} is also that of {other}.' },
  // traits
  'trait-empty': { severity: 'warning', message: 'The trait {trait} has no value, so it is left out.' },
  'trait-name-invalid': { severity: 'error', message: '"{trait}" cannot be the name of a trait.' },
  'trait-renamed': { severity: 'warning', message: 'The trait "{trait}" is written as "{name}".' },
  'key-invalid': {
    severity: 'error',
    message: '"{key}" cannot be a key of the token. Map the column to another name.',
  },
  'too-many-keys': { severity: 'error', message: 'The row has {count} further keys; at most {limit} are allowed.' },
  'too-many-traits': { severity: 'error', message: 'The row has {count} traits; at most {limit} are allowed.' },
  // the collection
  'collection-unknown': {
    severity: 'error',
    message: '"{text}" is not the id of this collection. Clear the cell to use the collection of this project.',
  },
  'not-in-collection': { severity: 'error', message: 'The row belongs to "{text}", the others to "{name}".' },
  'royalty-destination': {
    severity: 'warning',
    message: 'The metadata asks for royalties of {percent} %. Enter addresses of your own, or none are written.',
  },
  // tables
  'several-tables': { severity: 'warning', message: 'Several tables were found; {table} is used.' },
  'table-unreadable': { severity: 'error', message: '{file} is not a table that can be read: {reason}.' },
  'table-empty': { severity: 'error', message: '{file} has no rows.' },
  'column-damaged': { severity: 'warning', message: 'Look at the column {column}: {what}.' },
  'not-metadata': { severity: 'warning', message: '{file} is neither a picture nor metadata, so it is left out.' },
  'pairing-open': {
    severity: 'error',
    message:
      'No column says which file belongs to which row. Choose the one that does, or say that both are in the same order.',
  },
  'matched-by-order': { severity: 'warning', message: 'Rows and files were put together in their order. Check them.' },
  'numbering-shifted': {
    severity: 'warning',
    message: 'Files count from {files}, rows from {rows}; they were matched so.',
  },
  // archives
  'path-refused': { severity: 'error', message: 'The archive names "{file}", which lies outside it. It was left out.' },
  'name-twice': { severity: 'error', message: 'The archive holds "{file}" twice. The second one was left out.' },
} as const satisfies Record<string, ProblemText>;

export type ImportProblemCode = keyof typeof importProblemTexts;

export const importProblemCodes = Object.keys(importProblemTexts) as ImportProblemCode[];

/** Errors that a person may accept for a row: it is imported as it is. */
export const acceptableProblems: readonly ImportProblemCode[] = [
  'duplicate-content',
  'type-not-viewable',
  'file-changed',
];
