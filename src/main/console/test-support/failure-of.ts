import { isDefinedError } from '@orpc/client';
import { expect } from 'vitest';
import { type Failure, failureSchema } from '../../../contract/index.ts';

/** The failure with which a call of the contract ends. @throws what the call threw if it is none, or that it did not fail */
export async function failureOf(call: Promise<unknown>): Promise<Failure> {
  const error: unknown = await call.then(
    () => new Error('it should have failed'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Error && isDefinedError(error))) throw error;
  expect(error).toMatchObject({ code: 'FAILED' });
  return failureSchema.parse((error as { data?: unknown }).data);
}
