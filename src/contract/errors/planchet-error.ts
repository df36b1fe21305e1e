import { englishText, type Phrase } from '../phrases/phrase.ts';
import { type ErrorId, type ErrorTexts, errorEntries, type Filling, type ValuesOf } from './catalogue.ts';
import type { ErrorCode } from './codes.ts';
import { type ErrorEntry, fillPlaceholders, type Value } from './entry.ts';
import type { Cause, Failure } from './failure-schema.ts';

interface Options {
  /** Figures for a program or a view, in addition to those in the text. */
  readonly detail?: Failure['detail'];
  readonly cause?: unknown;
}

/** What follows the id: the values of its placeholders, which are optional for entries without any, and figures or a cause. */
export type ErrorArguments<Id extends ErrorId> = keyof ValuesOf<Id> extends never
  ? [values?: Record<never, never>, options?: Options]
  : [values: ValuesOf<Id>, options?: Options];

/**
 * The one error class that services throw. Handlers turn it into a {@link Failure}; any other exception becomes `internal`.
 *
 * @example throw new PlanchetError('server.port-in-use', { address, key }, { cause: error });
 */
export class PlanchetError<Id extends ErrorId = ErrorId> extends Error {
  override readonly name = 'PlanchetError';
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly detail: Failure['detail'];
  readonly retryable: Failure['retryable'];
  readonly id: string | undefined;
  readonly values: Failure['values'];

  /** @param id entry of the catalogue; its placeholders name the values that are required */
  constructor(id: Id, ...args: ErrorArguments<Id>);
  /** A failure that arrived from elsewhere, as an exception again. */
  constructor(failure: Failure, options?: Pick<Options, 'cause'>);
  constructor(first: ErrorId | Failure, second?: unknown, third: Options = {}) {
    const { cause } = typeof first === 'object' ? ((second ?? {}) as Options) : third;
    const failure = failureFrom(first, second, third);
    super(failure.message, cause === undefined ? undefined : { cause });
    this.code = failure.code;
    this.hint = failure.hint;
    this.detail = failure.detail;
    this.retryable = failure.retryable;
    this.id = failure.id;
    this.values = failure.values;
  }

  toFailure(): Failure {
    const { code, message, hint, detail, retryable, id, values } = this;
    return {
      code,
      message,
      ...(hint !== undefined && { hint }),
      ...(detail !== undefined && { detail }),
      ...(retryable !== undefined && { retryable }),
      ...(id !== undefined && { id }),
      ...(values !== undefined && { values }),
    };
  }
}

function failureFrom(first: ErrorId | Failure, second: unknown, options: Options): Failure {
  if (typeof first === 'object') return first;
  const { detail } = options;
  const values = sendable((second ?? {}) as Record<string, Filling>);
  const entry: ErrorEntry | undefined = errorEntries[first];
  if (entry === undefined) throw new TypeError(`The error catalogue has no entry ${first}.`);
  const { message, hint } = textsOf(first, entry, values, englishText, inEnglish);
  return {
    id: first,
    code: entry.code,
    message,
    ...(hint !== undefined && { hint }),
    ...(detail !== undefined && { detail }),
    ...(entry.retryable !== undefined && { retryable: entry.retryable }),
    ...(Object.keys(values).length > 0 && { values }),
  };
}

/** Placeholders whose numbers count nothing. */
const NAMES: ReadonlySet<string> = new Set(['id', 'number', 'pid', 'port']);

/** Errors whose texts programs know that were written for older data writers, or for a node. */
const READ_BY_PROGRAMS = /^(?:write-api|rest|sandbox-api)\./;

type Causes = Extract<Filling, readonly unknown[]>;

