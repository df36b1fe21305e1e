import { addTexts } from '../../../i18n/index.ts';
import texts from './en.json' with { type: 'json' };

declare module '../../../i18n/index.ts' {
  interface Texts {
    import: typeof texts;
  }
}

// They come with the views that show them, and not with the first script.
addTexts({ import: texts });
