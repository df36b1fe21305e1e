import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface, type Interface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { type Network, PlanchetError } from '../../../contract/index.ts';
import type { PassphraseOf } from '../../ports/secrets.ts';

/** Asks yes or no on the terminal. Without one the answer is no. @throws PlanchetError `cancelled` at Ctrl+C or Ctrl+D */
export async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  return /^y(?:es)?$/i.test(await answer(lines, `${question} [y/N] `));
}

/** Real money is spent only after a person's yes. @param what is sent @throws PlanchetError `cancelled` without it */
export async function confirmSpending(network: Network, yes: boolean, what = 'it'): Promise<void> {
  if (network !== 'main' || yes || (await confirm(`This spends real money. Sign and send ${what}?`))) return;
  throw new PlanchetError('cli.nothing-signed');
}

/** The terminal sends no signal while a question is open: Ctrl+C and Ctrl+D close the interface. */
async function answer(lines: Interface, question: string): Promise<string> {
  try {
    const closed = once(lines, 'close').then(() => Promise.reject(new Error('no answer')));
    return (await Promise.race([lines.question(question), closed])).trim();
  } catch (error) {
    throw new PlanchetError('cli.interrupted', {}, { cause: error });
  } finally {
    lines.close();
  }
}

/**
 * Reads a secret: from a file where one is named, else from the terminal without echo, else from what is piped in. Never from an
 * argument, which every process of the machine can read.
 * @throws PlanchetError `invalid-input` if nothing is piped in, `cancelled` at Ctrl+C or Ctrl+D
 */
export async function readSecret(prompt: string, file?: string): Promise<string> {
  if (file !== undefined) return readSecretFile(file);
  if (!process.stdin.isTTY) {
    let text = '';
    for await (const chunk of process.stdin) text += chunk;
    if (text.trim() === '') throw new PlanchetError('cli.secret-missing', { what: prompt.replace(/: $/, '') });
    return text.trim();
  }
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
  process.stderr.write(prompt);
  try {
    return await answer(lines, '');
  } finally {
    process.stderr.write('\n');
  }
}

/**
 * Reads a passphrase that will seal something: a terminal is asked twice, since a slip of the finger would lock it for good.
 * @throws PlanchetError `invalid-input` if the two entries differ, or if it has several lines
 */
export async function readNewSecret(prompt: string, file?: string, read = readSecret): Promise<string> {
  const secret = await read(prompt, file);
  if (/[\r\n]/.test(secret)) throw new PlanchetError('cli.secret-lines');
  if (file === undefined && process.stdin.isTTY && (await read('The same again: ')) !== secret)
    throw new PlanchetError('cli.secret-repeated');
  return secret;
}

function readSecretFile(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new PlanchetError('cli.secret-file-unreadable', { file }, { cause: error });
  }
}

/** Asks for the passphrase that opens the vault once: a command that needs it a second time gets the same answer. */
export function askedOnce(source: PassphraseOf): PassphraseOf {
  let opening: ReturnType<PassphraseOf> | undefined;
  return (use) => {
    if (use !== 'open') return source(use);
    opening ??= source(use);
    return opening;
  };
}

/**
 * Where the vault's passphrase comes from in a terminal: `--passphrase-file`, else PLANCHET_PASSPHRASE, else a prompt; for a new vault
 * the prompt comes twice.
 * @returns undefined if there is no terminal to ask on, so the vault stays locked
 */
export function passphraseSource(file: string | undefined): PassphraseOf {
  return async (use) => {
    if (file !== undefined) return readSecretFile(file);
    if (process.env.PLANCHET_PASSPHRASE) return process.env.PLANCHET_PASSPHRASE;
    if (!process.stdin.isTTY || use === 'at-hand') return undefined;
    return use === 'create' ? readNewSecret('Passphrase for the new vault: ') : readSecret('Passphrase of the vault: ');
  };
}
