/** Prints one figure. @param target what it is held against, as words, e.g. `at most 3 s` */
export type Report = (name: string, value: number, unit: string, target?: string) => void;

/** What a file of this folder exports as `run`. */
export type Benchmark = (report: Report) => Promise<void>;

export function createReport(): Report {
  return (name, value, unit, target) => {
    const shown = value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
    console.log(`  ${name.padEnd(58)} ${shown.padStart(10)} ${unit.padEnd(14)} ${target ? `(target: ${target})` : ''}`);
  };
}
