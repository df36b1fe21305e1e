import { addTexts } from '../../../i18n/index.ts';
import texts from './en.json' with { type: 'json' };

declare module '../../../i18n/index.ts' {
  interface Texts {
    withoutNode: typeof texts;
  }
}

// They come with the gateway's views, and not with the first script.
addTexts({ withoutNode: texts });
