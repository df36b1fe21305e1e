import { addTexts } from '../../i18n/index.ts';
import texts from './en.json' with { type: 'json' };

declare module '../../i18n/index.ts' {
  interface Texts {
    payFromApp: typeof texts;
  }
}

// Loaded with the views that receive money, to keep them out of the first script.
addTexts({ payFromApp: texts });
