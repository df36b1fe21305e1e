import { addTexts } from '../../i18n/index.ts';
import texts from './en.json' with { type: 'json' };

declare module '../../i18n/index.ts' {
  interface Texts {
    money: typeof texts;
  }
}

addTexts({ money: texts });
