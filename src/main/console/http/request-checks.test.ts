import { describe, expect, it } from 'vitest';
import { acceptedHosts } from './request-checks.ts';

describe('acceptedHosts', () => {
  it('are the names of loopback with the port', () => {
    expect(acceptedHosts(['127.0.0.1', '::1'], 9400)).toEqual(['localhost:9400', '127.0.0.1:9400', '[::1]:9400']);
    expect(acceptedHosts(['127.8.0.1'], 9400)).toContain('127.8.0.1:9400');
  });

  it('may leave out the port a browser leaves out', () => {
    expect(acceptedHosts(['::1'], 80)).toContain('localhost');
  });
});
