import type { Texts } from './index.ts';

/** The keys of every text, joined by dots, with the form of the plural: `app.running.progress_one`. */
type Written<Group> = {
  [Key in keyof Group & string]: Group[Key] extends string ? Key : `${Key}.${Written<Group[Key]>}`;
}[keyof Group & string];

type WrittenKey = Written<Texts>;

/** The key of a text with a form for one thing and a form for several. `t()` takes it with `count` only. */
export type CountedKey = WrittenKey extends infer Key
  ? Key extends `${infer Name}_${'one' | 'other'}`
    ? Name
    : never
  : never;

/** What `t()` takes: the key of a text, without the form of the plural. */
export type TextKey = Exclude<WrittenKey, `${string}_${'one' | 'other'}`> | CountedKey;

/** What stands in the placeholders of a text, by their names, and the language where it is not the page's (`lng`). */
export type TextValues = { readonly [placeholder: string]: string | number | null | undefined };
