import type { ErrorEntries } from '../../entry.ts';

/** Refusals of the command line's parser. `{suggestion}` is empty or "Did you mean …? ". */
export const usageErrors = {
  'usage.argument-missing': {
    code: 'usage',
    message: '{name} is missing.',
    hint: '{suggestion}Run "{command} --help".',
  },
  'usage.files-and-project': {
    code: 'usage',
    message: 'Files and --project exclude each other.',
    hint: 'Write "planchet import FILE… --project NAME" to add files to a project, then "planchet mint --project NAME".',
  },
  'usage.project-only': {
    code: 'usage',
    message: '--rehearse and --direct belong to the mint of a whole project.',
    hint: 'Write "planchet import FILE… --project NAME" to make a project of the files, then "planchet mint --project NAME --rehearse".',
  },
  'usage.files-or-project': {
    code: 'usage',
    message: 'FILE is missing: name files to mint, or a project with --project.',
    hint: 'Write "planchet mint FILE…" or "planchet mint --project NAME".',
  },
  'usage.no-command': {
    code: 'usage',
    message: 'No command was named.',
    hint: '{suggestion}Run "{command} --help".',
  },
  'usage.negative-value': {
    code: 'usage',
    message: '"{name}" is not possible here.',
    hint: 'No value is negative: write it without the minus sign.',
  },
  'usage.other': {
    code: 'usage',
    message: '{reason}',
    hint: '{suggestion}Run "{command} --help".',
  },
  'usage.unknown-command': {
    code: 'usage',
    message: 'There is no command "{name}".',
    hint: '{suggestion}Run "{command} --help".',
  },
  'usage.unknown-option': {
    code: 'usage',
    message: 'There is no option "{name}".',
    hint: '{suggestion}Run "{command} --help".',
  },
  'usage.value-missing': {
    code: 'usage',
    message: '{name} needs a value: {pattern}.',
    hint: '{suggestion}Run "{command} --help".',
  },
  'usage.value-not-possible': {
    code: 'usage',
    message: '{name}: "{value}" is not possible. {reason}',
    hint: '{suggestion}Run "{command} --help".',
  },
} as const satisfies ErrorEntries;
