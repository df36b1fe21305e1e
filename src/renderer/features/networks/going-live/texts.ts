import { addTexts } from '../../../i18n/index.ts';
import texts from './en.json' with { type: 'json' };

declare module '../../../i18n/index.ts' {
  interface Texts {
    goingLive: typeof texts;
  }
}

// Loaded with the steps, to keep them out of the first script.
addTexts({ goingLive: texts });
