import { addTexts } from '../../../i18n/index.ts';
import texts from './en.json' with { type: 'json' };

declare module '../../../i18n/index.ts' {
  interface Texts {
    faultHints: typeof texts;
  }
}

// They come with the list of faults, and not with the first script of the page.
addTexts({ faultHints: texts });
