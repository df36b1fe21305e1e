import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linkAmong, viewOfLink } from './deep-links.ts';

const txid = '5f'.repeat(32);

describe('viewOfLink', () => {
  it.each([
    ['planchet://open', '/'],
    ['planchet://open/', '/'],
    ['PLANCHET://Open/wallet', '/wallet'],
    ['planchet://open/tokens/', '/tokens'],
    [`planchet://open/tx/${txid}`, `/tx/${txid}`],
    [`planchet://open/transactions/${txid}`, `/transactions/${txid}`],
    [`planchet://open/tokens/${txid}_0`, `/tokens/${txid}_0`],
    ['planchet://open/jobs/0198d9c2-4a5b-7c1d', '/jobs/0198d9c2-4a5b-7c1d'],
  ])('opens %s', (link, view) => {
    expect(viewOfLink(link)).toBe(view);
  });

  it.each([
    ['another host', 'planchet://app/wallet'],
    ['the page itself', 'planchet://app/#/wallet'],
    ['a host that begins alike', 'planchet://opener/wallet'],
    ['a user', 'planchet://open@evil/wallet'],
    ['a port', 'planchet://open:80/wallet'],
    ['another scheme', 'https://open/wallet'],
    ['no slashes', 'planchet:open/wallet'],
    ['a view that sends', 'planchet://open/wallet/send'],
    ['a view with keys', 'planchet://open/wallet/keys'],
    ['a view that submits', 'planchet://open/transactions/submit'],
    ['a view that sends a token', `planchet://open/tokens/${txid}_0/send`],
    ['a query', 'planchet://open/settings?find=rpcPassword'],
    ['a fragment', 'planchet://open/wallet#x'],
    ['an escape', 'planchet://open/%77allet'],
    ['a way up', 'planchet://open/tokens/../wallet/send'],
    ['a double slash', 'planchet://open//wallet'],
    ['a backslash', 'planchet://open\\wallet'],
    ['a new line', 'planchet://open/wallet\n'],
    ['a space', ' planchet://open/wallet'],
    ['capitals in a txid', `planchet://open/tx/${txid.toUpperCase()}`],
    ['too much', `planchet://open/jobs/${'a'.repeat(200)}`],
    ['a quote and a switch', 'planchet://open/wallet" --no-sandbox'],
    ['nothing', ''],
  ])('refuses %s', (_what, link) => {
    expect(viewOfLink(link)).toBeUndefined();
  });

  it('lets nothing through but plain views, whatever arrives', () => {
    const part = fc.constantFrom(
      'planchet://open',
      '/',
      '..',
      'wallet',
      'send',
      '?',
      '#',
      '%2e',
      '\\',
      '@',
      ':',
      ' ',
      '\0',
      txid,
      '_1',
    );
    const anything = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.array(part).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          anything,
          anything.map((rest) => `planchet://open${rest}`),
          anything.map((rest) => `planchet://open/${rest}`),
        ),
        (link) => {
          const view = viewOfLink(link);
          if (view === undefined) return;
          expect(view).toMatch(/^\/[a-z0-9A-Z/_-]*$/);
          expect(view).not.toMatch(/\/\/|send|submit|sign|approve|keys|mint$/);
        },
      ),
      { numRuns: 5_000 },
    );
  });
});

describe('linkAmong', () => {
  it('takes the last argument that is a link', () => {
    expect(linkAmong(['/opt/planchet', '--data-dir', '/d', 'planchet://open/a', 'Planchet://open/b'])).toBe(
      'Planchet://open/b',
    );
    expect(linkAmong(['/opt/planchet', 'planchets://x', '--set=a=planchet://open'])).toBeUndefined();
  });
});
