import { describe, expect, it } from 'vitest';
import { ElectronDouble } from '../test-support/electron-double.ts';
import { textsIn } from '../texts/texts.ts';
import { ExternalLinks, externalUrl } from './external-links.ts';

describe('externalUrl', () => {
  it.each(['https://example.org/a?b#c', 'http://localhost:9400/', 'http://127.0.0.1:8080/x', 'http://[::1]/'])(
    'accepts %s',
    (url) => {
      expect(externalUrl(url)?.href).toBe(url);
    },
  );

  it.each([
    'http://example.org/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'smb://host/share',
    'ms-msdt:/id',
    'planchet://app/',
    'https://user:password@example.org/',
    'https://name@example.org/',
    `https://example.org/${'a'.repeat(2_048)}`,
    '\\\\host\\share',
    '',
  ])('refuses %s', (url) => {
    expect(externalUrl(url)).toBeUndefined();
  });
});

describe('ExternalLinks', () => {
  it('opens an address after the person saw it in full and agreed', async () => {
    const electron = new ElectronDouble();
    expect(await new ExternalLinks(electron.api, () => textsIn('en')).open('https://example.org/a')).toBe(true);
    expect(electron.questions).toMatchObject([{ detail: 'https://example.org/a' }]);
    expect(electron.opened).toEqual(['https://example.org/a']);
  });

  it('opens nothing without consent, asks nothing for a forbidden address, and asks once at a time', async () => {
    const electron = new ElectronDouble();
    electron.answer = 1;
    const links = new ExternalLinks(electron.api, () => textsIn('en'));
    expect(await links.open('file:///bin/sh')).toBe(false);
    expect(electron.questions).toHaveLength(0);
    expect(await Promise.all([links.open('https://a.example/'), links.open('https://b.example/')])).toEqual([
      false,
      false,
    ]);
    expect(electron.questions).toHaveLength(1);
    expect(electron.opened).toEqual([]);
  });
});
