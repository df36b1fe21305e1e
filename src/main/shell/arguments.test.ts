import { expect, it } from 'vitest';
import { parseShellArguments } from './arguments.ts';

it('the desktop reads the options of the command line, and passes others over', () => {
  expect(
    parseShellArguments(['--data-dir', '/a', '--set=rpcBind=:1', '--network', 'test', '--no-sandbox', '--hidden']),
  ).toEqual({ dataDir: '/a', overrides: { rpcBind: ':1', network: 'test' }, safeMode: false, hidden: true });
});

it.each([['--data-dir='], ['--data-dir', ' '], ['--data-dir']])('the desktop refuses %s', (...args) => {
  expect(() => parseShellArguments(args)).toThrow('--data-dir needs a value: --data-dir <folder>.');
});
