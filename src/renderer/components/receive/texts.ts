import { addTexts } from '../../i18n/index.ts';
import texts from './en.json' with { type: 'json' };

declare module '../../i18n/index.ts' {
  interface Texts {
    payFromApp: typeof texts;
  }
}

// They come with the views that take money, and not with the first script of the page.
addTexts({ payFromApp: texts });
