/** Languages of the page. English is what the others are measured by. */
export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];
