import 'i18next';
import type { Texts } from './index.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation';
    returnNull: false;
    resources: { translation: Texts };
  }
}
