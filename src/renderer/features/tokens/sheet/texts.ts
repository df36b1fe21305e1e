import { addTexts } from '../../../i18n/index.ts';
import texts from './en.json' with { type: 'json' };

declare module '../../../i18n/index.ts' {
  interface Texts {
    tokenSheet: typeof texts;
  }
}

// Loaded with the view of tokens, not with the first script of the page.
addTexts({ tokenSheet: texts });
