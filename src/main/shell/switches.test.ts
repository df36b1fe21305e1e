import { describe, expect, it } from 'vitest';
import { dangerousSwitch, dangerousSwitches } from './switches.ts';

const none = (): boolean => false;

describe('dangerousSwitch', () => {
  it('knows the switch that seals the vault with a key that everyone has', () => {
    expect(dangerousSwitch(none, ['--use-mock-keychain'])).toBe('use-mock-keychain');
  });

  it.each(dangerousSwitches)('finds --%s, on the command line of Chromium and among the arguments', (name) => {
    expect(dangerousSwitch((asked) => asked === name, [])).toBe(name);
    expect(dangerousSwitch(none, [`--${name}`])).toBe(name);
    expect(dangerousSwitch(none, ['--data-dir', '/d', `--${name}=1`])).toBe(name);
  });

  it.each([
    ['--Inspect-Brk=0', 'inspect-brk'],
    ['--inspect_wait', 'inspect-wait'],
    ['-inspect', 'inspect'],
    ['/no-sandbox', 'no-sandbox'],
  ])('finds it written as %s', (argument, name) => {
    expect(dangerousSwitch(none, [argument])).toBe(name);
  });

  it.each([
    '--data-dir',
    '--safe-mode',
    '--hidden',
    '--set=logLevel=debug',
    '--inspector',
    '/home/a/inspect/b',
    'inspect',
    'planchet://open',
  ])('lets %s pass', (argument) => {
    expect(dangerousSwitch(none, [argument])).toBeUndefined();
  });
});
