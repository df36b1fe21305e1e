import { describe, expect, it } from 'vitest';
import { menuTemplate } from './menu.ts';

describe('menuTemplate', () => {
  const roles = (platform: NodeJS.Platform, development: boolean): string =>
    JSON.stringify(menuTemplate({ platform, development }));

  it('offers developer tools in development alone', () => {
    expect(roles('linux', true)).toContain('toggleDevTools');
    expect(roles('linux', false)).not.toMatch(/toggleDevTools|reload/);
  });

  it('has the application menu on macOS, and a way to quit everywhere', () => {
    expect(roles('darwin', false)).toContain('appMenu');
    expect(roles('win32', false)).toContain('quit');
  });
});
