import { addTexts } from '../../../i18n/index.ts';
import texts from './en.json' with { type: 'json' };

declare module '../../../i18n/index.ts' {
  interface Texts {
    withoutNode: typeof texts;
  }
}

// Loaded with the gateway's views, to keep them out of the first script.
addTexts({ withoutNode: texts });
