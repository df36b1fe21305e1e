import { addTexts } from '../../../i18n/index.ts';
import texts from './en.json' with { type: 'json' };

declare module '../../../i18n/index.ts' {
  interface Texts {
    publish: typeof texts;
  }
}

// Loaded with the dialog, not with the first script of the page.
addTexts({ publish: texts });
