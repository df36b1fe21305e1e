import { type ErrorId, errorEntries } from './catalogue.ts';
import { type ErrorCode, errorClasses } from './codes.ts';
import type { ErrorEntry } from './entry.ts';
import type { Failure } from './failure-schema.ts';

/**
 * The failure in a reply of the host, or undefined. It is read without the schema, since the page's first script would otherwise need the complete
 * schema library for this.
 */
export function readFailure(data: unknown): Failure | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const { code, message } = data as { code?: unknown; message?: unknown };
  const known = typeof code === 'string' && Object.hasOwn(errorClasses, code as ErrorCode);
  return known && typeof message === 'string' ? (data as Failure) : undefined;
}

/** The message of a failure, with its hint. */
export function withHint({ message, hint }: Pick<Failure, 'message'> & { readonly hint?: string | undefined }): string {
  if (hint === undefined) return message;
  return `${message}${/[.!?…]$/.test(message) ? '' : '.'} ${hint}`;
}

/** True if another party did not reply, or asked to try later: the same request may succeed unchanged. */
export function isPassing({ code }: Pick<Failure, 'code'>): boolean {
  return code === 'upstream-unreachable' || code === 'upstream-timeout' || code === 'upstream-error';
}

/** The HTTP status of a failure: that of its message, else that of its code. */
export function httpStatusOf({ id, code }: Pick<Failure, 'id' | 'code'>): number {
  return entryOf(id)?.httpStatus ?? errorClasses[code].httpStatus;
}

/** The exit code of a command that ends with a failure: that of its message, else that of its code. */
export function exitCodeOf({ id, code }: Pick<Failure, 'id' | 'code'>): number {
  return entryOf(id)?.exitCode ?? errorClasses[code].exitCode;
}

function entryOf(id: string | undefined): ErrorEntry | undefined {
  return id !== undefined && Object.hasOwn(errorEntries, id) ? errorEntries[id as ErrorId] : undefined;
}

/** Whether a retry may help: by its message, else by its code. */
export function isRetryable({ code, retryable }: Pick<Failure, 'code' | 'retryable'>): boolean {
  return retryable ?? errorClasses[code].retryable;
}
