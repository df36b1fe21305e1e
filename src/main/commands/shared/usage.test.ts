import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { PlanchetError, phrase } from '../../../contract/index.ts';
import { commandLine } from '../../command-line.ts';
import { withCommandLineNames } from './usage.ts';

function commandNamed(path: string): Command | undefined {
  return path
    .split(' ')
    .reduce<Command | undefined>(
      (group, name) => group?.commands.find((one) => one.name() === name),
      commandLine(false),
    );
}

it.each([
  ['wallet freeze', 'outpoints.0', 'OUTPOINT'],
  ['wallet beef', 'outpoint', 'OUTPOINT'],
  ['wallet accept', 'identityKey', 'KEY'],
  ['wallet send', 'coins.1', '--coin'],
  ['wallet send', 'to.0.satoshis', 'SATOSHIS'],
  ['merchant accept', 'publicKey', 'KEY'],
  ['bundle', 'outpoint', 'OUTPOINT'],
  ['certificate', 'outpoint', 'OUTPOINT'],
  ['token history', 'outpoint', 'TOKEN'],
  ['mint', 'metadata.traits.0.name', '--trait'],
  ['mint', 'destination', '--to'],
])('%s is refused for its field %s by the name %s', (path, field, named) => {
  const rule = phrase('rule.form');
  const problems = phrase('field.problem', { field, rule });
  const failure = new PlanchetError('console.input-invalid', { problems }).toFailure();
  expect(withCommandLineNames(failure, commandNamed(path)).message).toContain(`${named}: is missing`);
});
