import { expect } from 'vitest';
import * as token from '../index.ts';

const exported: Readonly<Record<string, unknown>> = { ...token };

/** Code, field and numbers of the error; the message is shown where there is none. */
export function refusal(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    if (!(error instanceof token.TokenError)) throw error;
    expect(error.message.length).toBeGreaterThan(10);
    // the class a caller catches is the one it is named after, and exported
    expect(error).toBeInstanceOf(exported[error.name] as typeof token.TokenError);
    return [error.code, error.field, error.numbers];
  }
  return 'nothing was refused';
}

/** Parameters with others in their place, of whatever type. */
export function changed<T extends object>(base: T, change: Record<string, unknown>): T {
  return { ...base, ...change };
}
