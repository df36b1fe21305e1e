/**
 * Languages of the program. English is the reference. Each other language is a folder here, with the same files as `de`, and its
 * name in this line.
 */
export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];
