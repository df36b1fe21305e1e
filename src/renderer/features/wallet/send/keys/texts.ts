import { addTexts } from '../../../../i18n/index.ts';
import texts from './en.json' with { type: 'json' };

declare module '../../../../i18n/index.ts' {
  interface Texts {
    paymailKeys: typeof texts;
  }
}

// Loaded with the page of a payment, not with the first script of the page.
addTexts({ paymailKeys: texts });
