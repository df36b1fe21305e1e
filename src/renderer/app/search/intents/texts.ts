import { addTexts } from '../../../i18n/index.ts';
import texts from './en.json' with { type: 'json' };

declare module '../../../i18n/index.ts' {
  interface Texts {
    intents: typeof texts;
  }
}

// Loaded when the search is opened, to keep them out of the first script.
addTexts({ intents: texts });
