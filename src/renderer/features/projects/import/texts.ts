import { addTexts } from '../../../i18n/index.ts';
import texts from './en.json' with { type: 'json' };

declare module '../../../i18n/index.ts' {
  interface Texts {
    import: typeof texts;
  }
}

// Loaded with the views that show them, not with the first script of the page.
addTexts({ import: texts });
