import { addTexts } from '../../../i18n/index.ts';
import texts from './en.json' with { type: 'json' };

declare module '../../../i18n/index.ts' {
  interface Texts {
    rehearsal: typeof texts;
  }
}

// They come with the plan of a mint, and not with the first script.
addTexts({ rehearsal: texts });
