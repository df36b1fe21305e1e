import { addTexts } from '../../i18n/index.ts';
import texts from './en.json' with { type: 'json' };

declare module '../../i18n/index.ts' {
  interface Texts {
    networks: typeof texts;
  }
}

// They come with the page of a network, and not with the first script.
addTexts({ networks: texts });
