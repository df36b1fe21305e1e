import { addTexts } from '../../../i18n/index.ts';
import texts from './en.json' with { type: 'json' };

declare module '../../../i18n/index.ts' {
  interface Texts {
    tokenSheet: typeof texts;
  }
}

// They come with the view of tokens, and not with the first script of the page.
addTexts({ tokenSheet: texts });
