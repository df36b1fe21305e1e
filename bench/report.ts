import type { Figure } from './support/record.ts';

/** Prints one figure. @param target in words, e.g. `at most 3 s`; figures with a target are recorded */
export type Report = (name: string, value: number, unit: string, target?: string) => void;

/** What each benchmark file exports as `run`. */
export type Benchmark = (report: Report) => Promise<void>;

/** @param figures receives the figures that have a target */
export function createReport(figures: Figure[]): Report {
  return (name, value, unit, target) => {
    const text = value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
    console.log(`  ${name.padEnd(58)} ${text.padStart(10)} ${unit.padEnd(14)} ${target ? `(target: ${target})` : ''}`);
    if (target) figures.push({ name, target, result: `${text} ${unit}` });
  };
}
