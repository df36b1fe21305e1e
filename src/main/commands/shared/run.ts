import { isDefinedError, ORPCError } from '@orpc/client';
import { codeTexts, type Failure, failureSchema, PlanchetError, toFailure } from '../../../contract/index.ts';

export type { ConsoleClient as Client } from '../../console/http-client.ts';

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

/** What every group of commands is given. */
export interface Shell {
  globals(): GlobalOptions;
  output(): Output;
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
  if (isConnectionLost(error)) return new PlanchetError('cli.host-silent').toFailure();
  if (isOtherVersion(error)) return new PlanchetError('cli.host-other-version').toFailure();
  return toFailure(error);
}

/** Whether the running host could not be reached, went away, or did not answer in time. */
function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { name, message, code } = error as NodeJS.ErrnoException;
  if (name === 'TimeoutError' || (name === 'TypeError' && /^(?:fetch failed|terminated)$/.test(message))) return true;
  return /^(?:ECONN|EPIPE|UND_ERR_)/.test(code ?? '') || isConnectionLost(error.cause);
}

/** Whether the running host does not know the procedure, or its answer cannot be read. */
function isOtherVersion(error: unknown): boolean {
  if (error instanceof ORPCError) return error.code === 'NOT_FOUND' || error.code === 'MALFORMED_ORPC_ERROR_RESPONSE';
  return error instanceof Error && /^(?:Cannot parse response body|Invalid RPC response format)/.test(error.message);
}

/** Prints a failure as designed: on stderr, as JSON with `--json`. Each has a hint. */
export function printFailure({ code, message, hint: own }: Failure, json: boolean): void {
  const hint = own || codeTexts[code].hint;
  process.stderr.write(json ? `${JSON.stringify({ error: { code, message, hint } })}\n` : `${message}\n→ ${hint}\n`);
}
