import { addTexts } from '../../i18n/index.ts';
import texts from './en.json' with { type: 'json' };

declare module '../../i18n/index.ts' {
  interface Texts {
    drop: typeof texts;
  }
}

// They come with the views that take files, and not with the first script of the page.
addTexts({ drop: texts });
