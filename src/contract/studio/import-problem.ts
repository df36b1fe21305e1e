import { type Phrase, type PhraseValues, phrase, phraseText } from '../phrases/phrase.ts';
import { type ImportProblemCode, importProblemTexts } from './import-problems.ts';

/** Texts for a problem in other languages than that of its message. */
export function problemPhrase({ code, values }: { code: ImportProblemCode; values: PhraseValues }): Phrase {
  return phrase(`import.${code}`, values);
}

/** Creates a problem from its code. */
export function importProblem(
  code: ImportProblemCode,
  given: PhraseValues = {},
  at: { row?: number | null; file?: string | null; field?: string | null } = {},
) {
  const values = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, shorten(value)]));
  return {
    row: at.row ?? null,
    file: at.file ?? null,
    code,
    message: phraseText(problemPhrase({ code, values })),
    values,
    severity: importProblemTexts[code].severity,
    field: at.field ?? null,
  };
}

/** Values come from foreign files and may be of any length. */
function shorten(value: PhraseValues[string]): PhraseValues[string] {
  if (typeof value !== 'string' || value.length <= 120) return value;
  return `${value.slice(0, 117).toWellFormed()}…`;
}