/** Values as they are sent. Nested reasons are part of the text. */
function sendable(values: Record<string, Filling>): NonNullable<Failure['values']> {
  const causeOf = ({ message, hint, id, values: own }: Pick<Failure, keyof Cause>): Cause => ({
    message,
    ...(hint !== undefined && { hint }),
    ...(id !== undefined && { id }),
    ...(own !== undefined && {
      values: mapped(own, (value) => (isCauses(value) ? plain(value, 'message') : value)),
    }),
  });
  return mapped(values, (value) => (isCauses(value) ? value.map(causeOf) : value));
}

function mapped<From, To>(
  values: Readonly<Record<string, From>>,
  change: (value: From, name: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name)]));
}

function isCauses(value: Filling): value is Causes {
  return Array.isArray(value);
}

function plain(causes: Causes, of: 'message' | 'hint'): string {
  return causes.flatMap((cause) => cause[of] ?? []).join(' ');
}

function textsOf(
  id: ErrorId,
  texts: Pick<ErrorEntry, 'message' | 'hint'>,
  values: Readonly<Record<string, Filling>>,
  say: Say,
  write: Write,
) {
  const fill = (text: string, of: 'message' | 'hint'): string => {
    const exact = (value: Filling): Value => {
      if (isCauses(value)) return plain(value, of);
      return typeof value === 'object' ? say(value) : value;
    };
    const inWords = (value: Filling, name: string): Value =>
      Number.isInteger(value) && !NAMES.has(name) ? write(value as number) : exact(value);
    // A command is written as it is typed.
    const command = READ_BY_PROGRAMS.test(id) ? 0 : /\bplanchet [a-z]|$/.exec(text)?.index;
    return (
      fillPlaceholders(text.slice(0, command), mapped(values, inWords)) +
      fillPlaceholders(text.slice(command), mapped(values, exact))
    );
  };
  const hint = texts.hint && fill(texts.hint, 'hint').trim();
  return {
    message: fill(texts.message, 'message'),
    // The hint of a nested reason, if the reason has none.
    ...(hint && { hint }),
  };
}

/** Translates a sentence. */
export type Say = (sentence: Phrase) => string;

/** A whole number in a language. */
type Write = (number: number) => string;

function inEnglish(number: number): string {
  return number.toLocaleString('en');
}

/**
 * A failure in another language.
 * @param texts that language's catalogue; missing texts stay in English
 * @param say translates a sentence in the failure
 * @param write writes a number of its texts
 */
export function translateFailure<Sent extends Pick<Failure, keyof Cause>>(
  sent: Sent,
  texts: ErrorTexts,
  say: Say = ({ key }) => key,
  write: Write = inEnglish,
): Sent {
  const own = sent.id !== undefined && Object.hasOwn(texts, sent.id) ? texts[sent.id as ErrorId] : undefined;
  if (own === undefined) return sent;
  const inLanguage = (value: Filling): Filling =>
    isCauses(value) ? value.map((cause) => translateFailure(cause, texts, say, write)) : value;
  return { ...sent, ...textsOf(sent.id as ErrorId, own, mapped(sent.values ?? {}, inLanguage), say, write) };
}

/** A full disk has the same fix everywhere, but the file system, its quota and the database have different codes for it. */
export function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT', 'SQLITE_FULL'].includes(codeOf(error));
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code ?? '');
}

/** Codes of a database that cannot be read or written, whatever was asked of it. */
const DATABASE_REFUSALS = /^SQLITE_(?:IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB|PERM)/;

/** Turns anything thrown into a failure. Texts of unknown exceptions are written to the log only. */
export function toFailure(error: unknown): Failure {
  if (error instanceof PlanchetError) return error.toFailure();
  if (isDiskFull(error)) return new PlanchetError('general.disk-full').toFailure();
  // The database reports in a few words of its own what the system refused.
  const refusal = DATABASE_REFUSALS.test(codeOf(error)) ? (error as Error).message : undefined;
  if (refusal !== undefined) return new PlanchetError('store.failed-open', { reason: refusal }).toFailure();
  return new PlanchetError('general.internal').toFailure();
}
