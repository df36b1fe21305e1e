import { addTexts } from '../../../i18n/index.ts';
import texts from './en.json' with { type: 'json' };

declare module '../../../i18n/index.ts' {
  interface Texts {
    goingLive: typeof texts;
  }
}

// They come with the steps, and not with the first script of the page.
addTexts({ goingLive: texts });
