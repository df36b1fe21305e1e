import { isDefinedError } from '@orpc/client';
import type { ContractRouterClient } from '@orpc/contract';
import {
  type Contract,
  type ErrorCode,
  type Failure,
  failureSchema,
  PlanchetError,
  toFailure,
} from '../../contract/index.ts';

export type Client = ContractRouterClient<Contract>;

/** Options every command takes. */
export interface GlobalOptions {
  dataDir?: string;
  network?: string;
  set: Record<string, string>;
  json: boolean;
  safeMode: boolean;
  passphraseFile?: string;
}

/** Where a command writes: results on one stream, everything else on the other, so results can be piped. */
export interface Output {
  /** With `--json` the one JSON document, else the text. */
  result(json: unknown, text: string): void;
  /** Progress and remarks for a person; silent with `--json`. */
  note(text: string): void;
}

export function createOutput(json: boolean): Output {
  return {
    result: (value, text) => void process.stdout.write(`${json ? JSON.stringify(value) : text}\n`),
    note: (text) => {
      if (!json) process.stderr.write(`${text}\n`);
    },
  };
}

/** The failure inside whatever a command threw: a typed error of the contract, one of our own, or anything else. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Error && isDefinedError(error)) {
    const parsed = failureSchema.safeParse((error as { data?: unknown }).data);
    if (parsed.success) return parsed.data;
  }
  if (error instanceof PlanchetError) return error.toFailure();
  const connection = error as { cause?: { code?: string } } | null;
  if (connection?.cause?.code === 'ECONNREFUSED') {
    return {
      code: 'not-running',
      message: 'The running Planchet did not answer.',
      hint: 'Stop it and start it again.',
    };
  }
  return toFailure(error);
}

/** What to do where a refusal names nothing more exact. */
const hints: Readonly<Record<ErrorCode, string>> = {
  'invalid-input': 'Correct what is named and try again.',
  'file-empty': 'Name a file that holds something.',
  'file-too-large': 'Make the file smaller, or raise maxTokenBytes.',
  'file-not-found': 'Check the name and the folder you are in.',
  'content-type-unknown': 'Name its MIME type with --content-type.',
  'metadata-invalid': 'Correct what is named and try again.',
  'address-invalid': 'Check the address for a typing error.',
  'address-wrong-network': 'Give an address of the network you are on.',
  'not-found': 'Check the name or id.',
  conflict: 'Look at what stands there now, then try again.',
  usage: 'Run "planchet --help".',
  'funds-insufficient': 'Send coins to the address that "planchet wallet address" tells.',
  'fee-too-high': 'Raise the limit that is named, if the fee is right.',
  'quota-exceeded': 'Wait for the next month, or ask the token service for a larger quota.',
  'review-failed': 'Nothing was signed. Tell the operator of the service what differs.',
  'vault-locked': 'Give its passphrase: PLANCHET_PASSPHRASE or --passphrase-file.',
  'vault-passphrase-wrong': 'Give the passphrase the vault was made with.',
  'vault-damaged': 'Put the vault back from a backup, or restore the wallet from its words.',
  'wallet-missing': 'Make one with "planchet wallet create".',
  'wallet-exists': 'Name another folder with --data-dir, or keep the wallet that is there.',
  'api-key-missing': 'Run: planchet settings set apiKey -',
  unauthorized: 'Check the key or password.',
  forbidden: 'Use a key that may do this.',
  'port-in-use': 'Stop the program that has the port, or set another one.',
  'bind-refused': 'Set an address of this machine.',
  'disk-full': 'Free some room and try again.',
  'store-locked': 'Stop the Planchet that uses this folder, or name another folder with --data-dir.',
  'store-failed': 'Check that the data folder belongs to you and can be written.',
  'settings-invalid': 'Run "planchet settings list".',
  'upstream-unreachable': 'Check the addresses in the settings, and the network: planchet doctor',
  'upstream-timeout': 'Try again; where it stays so, raise bitcoinTimeout or name another upstream.',
  'upstream-error': 'Look at what the node says; "planchet rpc help" tells what a command takes.',
  rejected: 'Look at the reason that is named.',
  'proof-invalid': 'Ask another service: this one told something untrue.',
  'merchant-key-changed': 'Ask the miner, then run: planchet merchant accept <key>',
  cancelled: 'Run the command again.',
  timeout: 'Try again.',
  'not-running': 'Start it with "npm start".',
  internal: 'Run "planchet doctor" and look at the log in the data folder.',
};

/** Prints a failure as designed: on stderr, as JSON with `--json`. Each has a hint. */
export function printFailure({ code, message, hint: own }: Failure, json: boolean): void {
  const hint = own || hints[code];
  process.stderr.write(json ? `${JSON.stringify({ error: { code, message, hint } })}\n` : `${message}\n→ ${hint}\n`);
}
