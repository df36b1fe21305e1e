import { createInstance, type FormatterModule } from 'i18next';
import { initReactI18next } from 'react-i18next';
import { decimal } from '../lib/format.ts';
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

/** Values whose numbers count nothing. They are looked up, so they are written as they are. */
const NAMES: ReadonlySet<unknown> = new Set(['code', 'pid', 'port', 'version']);

/** Writes the numbers in texts with the separators of the language. */
const numbers: FormatterModule = {
  type: 'formatter',
  init() {},
  add() {},
  addCached() {},
  format: (value, _, language = 'en', options) =>
    typeof value === 'number' && !NAMES.has(options?.interpolationkey) ? decimal(language, 3).format(value) : value,
};

void i18n
  .use(initReactI18next)
  .use(numbers)
  .init({
    lng: 'en',
    fallbackLng: 'en',
    resources: { en: { translation: shared } },
    // React escapes what it renders.
    interpolation: { escapeValue: false, alwaysFormat: true },
    initAsync: false,
  });

/** Adds texts, of a feature or of a whole language. @param texts by their first key */
export function addTexts(texts: Readonly<Record<string, object>>, language = 'en'): void {
  i18n.addResourceBundle(language, 'translation', texts, true, true);
}
