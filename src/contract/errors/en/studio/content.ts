import type { ErrorEntries } from '../../entry.ts';

export const contentErrors = {
  'content.disk-full': {
    code: 'disk-full',
    message: 'The disk is full, so the file could not be stored.',
    hint: 'Free some room on the disk that holds the data folder and upload it again.',
  },
  'content.file-empty': {
    code: 'file-empty',
    message: '{name} is empty.',
    hint: 'A token needs content; choose another file.',
  },
  'content.file-damaged': {
    code: 'file-not-found',
    message: 'The stored copy of {name} was changed or damaged on the disk, so it is not sent.',
    hint: 'Add or import the file again, then retry. Nothing was minted with it.',
  },
  'content.file-missing': {
    code: 'file-not-found',
    message: 'There is no stored file with the digest {sha256}.',
    hint: 'Upload the file again.',
  },
  'content.file-too-large': {
    code: 'file-too-large',
    message: '{name} is larger than the limit of {limit} bytes a token.',
    hint: 'Choose a smaller file, or raise the setting maxTokenBytes.',
  },
  'content.incomplete': {
    code: 'invalid-input',
    message: 'Only {received} of {declared} bytes of {name} have arrived.',
    hint: 'Send the missing pieces, or start the upload again.',
  },
  'content.longer-than-announced': {
    code: 'invalid-input',
    message: 'The file {name} is longer than announced.',
    hint: 'It may have changed while it was read. Upload it again.',
  },
  'content.not-stored': {
    code: 'store-failed',
    message: 'The file could not be stored in the data folder.',
    hint: 'Check that the data folder belongs to you and can be written.',
  },
  'content.piece-out-of-order': {
    code: 'conflict',
    message: 'A piece came for byte {offset}, but byte {received} is next.',
    hint: 'Send the pieces in order, or start the upload again.',
  },
  'content.piece-too-large': {
    code: 'invalid-input',
    message: 'A piece of an upload has at most {limit} bytes.',
    hint: 'Send the file in more pieces.',
  },
  'content.too-many-uploads': {
    code: 'conflict',
    message: 'Too many files are being uploaded at once.',
    hint: 'Wait until some of them are done.',
  },
  'content.type-malformed': {
    code: 'content-type-unknown',
    message: '"{type}" is not a content type.',
    hint: 'Give a MIME type such as image/png, or none to have it found from the file.',
  },
  'content.type-unknown': {
    code: 'content-type-unknown',
    message: 'The content type of {name} is not clear from its name or its content.',
    hint: 'Give its content type (a MIME type such as image/png), or rename it with a usual extension.',
  },
  'content.upload-missing': {
    code: 'not-found',
    message: 'There is no such upload; it has ended or waited too long.',
    hint: 'Upload the file again.',
  },
} as const satisfies ErrorEntries;
