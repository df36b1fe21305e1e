import { expect } from 'vitest';
import * as token from '../index.ts';

const exported: Readonly<Record<string, unknown>> = { ...token };

/** Code, field and numbers of the error, or its message if it has no code. */
export function refusal(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    if (!(error instanceof token.TokenError)) throw error;
    expect(error.message.length).toBeGreaterThan(10);
    expect(error.message).not.toMatch(/\{\w+\}/);
    // the class that a caller catches matches its name, and is exported
    expect(error).toBeInstanceOf(exported[error.name] as typeof token.TokenError);
    return [error.code, error.field, error.numbers];
  }
  return 'nothing was refused';
}

/** Copies parameters and replaces some, with values of any type. */
export function changed<T extends object>(base: T, change: Record<string, unknown>): T {
  return { ...base, ...change };
}
