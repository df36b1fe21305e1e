import { useEffect } from 'react';
import { type Language, languages, type Snapshot } from '../../contract/index.ts';
import type { Catalogue } from '../../contract/languages/catalogue.ts';
import { useConnection } from '../api/connection/connection.ts';
import { useLive } from '../api/live/live-store.ts';
import { i18n } from '../i18n/index.ts';

type Choice = Snapshot['language'];

/** The host stores the choice. This copy is available before the host has replied. */
const STORED = 'planchet-language';

/** The first of the person's preferred languages that the page has, else English. @param preferred as the browser lists them: `de-AT` */
export function languageOf(choice: Choice, preferred: readonly string[]): Language {
  if (choice !== 'system') return choice;
  const known = preferred.map((tag) => languages.find((language) => language === tag.toLowerCase().split('-')[0]));
  return known.find((language) => language !== undefined) ?? 'en';
}

/** Loads the texts of a language other than English. */
async function loadLanguage(language: Exclude<Language, 'en'>): Promise<void> {
  const [texts, { addLanguage }] = await Promise.all([
    import(`../../contract/languages/${language}/catalogue.ts`) as Promise<{ default: Catalogue }>,
    import('../i18n/languages.ts'),
  ]);
  addLanguage(language, texts.default);
}

/** Switches the page to a language after loading its texts. If they cannot be loaded, the page does not change. */
async function show(choice: Choice): Promise<void> {
  const language = languageOf(choice, navigator.languages);
  if (language !== 'en') {
    try {
      await loadLanguage(language);
    } catch {
      return;
    }
    // Another language was chosen while the texts were loading.
    if (languageOf(useLive.getState().language, navigator.languages) !== language) return;
  }
  await i18n.changeLanguage(language);
  document.documentElement.lang = language;
}

/** The language of the last visit, so that nothing is rendered in another one first. */
export async function startLanguage(): Promise<void> {
  const stored = ['system', ...languages].find((choice) => choice === localStorage.getItem(STORED)) as
    | Choice
    | undefined;
  useLive.setState({ language: stored ?? 'system' });
  await show(stored ?? 'system');
}

/** Follows the language stored on the host. */
export function LanguageSync() {
  const choice = useLive((state) => state.language);
  const known = useConnection((state) => state.phase === 'live');
  useEffect(() => {
    if (!known) return;
    localStorage.setItem(STORED, choice);
    void show(choice);
  }, [known, choice]);
  return null;
}
