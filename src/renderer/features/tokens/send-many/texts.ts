import { addTexts } from '../../../i18n/index.ts';
import texts from './en.json' with { type: 'json' };

declare module '../../../i18n/index.ts' {
  interface Texts {
    sendMany: typeof texts;
  }
}

// Loaded with the page of many receivers, not with the first script of the page.
addTexts({ sendMany: texts });
