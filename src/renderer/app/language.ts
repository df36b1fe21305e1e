import { useEffect } from 'react';
import { type Language, languages, type Snapshot } from '../../contract/index.ts';
import type { Catalogue } from '../../contract/languages/catalogue.ts';
import { useConnection } from '../api/connection/connection.ts';
import { useLive } from '../api/live/live-store.ts';
import { i18n } from '../i18n/index.ts';

type Choice = Snapshot['language'];

/** The host keeps the choice; this copy is there before the host has answered. */
const STORED = 'planchet-language';

/** The first language that the person prefers and the page has, else English. @param preferred as the browser lists them: `de-AT` */
export function languageOf(choice: Choice, preferred: readonly string[]): Language {
  if (choice !== 'system') return choice;
  const known = preferred.map((tag) => languages.find((language) => language === tag.toLowerCase().split('-')[0]));
  return known.find((language) => language !== undefined) ?? 'en';
}

/** Loads the texts of a language beside English. */
async function loadLanguage(language: Exclude<Language, 'en'>): Promise<void> {
  const [texts, { addLanguage }] = await Promise.all([
    import(`../../contract/languages/${language}/catalogue.ts`) as Promise<{ default: Catalogue }>,
    import('../i18n/languages.ts'),
  ]);
  addLanguage(language, texts.default);
}

/** Shows the page in a language, whose texts are loaded first. Where they cannot be loaded the page stays as it is. */
async function show(choice: Choice): Promise<void> {
  const language = languageOf(choice, navigator.languages);
  if (language !== 'en') {
    try {
      await loadLanguage(language);
    } catch {
      return;
    }
    // Another choice was made while the texts were on their way.
    if (languageOf(useLive.getState().language, navigator.languages) !== language) return;
  }
  await i18n.changeLanguage(language);
  document.documentElement.lang = language;
}

/** The language of the last visit, so that nothing is drawn in another one first. */
export async function startLanguage(): Promise<void> {
  const stored = ['system', ...languages].find((choice) => choice === localStorage.getItem(STORED)) as
    | Choice
    | undefined;
  useLive.setState({ language: stored ?? 'system' });
  await show(stored ?? 'system');
}

/** Shows the language that the host keeps, as soon as it changes. */
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
