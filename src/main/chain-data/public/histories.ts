import type { Reason } from '../../../contract/index.ts';
import { isOver } from '../../async/left-until.ts';
import { chunks } from '../../chunks.ts';
import type { KeyHistory } from '../../ports/chain-data.ts';
import type { Clock } from '../../ports/clock.ts';
import { reasonsOf, type Silent } from '../sources/none-answered.ts';
import type { HistoryRow, HistorySource } from '../sources/transaction-source.ts';

/** How often a further operator is asked for one more address, the one that it told of longest ago: it may cost it two requests. */
const NEXT_ADDRESS_MS = 600_000;
/** How long an unconfirmed row counts without being told again. */
const WAITS_MS = 600_000;
/** How long a row that names a block is compared with the same source's answer about the transaction. */
const MOMENT_MS = 60_000;
/** Addresses that are asked for at a time: what was told of them is kept where the next ones fail. */
const AT_ONCE = 20;

/** A row, and whose word it is. */
export interface ToldRow extends HistoryRow {
  readonly operator: string;
}

/** The answer of a source about one address. */
interface Reading {
  /** When it was asked, in milliseconds since 1970. */
  readonly at: number;
  /** The number of the question: of two that are under way at once the older may be answered last. */
  readonly asked: number;
  readonly rows: readonly HistoryRow[];
  /** Why rows may be missing. */
  readonly cut: Reason | undefined;
}

/** The rows of one source about one address. */
export interface Told {
  readonly name: string;
  readonly address: string;
  readonly rows: readonly HistoryRow[];
}

/** All that one source told. */
interface Source {
  readonly readings: Map<string, Reading>;
  /** When it last said that a block holds a transaction, and which, by its id. */
  readonly mined: Map<string, { readonly height: number } & Pick<Reading, 'at' | 'asked'>>;
  /** Since when one more address is asked for each {@link NEXT_ADDRESS_MS}. */
  since: number;
  /** The number of its last question. */
  asked: number;
}

/**
 * The histories of addresses as several operators tell them: the first that answers each time, the others for a new address at once, and else for
 * one address after the other. A row that one of them hides is told by another. One that finds only is never the first.
 */
