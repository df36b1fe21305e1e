import type { Command, CommanderError } from 'commander';
import { type Failure, PlanchetError } from '../../../contract/index.ts';

/** Wrong usage in our own words, with the help to read. @param args what was typed after the program's name */
export function usageFailure(error: CommanderError, program: Command, args: readonly string[]): Failure {
  const all = error.message.replace(/^error: /, '');
  const [text = '', instead] = all.split(/\n\(Did you mean (?:one of )?(.+)\?\)$/);
  return explain(error.code, text, {
    command: pathOf(commandOf(program, args)),
    suggestion: instead === undefined ? '' : `Did you mean ${instead}? `,
  }).toFailure();
}

/** The message for each of the parser's codes, with the names of options and arguments as the help writes them. */
function explain(code: string, text: string, help: { command: string; suggestion: string }): PlanchetError {
  // greedy: what was typed may hold quotes itself
  const first = /'([\s\S]*)'/.exec(text)?.[1] ?? '';
  switch (code) {
    case 'commander.help':
      return new PlanchetError('usage.no-command', help);
    case 'commander.unknownCommand':
      return new PlanchetError('usage.unknown-command', { name: first, ...help });
    case 'commander.unknownOption':
      return /^-\d/.test(first)
        ? new PlanchetError('usage.negative-value', { name: first })
        : new PlanchetError('usage.unknown-option', { name: first, ...help });
    case 'commander.missingArgument':
      return new PlanchetError('usage.argument-missing', { name: first.toUpperCase(), ...help });
    case 'commander.missingMandatoryOptionValue':
      return new PlanchetError('usage.argument-missing', { name: flagOf(first), ...help });
    case 'commander.optionMissingArgument':
      return new PlanchetError('usage.value-missing', { name: flagOf(first), pattern: first, ...help });
    case 'commander.invalidArgument': {
      const option = /^option '([^']*)' argument '([\s\S]*)' is invalid\. ([\s\S]*)$/.exec(text);
      const argument = /^command-argument value '([\s\S]*)' is invalid for argument '([^']*)'\. ([\s\S]*)$/.exec(text);
      const [, value = '', named = '', reason = ''] = argument ?? [];
      const told = option
        ? { name: flagOf(option[1] ?? ''), value: option[2] ?? '', reason: option[3] ?? '' }
        : { name: named.toUpperCase(), value, reason };
      return new PlanchetError('usage.value-not-possible', { ...told, ...help });
    }
    default: {
      const sentence = `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;
      return new PlanchetError('usage.other', { reason: sentence, ...help });
    }
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
const aliases: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    at: 'time',
    body: 'json',
    depth: 'blocks',
    destination: 'to',
    identitykey: 'key',
    outpoint: 'token',
    publickey: 'key',
    apikey: 'api-key',
    traits: 'trait',
  }),
);

/**
 * A failure whose message begins with names of fields, with the names of the command's own arguments and options instead: a contract's
 * `metadata.name` is `--name` here, its `address` is `ADDRESS`.
 */
export function withCommandLineNames(failure: Failure, command: Command | undefined): Failure {
  if (command === undefined) return failure;
  const message = failure.message.replace(
    /(^|not valid\. |; )([A-Za-z][\w.]*)(?=: | must | cannot | is )/g,
    (match, before: string, field: string) => {
      const own = commandLineName(field, command);
      return own === undefined ? match : `${before}${own}`;
    },
  );
  return { ...failure, message };
}

function commandLineName(field: string, command: Command): string | undefined {
  for (const part of field.toLowerCase().split('.')) {
    // a list of the contract is an argument or option that may be repeated
    for (const name of [part, part.replace(/s$/, ''), aliases.get(part) ?? part]) {
      const argument = command.registeredArguments.find((one) => one.name().toLowerCase() === name);
      if (argument !== undefined) return argument.name().toUpperCase();
      const option = command.options.find((one) => one.attributeName().toLowerCase() === name.replaceAll('-', ''));
      if (option?.long) return option.long;
    }
  }
  return undefined;
}
