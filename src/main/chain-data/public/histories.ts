import type { Clock } from '../../ports/clock.ts';
import type { HistoryRow, TransactionSource } from '../sources/transaction-source.ts';

/** How often a second operator is asked for a history: it costs it a request for each address. */
const SECOND_OPINION_MS = 600_000;

/** What a source told of one address. */
interface Reading {
  /** When it was asked, in milliseconds since 1970. */
  readonly at: number;
  readonly rows: readonly HistoryRow[];
}

/**
 * The histories of addresses as several operators tell them: the first that answers each time, the others for each address in long intervals. A
 * row that one of them hides is told by another.
 */
export class Histories {
  readonly #clock: Pick<Clock, 'now'>;
  /** By name of the source and address. */
  readonly #readings = new Map<string, Map<string, Reading>>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** @returns the union of all rows, how many operators told of all addresses, none where nobody answers, and why others did not */
  async read(
    sources: readonly TransactionSource[],
    addresses: readonly string[],
    signal?: AbortSignal,
  ): Promise<{ rows: HistoryRow[]; operators: number; failures: string[] }> {
    const failures: string[] = [];
    const operators = new Set<string>();
    const rows: HistoryRow[] = [];
    let hasAnswer = false;
    for (const source of sources) {
      const readings = this.#readings.get(source.name) ?? new Map<string, Reading>();
      this.#readings.set(source.name, readings);
      const due = hasAnswer ? addresses.filter((address) => !this.#isRecent(readings.get(address))) : addresses;
      const failure = due.length === 0 ? undefined : await this.#ask(source, due, readings, signal);
      if (failure === undefined) hasAnswer = true;
      else failures.push(`${source.name}: ${failure}`);
      const told = addresses.map((address) => readings.get(address));
      if (!told.every((reading) => this.#isRecent(reading))) continue;
      operators.add(source.operator);
      rows.push(...told.flatMap((reading) => reading?.rows ?? []));
    }
    return { rows, operators: hasAnswer ? operators.size : 0, failures };
  }

  /** @returns why it did not answer */
  async #ask(
    source: TransactionSource,
    addresses: readonly string[],
    readings: Map<string, Reading>,
    signal: AbortSignal | undefined,
  ): Promise<string | undefined> {
    const at = this.#clock.now();
    const answer = await source.history(addresses, signal);
    if (answer.state !== 'present') return answer.reason;
    for (const address of addresses)
      readings.set(address, { at, rows: answer.value.filter((row) => row.address === address) });
    return undefined;
  }

  #isRecent(reading: Reading | undefined): boolean {
    return reading !== undefined && this.#clock.now() - reading.at < SECOND_OPINION_MS;
  }
}
