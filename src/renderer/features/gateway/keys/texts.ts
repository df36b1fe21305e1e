import { addTexts } from '../../../i18n/index.ts';
import texts from './en.json' with { type: 'json' };

declare module '../../../i18n/index.ts' {
  interface Texts {
    keyUsage: typeof texts;
  }
}

// They come with the list of keys, and not with the first script.
addTexts({ keyUsage: texts });
