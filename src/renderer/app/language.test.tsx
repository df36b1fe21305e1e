import { act, screen } from '@testing-library/react';
import { useTranslation } from 'react-i18next';
import { afterEach, describe, expect, it } from 'vitest';
import german from '../../contract/languages/de/catalogue.ts';
import { useConnection } from '../api/connection/connection.ts';
import { useLive } from '../api/live/live-store.ts';
import { i18n } from '../i18n/index.ts';
import { addLanguage } from '../i18n/languages.ts';
import { shownMinerName } from '../i18n/phrases.ts';
import { formatBytes, formatInteger } from '../lib/format.ts';
import { renderPart } from '../test-support/render.tsx';
import { LanguageSync, languageOf } from './language.ts';

afterEach(async () => {
  useConnection.setState(useConnection.getInitialState(), true);
  await act(() => i18n.changeLanguage('en'));
  document.documentElement.lang = 'en';
});

describe('the language of the page', () => {
  it('is the chosen one, or the first preferred one that exists', () => {
    expect(languageOf('system', ['de-AT', 'en'])).toBe('de');
    expect(languageOf('system', ['fr', 'DE', 'en-GB'])).toBe('de');
    expect(languageOf('system', ['fr', 'en-GB', 'de'])).toBe('en');
    expect(languageOf('system', ['fr'])).toBe('en');
    expect(languageOf('system', [])).toBe('en');
    expect(languageOf('en', ['de'])).toBe('en');
    expect(languageOf('de', ['en'])).toBe('de');
  });

  it('changes at once with the setting on the host, including number formats', async () => {
    function Words() {
      const { t, i18n: own } = useTranslation();
      return (
        <p>{`${t('common.cancel')} ${formatInteger(1_250, own.language)} ${formatBytes(41_200, own.language)}`}</p>
      );
    }
    renderPart(
      <>
        <LanguageSync />
        <Words />
      </>,
    );
    expect(screen.getByText('Cancel 1,250 41.2 kB')).toBeTruthy();
    act(() => useConnection.setState({ phase: 'live' }));
    act(() => useLive.setState({ language: 'de' }));
    // The German texts are loaded first, which takes a while on a busy machine.
    expect(await screen.findByText('Abbrechen 1.250 41,2 kB')).toBeTruthy();
    expect(document.documentElement.lang).toBe('de');
    act(() => useLive.setState({ language: 'en' }));
    expect(await screen.findByText('Cancel 1,250 41.2 kB')).toBeTruthy();
    expect(document.documentElement.lang).toBe('en');
  });

  it.each([
    ['en', '10,000 items', '1,500 of 10,000'],
    ['de', '10.000 Stücke', '1.500 von 10.000'],
  ])('separates the digits of counts in %s, but not those of names', async (language, items, amount) => {
    addLanguage('de', german);
    await act(() => i18n.changeLanguage(language));
    expect(i18n.t('projects.itemsCount', { count: 10_000 })).toBe(items);
    expect(i18n.t('mint.work.amount', { n: 1_500, total: 10_000 })).toBe(amount);
    expect(i18n.t('services.portInUse', { port: 18_332, service: 'x' })).toContain('Port 18332 ');
    expect(i18n.t('gateway.nodeError', { code: -32_601 })).toContain('-32601');
  });

  it('applies to the name of the built-in miner, but not to names given by a person', async () => {
    addLanguage('de', german);
    await act(() => i18n.changeLanguage('de'));
    expect([shownMinerName('Default'), shownMinerName('Taal')]).toEqual(['Standard', 'Taal']);
    await act(() => i18n.changeLanguage('en'));
    expect(shownMinerName('Default')).toBe('Default');
  });
});
