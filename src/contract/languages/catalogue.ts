import type { ErrorTexts } from '../errors/catalogue.ts';
import type { codeTexts } from '../errors/en/codes.ts';
import type { PhraseTexts } from '../phrases/phrase.ts';

/** All texts of the page in a language other than English. Missing ones stay in English. */
export interface Catalogue {
  /** Texts of the page by their first key. */
  readonly page: Readonly<Record<string, object>>;
  /** Messages and hints, by id. Those for programs and the command line stay in English. */
  readonly errors: ErrorTexts;
  /** What each code means. */
  readonly codes: typeof codeTexts;
  /** Sentences of the host by id, those of the libraries by their English text. */
  readonly phrases: PhraseTexts;
}

/** The catalogue of a folder. @param files by their path in it; the name of a file below `page` is the first key of its texts */
export function catalogueOf(files: Readonly<Record<string, unknown>>): Catalogue {
  const below = (folder: string) => Object.entries(files).filter(([path]) => path.startsWith(`./${folder}/`));
  const page = below('page').map(([path, texts]) => [/(\w+)\.json$/.exec(path)?.[1], texts]);
  return {
    page: Object.fromEntries(page),
    errors: Object.assign({}, ...below('errors').map(([, texts]) => texts)),
    codes: files['./codes.json'] as Catalogue['codes'],
    phrases: { ...(files['./phrases.json'] as PhraseTexts), ...(files['./libraries.json'] as PhraseTexts) },
  };
}
