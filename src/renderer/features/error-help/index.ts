import { type Feature, view } from '../../lib/feature.ts';
import texts from './en.json' with { type: 'json' };
import { useFindableErrors } from './findable.tsx';

declare module '../../i18n/index.ts' {
  interface Texts {
    errorHelp: typeof texts;
  }
}

/** Explanations of the error codes, as in docs/errors.md. */
export const errorHelp: Feature = {
  texts: { errorHelp: texts },
  views: [view('/errors/:code', async () => (await import('./error-page.tsx')).ErrorPage)],
  useFindable: useFindableErrors,
};
