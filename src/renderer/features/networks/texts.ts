import { addTexts } from '../../i18n/index.ts';
import texts from './en.json' with { type: 'json' };

declare module '../../i18n/index.ts' {
  interface Texts {
    networks: typeof texts;
  }
}

// Loaded with the page of a network, to keep them out of the first script.
addTexts({ networks: texts });
