import { describe, expect, it } from 'vitest';
import { acceptedHosts, areaOf } from './request-checks.ts';

describe('the area of a request target', () => {
  it.each([
    ['/api', 'api'],
    ['/api/wallet/status?x=1', 'api'],
    ['/session', 'session'],
    ['/session?x=/api/', 'session'],
    ['/', 'page'],
    ['/apis', 'page'],
    ['/session/x', 'page'],
    ['/wallet?/session', 'page'],
  ] as const)('%s is that of the %s', (target, area) => {
    expect(areaOf(target)).toBe(area);
  });
});

describe('acceptedHosts', () => {
  it('are the names of loopback with the port', () => {
    expect(acceptedHosts(['127.0.0.1', '::1'], 9400)).toEqual(['localhost:9400', '127.0.0.1:9400', '[::1]:9400']);
    expect(acceptedHosts(['127.8.0.1'], 9400)).toContain('127.8.0.1:9400');
  });

  it('may leave out the port a browser leaves out', () => {
    expect(acceptedHosts(['::1'], 80)).toContain('localhost');
  });
});
