/** One figure of a benchmark that has a target. */
export interface Figure {
  readonly name: string;
  readonly target: string;
  /** With its unit, as printed. */
  readonly result: string;
}

const HEADER = '| claim | target | result | date | command |';

/**
 * Replaces the rows of one benchmark in the table of `docs/proofs.md`. Rows of other benchmarks and of tests stay as they are, and so does a row
 * written by hand for a benchmark without targets.
 * @param page Markdown with a table of claim, target, result, date and command
 * @param date `YYYY-MM-DD`
 * @throws Error if the page has no such table
 */
export function recordFigures(page: string, topic: string, figures: readonly Figure[], date: string): string {
  if (!page.includes(HEADER)) throw new Error(`The page has no table that begins with "${HEADER}".`);
  if (figures.length === 0) return page;
  const lines = page.split('\n');
  const header = lines.indexOf(HEADER);
  const first = header + 2;
  let end = first;
  while (lines[end]?.startsWith('|')) end++;
  const command = `\`npm run bench -- ${topic}\``;
  const isOurs = (line: string): boolean => line.endsWith(`| ${command} |`);
  const rows = figures.map(({ name, target, result }) =>
    [`| ${[name.trim(), target, result, date].map(escapeCell).join(' | ')}`, `${command} |`].join(' | '),
  );
  const old = lines.slice(first, end);
  const at = old.findIndex(isOurs);
  const others = old.filter((line) => !isOurs(line));
  const before = at < 0 ? others.length : at;
  lines.splice(first, end - first, ...others.slice(0, before), ...rows, ...others.slice(before));
  return lines.join('\n');
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|');
}
