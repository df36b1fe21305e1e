import type { Texts } from './index.ts';

/** The keys of every text, joined by dots, with the form of the plural: `app.running.progress_one`. */
type Written<Group> = {
  [Key in keyof Group & string]: Group[Key] extends string ? Key : `${Key}.${Written<Group[Key]>}`;
}[keyof Group & string];

type WrittenKey = Written<Texts>;

/** The key of a text with a singular and a plural form. `t()` takes it with `count` only. */
export type CountedKey = WrittenKey extends infer Key
  ? Key extends `${infer Name}_${'one' | 'other'}`
    ? Name
    : never
  : never;

/** A key that `t()` takes: without the suffix of the plural form. */
export type TextKey = Exclude<WrittenKey, `${string}_${'one' | 'other'}`> | CountedKey;

/** Values of the placeholders of a text by name, and the language if it is not the page's (`lng`). */
export type TextValues = { readonly [placeholder: string]: string | number | null | undefined };
