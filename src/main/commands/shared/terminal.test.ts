import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { exitCodeOf } from '../../../contract/index.ts';
import { failureOf } from './run.ts';
import { askedOnce, confirm, passphraseSource, readNewSecret, readSecret } from './terminal.ts';

const terminal = Object.getOwnPropertyDescriptor(process.stdin, 'isTTY');
function inTerminal(isTTY: boolean): void {
  Object.defineProperty(process.stdin, 'isTTY', { value: isTTY, configurable: true });
}

afterEach(() => {
  if (terminal) Object.defineProperty(process.stdin, 'isTTY', terminal);
  else Reflect.deleteProperty(process.stdin, 'isTTY');
});

/** Answers one prompt after the other. */
function typed(...answers: string[]) {
  const prompts: string[] = [];
  const read = async (prompt: string): Promise<string> => {
    prompts.push(prompt);
    return answers.shift() ?? '';
  };
  return { prompts, read };
}

it('the terminal asks twice for a passphrase that seals something', async () => {
  inTerminal(true);
  const { prompts, read } = typed('correct horse', 'correct horse');
  expect(await readNewSecret('Passphrase for the backup: ', undefined, read)).toBe('correct horse');
  expect(prompts).toEqual(['Passphrase for the backup: ', 'The same again: ']);
});

it('the terminal refuses a passphrase whose second entry differs', async () => {
  inTerminal(true);
  const { read } = typed('correct horse', 'correct hors');
  await expect(readNewSecret('Passphrase: ', undefined, read)).rejects.toMatchObject({ code: 'invalid-input' });
});

it('the terminal refuses a passphrase of several lines, which no terminal could take again', async () => {
  inTerminal(false);
  const { read } = typed('correct horse\ncorrect horse');
  await expect(readNewSecret('Passphrase: ', undefined, read)).rejects.toMatchObject({ code: 'invalid-input' });
});

it('the terminal reads what is piped in or stands in a file once', async () => {
  inTerminal(false);
  const piped = typed('correct horse');
  expect(await readNewSecret('Passphrase: ', undefined, piped.read)).toBe('correct horse');
  inTerminal(true);
  const inFile = typed('correct horse');
  expect(await readNewSecret('Passphrase: ', 'passphrase', inFile.read)).toBe('correct horse');
  expect([piped.prompts.length, inFile.prompts.length]).toEqual([1, 1]);
});

it('the terminal leaves the vault locked where there is no terminal to ask on', async () => {
  inTerminal(false);
  expect(await passphraseSource(undefined)('create')).toBe(process.env.PLANCHET_PASSPHRASE);
});

describe.each([
  ['Ctrl+C', '\x03'],
  ['Ctrl+D', '\x04'],
])('%s at a question', (_, key) => {
  const streams = ['stdin', 'stderr'] as const;
  const own = streams.map((name) => Object.getOwnPropertyDescriptor(process, name) as PropertyDescriptor);
  afterEach(() => {
    for (const [at, name] of streams.entries()) Object.defineProperty(process, name, own[at] as PropertyDescriptor);
  });

  it.each([
    ['yes or no', () => confirm('Sign and send it?')],
    ['a secret', () => readSecret('Passphrase: ')],
  ])('interrupts the command: %s', async (_question, ask) => {
    const typed = Object.assign(new PassThrough(), { isTTY: true });
    for (const [name, value] of [
      ['stdin', typed],
      ['stderr', Object.assign(new PassThrough(), { isTTY: true })],
    ] as const) {
      Object.defineProperty(process, name, { value, configurable: true });
    }
    const answer = ask();
    typed.write(key);
    const failure = failureOf(await answer.catch((error: unknown) => error));
    expect(exitCodeOf(failure)).toBe(130);
  });
});

it('the terminal asks once for the passphrase that opens the vault, and each time for that of a new one', async () => {
  const { prompts, read } = typed('correct horse', 'battery', 'staple');
  const source = askedOnce(read);
  expect([await source('open'), await source('open'), await source('create'), await source('create')]).toEqual([
    'correct horse',
    'correct horse',
    'battery',
    'staple',
  ]);
  expect(prompts).toEqual(['open', 'create', 'create']);
});
