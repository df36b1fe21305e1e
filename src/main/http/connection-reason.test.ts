import { describe, expect, it } from 'vitest';
import { phrase } from '../../contract/index.ts';
import { connectionReason } from './connection-reason.ts';

const failed = (code: string): Error =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code }) });

describe('why no connection came about', () => {
  it.each([
    ['ENOTFOUND', 'reason.name-not-found'],
    ['EAI_AGAIN', 'reason.name-not-found'],
    ['ECONNREFUSED', 'reason.connection-refused'],
    ['UND_ERR_SOCKET', 'reason.connection-lost'],
    ['UND_ERR_CONNECT_TIMEOUT', 'reason.connection-timeout'],
    ['ENETUNREACH', 'reason.network-unreachable'],
  ] as const)('is told in words for %s, as the cause of a failed fetch or by itself', (code, key) => {
    expect(connectionReason(failed(code))).toEqual(phrase(key));
    expect(connectionReason(Object.assign(new Error('y'), { code }))).toEqual(phrase(key));
  });

  it.each(['CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'])(
    'names the fault of a certificate: %s',
    (code) => expect(connectionReason(failed(code))).toEqual(phrase('reason.certificate', { code })),
  );

  it('keeps what it has no words for', () => {
    expect(connectionReason(failed('ESOMETHING'))).toBe('ESOMETHING');
    expect(connectionReason(failed('constructor'))).toBe('constructor');
    expect(connectionReason(new Error('odd'))).toBe('odd');
    expect(connectionReason('text')).toBe('text');
    expect(connectionReason(null)).toBe('null');
  });
});
