import { addTexts } from '../../../i18n/index.ts';
import texts from './en.json' with { type: 'json' };

declare module '../../../i18n/index.ts' {
  interface Texts {
    rehearsal: typeof texts;
  }
}

// Loaded with the plan of a mint, not with the first script of the page.
addTexts({ rehearsal: texts });
