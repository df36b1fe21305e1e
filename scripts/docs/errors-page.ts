/** Writes docs/errors.md from the error catalogue: `npm run docs:errors`. With `--check` it only compares. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  codeTexts,
  type ErrorCode,
  type ErrorEntry,
  errorClasses,
  errorCodes,
  errorEntries,
} from '../../src/contract/index.ts';
import { root } from '../paths.ts';

export const errorsPagePath = join(root, 'docs', 'errors.md');

const HEAD = `# Errors

<!-- Written by \`npm run docs:errors\` from the catalogue in \`src/contract/errors\`. Do not edit by hand. -->

Every failure has a code, a message and a hint. Scripts can rely on the code (\`--json\` prints it as \`error.code\`); messages may be
reworded. Words in braces stand for a value.
`;

/** Messages that consist of a text from another part only. */
const PASSES_ON = /^\{\w+\}$/;

/** The complete page as Markdown: one section for each code, in the order of the table of codes. */
export function errorsPage(): string {
  return [HEAD, ...errorCodes.map(sectionOf)].join('\n');
}

function sectionOf(code: ErrorCode): string {
  const { httpStatus, exitCode, retryable } = errorClasses[code];
  const { meaning, hint } = codeTexts[code];
  const entries = Object.values<ErrorEntry>(errorEntries).filter(
    (entry) => entry.code === code && !PASSES_ON.test(entry.message),
  );
  const rows = [...new Set(entries.map(rowOf))];
  const table = rows.length === 0 ? '' : `\n| Message | What to do |\n| --- | --- |\n${rows.join('\n')}\n`;
  return `## ${code}\n\n${meaning} ${hint}\n\nHTTP status ${httpStatus}, exit code ${exitCode}.${retryable ? ' The same request may succeed later.' : ''}\n${table}`;
}

function rowOf({ code, message, hint }: ErrorEntry): string {
  return `| ${escaped(message)} | ${escaped((hint ?? codeTexts[code].hint).replace('{suggestion}', ''))} |`;
}

/** Escapes `|` and `<`, which have a meaning in a table of Markdown. */
function escaped(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}

if (process.argv[1] === import.meta.filename) {
  if (!process.argv.includes('--check')) writeFileSync(errorsPagePath, errorsPage());
  else if (readFileSync(errorsPagePath, 'utf8') !== errorsPage()) {
    console.error('docs/errors.md is not current: npm run docs:errors');
    process.exitCode = 1;
  }
}
