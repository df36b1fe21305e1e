import { addTexts } from '../../../i18n/index.ts';
import texts from './en.json' with { type: 'json' };

declare module '../../../i18n/index.ts' {
  interface Texts {
    faultHints: typeof texts;
  }
}

// Loaded with the list of faults, to keep them out of the first script.
addTexts({ faultHints: texts });
