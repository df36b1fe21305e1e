import { addTexts } from '../../i18n/index.ts';
import texts from './en.json' with { type: 'json' };

declare module '../../i18n/index.ts' {
  interface Texts {
    costAdvice: typeof texts;
  }
}

// They come with the views that show a plan, and not with the first script of the page.
addTexts({ costAdvice: texts });
