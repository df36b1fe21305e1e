import { comparable, extensionOf, type ImportFile, stemOf } from '../model.ts';
import { lastPart } from './match.ts';

/** Most values of a column that are sampled. */
const SAMPLE = 500;

/** Characters of a path at most. */
const MAX_NAME = 1_024;

/** Names of the files that were brought, as columns may spell them. */
export class FileNames {
  readonly #names: ReadonlySet<string>;
  readonly #stems: ReadonlySet<string>;

  constructor(files: readonly ImportFile[]) {
    this.#names = new Set(files.map(({ path }) => comparable(lastPart(path))));
    this.#stems = new Set(files.map(({ path }) => comparable(stemOf(lastPart(path)))));
  }

  /** Whether most of a column's values name a file, in any way that rows find their files by. */
  areMostIn(values: readonly string[]): boolean {
    const sample = spread(values);
    const hits = sample.filter((value) => this.#fileOf(value) !== undefined).length;
    return hits * 2 > sample.length;
  }

  /**
   * How many files a column names, though its header does not say that it names files; 0 if most of its values name none. Digits alone are not
   * taken as names: they may be ranks, levels, or numbers that start from another one than those of the files.
   * @param onlyWhole only names with an extension count, as in a column that has another meaning by its header
   */
  distinctIn(values: readonly string[], onlyWhole: boolean): number {
    const sample = spread(values);
    const stems = new Set<string>();
    const whole = new Set<string>();
    let hits = 0;
    for (const value of sample) {
      // No file name is that long, and the pattern would take quadratic time.
      if (value.length > MAX_NAME) continue;
      const isWhole = /\.[^.]*\p{L}[^.]*$/u.test(value);
      const file = isWhole || !(onlyWhole || /^[\s\d.,]+$/.test(value)) ? this.#fileOf(value) : undefined;
      if (file === undefined) continue;
      hits++;
      (isWhole ? whole : stems).add(file);
    }
    // Repeating words are a trait, even if pictures are named after them.
    const repeats = stems.size > whole.size && stems.size * 2 <= sample.length;
    return hits * 2 > sample.length && !repeats ? whole.size + stems.size : 0;
  }

  /** The compared part of the name of the file that a value names. */
  #fileOf(value: string): string | undefined {
    const name = comparable(lastPart(value));
    if (name === '') return undefined;
    const stem = extensionOf(name) === '' ? name : stemOf(name);
    return this.#names.has(name) || this.#stems.has(stem) ? stem : undefined;
  }
}

/** Values from all over a column: the first rows of a table are often of one kind. */
function spread(values: readonly string[]): readonly string[] {
  if (values.length <= SAMPLE) return values;
  return Array.from({ length: SAMPLE }, (_, n) => values[Math.floor((n * values.length) / SAMPLE)] as string);
}
