import { type LogLine, logLevels } from '../../../../contract/index.ts';

export interface LogFilter {
  /** The lowest severity that is shown. */
  readonly level: LogLine['level'];
  /** Empty shows every part. */
  readonly part: string;
  readonly text: string;
}

/** The lines that match a filter, in the order they were written. */
export function filterLines(newestFirst: readonly LogLine[], { level, part, text }: LogFilter): LogLine[] {
  const least = logLevels.indexOf(level);
  const wanted = text.trim().toLowerCase();
  return newestFirst
    .filter(
      (line) =>
        logLevels.indexOf(line.level) >= least &&
        (part === '' || line.part === part) &&
        (wanted === '' || `${line.part} ${line.message} ${line.detail}`.toLowerCase().includes(wanted)),
    )
    .reverse();
}

/** The parts of the program that wrote the lines. */
export function partsOf(lines: readonly LogLine[]): string[] {
  return [...new Set(lines.map(({ part }) => part))].filter((part) => part !== '').sort();
}

/** A line as text for the clipboard. */
export function textOf({ at, level, part, message, detail }: LogLine): string {
  return [new Date(at).toISOString(), level, part, message, detail].filter((text) => text !== '').join(' ');
}
