import type { Clock } from '../../ports/clock.ts';
import type { HistoryRow, TransactionSource } from '../sources/transaction-source.ts';

/** How often a second operator is asked for a history: it costs it a request for each address. */
const SECOND_OPINION_MS = 600_000;

interface Reading {
  readonly source: TransactionSource;
  readonly at: number;
  readonly addresses: ReadonlySet<string>;
  readonly rows: readonly HistoryRow[];
}

/**
 * The histories of addresses as several operators tell them: the first that answers each time, the others in long intervals and for addresses that
 * they were not asked for. A row that one of them hides is told by another.
 */
export class Histories {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #readings = new Map<string, Reading>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** @returns the union of all rows, how many operators told them, and why others did not */
  async read(
    sources: readonly TransactionSource[],
    addresses: readonly string[],
    signal?: AbortSignal,
  ): Promise<{ rows: HistoryRow[]; operators: number; failures: string[] }> {
    const failures: string[] = [];
    let isFirst = true;
    for (const source of sources) {
      if (!isFirst && this.#isRecent(source, addresses)) continue;
      const at = this.#clock.now();
      const answer = await source.history(addresses, signal);
      if (answer.state !== 'present') {
        failures.push(`${source.name}: ${answer.reason}`);
        continue;
      }
      isFirst = false;
      this.#readings.set(source.name, { source, at, addresses: new Set(addresses), rows: answer.value });
    }
    const told = sources.flatMap((source) =>
      this.#isRecent(source, addresses) ? (this.#readings.get(source.name) ?? []) : [],
    );
    const operators = new Set(told.map(({ source }) => source.operator)).size;
    return { rows: told.flatMap(({ rows }) => rows), operators: isFirst ? 0 : operators, failures };
  }

  #isRecent({ name }: TransactionSource, addresses: readonly string[]): boolean {
    const reading = this.#readings.get(name);
    if (reading === undefined || this.#clock.now() - reading.at >= SECOND_OPINION_MS) return false;
    return addresses.every((address) => reading.addresses.has(address));
  }
}
