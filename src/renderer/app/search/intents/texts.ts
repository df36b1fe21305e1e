import { addTexts } from '../../../i18n/index.ts';
import texts from './en.json' with { type: 'json' };

declare module '../../../i18n/index.ts' {
  interface Texts {
    intents: typeof texts;
  }
}

// They come when the search is opened, and not with the first script of the page.
addTexts({ intents: texts });
