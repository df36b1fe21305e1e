import 'i18next';
import type { CountedKey, TextKey, TextValues } from './text-keys.ts';

/**
 * `t()` as this page uses it: a key that exists, and values. It is declared before the library's own overload, which computes the keys again at
 * each of two thousand calls: three quarters of the type check. The library's overload takes functions in this mode, so no other call matches it.
 */
declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation';
    enableSelector: true;
    resources: { translation: Record<never, string> };
    returnNull: false;
  }

  interface TFunction<Ns extends Namespace, KPrefix> {
    (key: Exclude<TextKey, CountedKey>, values?: TextValues): string;
    (key: TextKey, values: TextValues & { readonly count: number }): string;
  }
}
