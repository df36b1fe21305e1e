import { ORPCError } from '@orpc/client';
import { describe, expect, it } from 'vitest';
import { failureOf, isUnauthorized, mayPass } from './failure.ts';

describe('failureOf', () => {
  it('returns the failure of the host unchanged', () => {
    const data = { code: 'file-empty', message: 'The file is empty.', hint: 'Choose another.', detail: { bytes: 0 } };
    expect(failureOf(new ORPCError('FAILED', { defined: true, status: 422, data }))).toEqual(data);
  });

  it('returns a plain sentence for any other error', () => {
    expect(failureOf(new ORPCError('UNAUTHORIZED')).code).toBe('unauthorized');
    expect(failureOf(new ORPCError('BAD_REQUEST')).code).toBe('invalid-input');
    expect(failureOf(new ORPCError('INTERNAL_SERVER_ERROR', { data: { stack: 'x' } })).code).toBe('internal');
    expect(failureOf(new DOMException('stop', 'AbortError')).code).toBe('cancelled');
    const dead = failureOf(new TypeError('Failed to fetch'));
    expect(dead.code).toBe('not-running');
    expect(dead.message).not.toContain('fetch');
    expect(dead.hint).toBeTruthy();
  });

  it('marks failures that a retry cannot fix', () => {
    const failed = (code: string) =>
      new ORPCError('FAILED', { defined: true, status: 422, data: { code, message: 'x' } });
    expect(['not-found', 'invalid-input', 'conflict'].map((code) => mayPass(failed(code)))).toEqual([
      false,
      false,
      false,
    ]);
    expect(mayPass(failed('upstream-timeout'))).toBe(true);
    expect(mayPass(new TypeError('Failed to fetch'))).toBe(true);
  });

  it('recognises a missing session by its status', () => {
    expect(isUnauthorized(new ORPCError('MALFORMED_ORPC_ERROR_RESPONSE', { status: 401 }))).toBe(true);
    expect(isUnauthorized(new TypeError('x'))).toBe(false);
  });
});
