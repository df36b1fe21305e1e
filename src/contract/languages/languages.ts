/**
 * Languages of the program. English is what the others are measured by; each other one is a folder here, with the same files as `de`, and its
 * name in this line.
 */
export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];