export class Histories {
  readonly #clock: Pick<Clock, 'now'>;
  /** By name of the source. */
  readonly #told = new Map<string, Source>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /**
   * @param awaited addresses about which every source is asked
   * @returns the union of all rows; how many operators told of all addresses, at least one where anybody answers; why others did not answer; what
   *   those who list everything told now; and the addresses of which nobody told all, with what each said
   */
  async read(
    sources: readonly HistorySource[],
    addresses: readonly string[],
    signal?: AbortSignal,
    awaited: readonly string[] = [],
  ): Promise<{ rows: ToldRow[]; operators: number; failures: Silent[]; told: Told[]; cut: KeyHistory['cut'] & {} }> {
    const failures: Silent[] = [];
    /** By address of which nobody told all yet: the sources that cut it. */
    const cut = new Map<string, Silent[]>();
    const news: Told[] = [];
    const operators = new Set<string>();
    const rows: (readonly ToldRow[])[] = [];
    let hasAnswer = false;
    for (const source of sources) {
      const told = this.#sourceOf(source.name);
      const isFirst = !hasAnswer && source.findsOnly !== true;
      const due = isFirst
        ? addresses
        : this.#due(told, addresses, source.findsOnly ? awaited : [...awaited, ...cut.keys()]);
      const failure = await this.#ask(source, due, told, signal);
      if (failure === undefined && source.findsOnly !== true)
        for (const address of due) {
          const reading = told.readings.get(address);
          const silent = cut.get(address) ?? [];
          if (reading?.cut !== undefined && (isFirst || silent.length > 0))
            cut.set(address, [...silent, { name: source.name, reason: reading.cut }]);
          else if (reading?.cut === undefined) {
            cut.delete(address);
            news.push({ name: source.name, address, rows: reading?.rows ?? [] });
          }
        }
      if (failure === undefined) hasAnswer ||= source.findsOnly !== true;
      else failures.push({ name: source.name, reason: failure });
      const readings = addresses.map((address) => told.readings.get(address));
      const hasAll =
        failure === undefined && readings.every((reading) => reading !== undefined && reading.cut === undefined);
      if (hasAll && source.findsOnly !== true) operators.add(source.operator);
      const { operator } = source;
      for (const reading of readings) {
        const counting = reading?.rows.filter((row) => this.#counts(row, reading)) ?? [];
        rows.push(counting.map((row) => ({ ...row, operator })));
      }
    }
    return {
      rows: rows.flat(),
      operators: hasAnswer ? Math.max(operators.size, 1) : 0,
      failures,
      told: news,
      cut: [...cut].map(([address, each]) => ({ address, reason: reasonsOf(each) })),
    };
  }

  /** The height at which a source said a moment ago that a block holds a transaction. */
  minedAt(name: string, txid: string): number | undefined {
    const told = this.#told.get(name)?.mined.get(txid);
    return told === undefined || isOver(MOMENT_MS, told.at, this.#clock.now()) ? undefined : told.height;
  }

  #sourceOf(name: string): Source {
    const known = this.#told.get(name);
    if (known !== undefined) return known;
    const source: Source = { readings: new Map(), mined: new Map(), since: this.#clock.now(), asked: 0 };
    this.#told.set(name, source);
    return source;
  }

  /** The addresses that it never told of or that are awaited, and of the others as many as it is time for. */
  #due(source: Source, addresses: readonly string[], awaited: readonly string[]): string[] {
    const { readings } = source;
    const time = this.#clock.now();
    // a clock that was put back begins the wait anew
    source.since = Math.min(source.since, time);
    const timeOf = (address: string): number => {
      const at = readings.get(address)?.at ?? Number.POSITIVE_INFINITY;
      // a time ahead is one of a clock that was put back: nobody knows how long ago it was
      return at > time ? Number.NEGATIVE_INFINITY : at;
    };
    const now = new Set(awaited);
    const news = addresses.filter((address) => !readings.has(address) || now.has(address));
    const known = addresses
      .filter((address) => readings.has(address) && !now.has(address))
      .sort((a, b) => timeOf(a) - timeOf(b));
    return [...news, ...known.slice(0, Math.floor((time - source.since) / NEXT_ADDRESS_MS))];
  }

  /** @returns why it did not answer */
  async #ask(
    source: HistorySource,
    addresses: readonly string[],
    told: Source,
    signal: AbortSignal | undefined,
  ): Promise<Reason | undefined> {
    for (const some of chunks(addresses, AT_ONCE)) {
      const at = this.#clock.now();
      told.asked += 1;
      const { asked } = told;
      const answer = await source.history(some, signal);
      if (answer.state !== 'present') return answer.reason;
      for (const { address, rows, cut } of answer.value) {
        if ((told.readings.get(address)?.asked ?? 0) < asked) told.readings.set(address, { at, asked, rows, cut });
        for (const { txid, height } of rows)
          if (height !== null && (told.mined.get(txid)?.asked ?? 0) < asked)
            told.mined.set(txid, { height, at, asked });
      }
      told.since = at;
    }
    return undefined;
  }

  #counts({ height }: HistoryRow, { at }: Reading): boolean {
    return height !== null || !isOver(WAITS_MS, at, this.#clock.now());
  }
}

/** Joins rows to a history: a transaction is mined where one row says so. @param keyOf the hash of the key of an address, hex */
export function historyOf(rows: readonly ToldRow[], keyOf: (address: string) => string): KeyHistory {
  const mined = new Map<string, KeyHistory['mined'][number]>();
  for (const { address, txid, height } of rows)
    if (height !== null) mined.set(`${address} ${txid}`, { key: keyOf(address), txid, height });
  const isMined = new Set([...mined.values()].map(({ txid }) => txid));
  const waiting = new Set(rows.flatMap(({ txid }) => (isMined.has(txid) ? [] : [txid])));
  const toldBy = new Map<string, readonly string[]>();
  for (const { txid, operator } of rows) {
    const before = toldBy.get(txid) ?? [];
    if (waiting.has(txid) && !before.includes(operator)) toldBy.set(txid, [...before, operator]);
  }
  return { mined: [...mined.values()], waiting: [...waiting], toldBy };
}
