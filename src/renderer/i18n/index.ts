import { createInstance } from 'i18next';
import { initReactI18next } from 'react-i18next';
import common from './en/common.json' with { type: 'json' };
import failure from './en/failure.json' with { type: 'json' };
import review from './en/review.json' with { type: 'json' };
import services from './en/services.json' with { type: 'json' };

const shared = { common, failure, review, services };

/**
 * The English texts by their first key. A feature adds its own in its manifest: the type here by declaration merging, the texts at run time by
 * `addTexts`. English is the reference for every other language.
 */
export interface Texts {
  common: typeof common;
  failure: typeof failure;
  review: typeof review;
  services: typeof services;
}

export const i18n = createInstance();

void i18n.use(initReactI18next).init({
  lng: 'en',
  fallbackLng: 'en',
  resources: { en: { translation: shared } },
  // React escapes what it renders.
  interpolation: { escapeValue: false },
  initAsync: false,
});

/** Adds texts, of a feature or of a whole language. @param texts by their first key */
export function addTexts(texts: Readonly<Record<string, object>>, language = 'en'): void {
  i18n.addResourceBundle(language, 'translation', texts, true, true);
}
