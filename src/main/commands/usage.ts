import type { Command, CommanderError } from 'commander';
import type { Failure } from '../../contract/index.ts';

/** Wrong usage in our own words, with the help to read. @param args what was typed after the program's name */
export function usageFailure(error: CommanderError, program: Command, args: readonly string[]): Failure {
  const command = commandOf(program, args);
  const path = pathOf(command);
  const [text = '', suggestion] = error.message.replace(/^error: /, '').split('\n');
  const instead = /\(Did you mean (?:one of )?(.+)\?\)/.exec(suggestion ?? '')?.[1];
  const { message, hint } = explain(error.code, text);
  const help = `Run "${path} --help".`;
  return {
    code: 'usage',
    message,
    hint: hint ?? (instead === undefined ? help : `Did you mean ${instead}? ${help}`),
  };
}

/** The sentence for each of the parser's codes, with the names of options and arguments as the help writes them. */
function explain(code: string, text: string): { message: string; hint?: string } {
  const [first = '', second = ''] = [...text.matchAll(/'([^']*)'/g)].map(([, quoted]) => quoted as string);
  const rest = text.slice(text.indexOf('. ') + 1).trim();
  switch (code) {
    case 'commander.help':
      return { message: 'No command was named.' };
    case 'commander.unknownCommand':
      return { message: `There is no command "${first}".` };
    case 'commander.unknownOption':
      return /^-\d/.test(first)
        ? {
            message: `"${first}" is not possible here.`,
            hint: 'No value is negative: write it without the minus sign.',
          }
        : { message: `There is no option "${first}".` };
    case 'commander.missingArgument':
      return { message: `${first.toUpperCase()} is missing.` };
    case 'commander.missingMandatoryOptionValue':
      return { message: `${flagOf(first)} is missing.` };
    case 'commander.optionMissingArgument':
      return { message: `${flagOf(first)} needs a value: ${first}.` };
    case 'commander.invalidArgument':
      return text.startsWith('option')
        ? { message: `${flagOf(first)}: "${second}" is not possible. ${rest}` }
        : { message: `${second.toUpperCase()}: "${first}" is not possible. ${rest}` };
    default:
      return { message: `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}` };
  }
}

/** `--network <name>` → `--network` */
function flagOf(flags: string): string {
  return /--[\w-]+/.exec(flags)?.[0] ?? flags;
}

/** The command that was meant, as far as the names go. */
function commandOf(program: Command, args: readonly string[]): Command {
  let command = program;
  for (const arg of args) {
    const next = command.commands.find((one) => one.name() === arg);
    if (next !== undefined) command = next;
  }
  return command;
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** Arguments and options that are called something else in the contract. */
const aliases: Readonly<Record<string, string>> = {
  at: 'time',
  body: 'json',
  depth: 'blocks',
  destination: 'to',
  outpoint: 'token',
  apikey: 'api-key',
  traits: 'trait',
};

/**
 * A failure whose message begins with names of fields, with the names of the command's own arguments and options instead: a contract's
 * `metadata.name` is `--name` here, its `address` is `ADDRESS`.
 */
export function inOwnWords(failure: Failure, command: Command | undefined): Failure {
  if (command === undefined) return failure;
  const message = failure.message.replace(
    /(^|not valid\. |; )([A-Za-z][\w.]*)(?=: | must | cannot | is )/g,
    (whole, before: string, field: string) => {
      const own = ownName(field, command);
      return own === undefined ? whole : `${before}${own}`;
    },
  );
  return { ...failure, message };
}

function ownName(field: string, command: Command): string | undefined {
  for (const part of field.toLowerCase().split('.')) {
    const name = aliases[part] ?? part;
    const argument = command.registeredArguments.find((one) => one.name().toLowerCase() === name);
    if (argument !== undefined) return argument.name().toUpperCase();
    const option = command.options.find((one) => one.attributeName().toLowerCase() === name.replaceAll('-', ''));
    if (option?.long) return option.long;
  }
  return undefined;
}
