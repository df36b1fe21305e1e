import { addTexts } from '../../../../i18n/index.ts';
import texts from './en.json' with { type: 'json' };

declare module '../../../../i18n/index.ts' {
  interface Texts {
    paymailKeys: typeof texts;
  }
}

// They come with the page of a payment, and not with the first script.
addTexts({ paymailKeys: texts });
