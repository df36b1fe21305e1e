import type { ErrorCode } from './codes.ts';

/** One message of the catalogue. `{name}` in a text is a placeholder. */
export interface ErrorEntry {
  readonly code: ErrorCode;
  /** What happened, and why. */
  readonly message: string;
  /** The fix. If an entry has none, the hint of its code applies. */
  readonly hint?: string;
  /** HTTP status, if it differs from that of its code. */
  readonly httpStatus?: number;
  /** Exit code, if it differs from that of its code. */
  readonly exitCode?: number;
  /** Whether a retry can help, if that differs from its code. */
  readonly retryable?: boolean;
}

/** An area's messages by id: `gateway.no-upstream`. */
export type ErrorEntries = Readonly<Record<string, ErrorEntry>>;

/** The names between braces in a text: `Placeholders<'{a} of {b}'>` is `'a' | 'b'`. */
export type Placeholders<Text> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never;

export type Value = string | number;

/** Fills the placeholders of a text. A placeholder without a value is left as it is. A value that ends its sentence does not get a second full stop. */
export function fillPlaceholders(text: string, values: Readonly<Record<string, Value>>): string {
  return text.replace(/\{(\w+)\}(\.?)/g, (placeholder, name: string, stop: string) => {
    const value = values[name];
    if (value === undefined) return placeholder;
    return /[.!?…]$/.test(String(value)) ? String(value) : `${value}${stop}`;
  });
}
