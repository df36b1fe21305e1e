import { existsSync, statSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import type { Contract, LogLine, LogStep, Serves } from '../../contract/index.ts';
import { PullStream } from './pull-stream.ts';

/** Lines that are kept in memory, and that a reader gets at first. */
const KEPT_LINES = 2_000;
/** Lines that wait for one reader; further ones are only counted. */
const MAX_WAITING = 1_000;
const STEP_MS = 250;
/** How much of the file of an earlier run is read. */
const EARLIER_BYTES = 262_144;
const MAX_DETAIL_CHARS = 2_000;

const levels: Readonly<Record<number, LogLine['level']>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'error',
};

interface Reader {
  waiting: LogLine[];
  skipped: number;
  stream: PullStream<LogStep>;
}

/** The newest lines of the log, for those who read along. Its memory is bounded. */
export class LogTail implements Serves<Contract['logs']> {
  readonly #file: string;
  /** Bytes that an earlier run left in the file. */
  readonly #earlierBytes: number;
  readonly #kept: string[] = [];
  readonly #readers = new Set<Reader>();
  #count = 0;

  /** @param file the log file, before this run writes to it */
  constructor(file: string) {
    this.#file = file;
    this.#earlierBytes = existsSync(file) ? statSync(file).size : 0;
  }

  /** @param line as it is written to the file: secrets are masked */
  push(line: string): void {
    this.#count += 1;
    this.#kept.push(line);
    if (this.#kept.length > 2 * KEPT_LINES) this.#kept.splice(0, KEPT_LINES);
    if (this.#readers.size === 0) return;
    const read = parseLine(line, this.#count);
    for (const reader of this.#readers) {
      if (reader.waiting.length < MAX_WAITING) reader.waiting.push(read);
      else reader.skipped += 1;
      if (reader.waiting.length === 1) reader.stream.wake();
    }
  }

  /** The newest lines, then what is written from now on. */
  follow(signal?: AbortSignal): AsyncIteratorObject<LogStep, undefined, void> {
    let first = true;
    const reader: Reader = {
      waiting: [],
      skipped: 0,
      stream: new PullStream({
        take: async () => {
          if (first) {
            const earlier = await this.#earlier();
            first = false;
            this.#readers.add(reader);
            return { lines: this.#newest(earlier), skipped: 0 };
          }
          if (reader.waiting.length === 0) return undefined;
          await reader.stream.pause(STEP_MS);
          const step = { lines: reader.waiting, skipped: reader.skipped };
          reader.waiting = [];
          reader.skipped = 0;
          return step;
        },
        onClose: () => this.#readers.delete(reader),
        signal,
      }),
    };
    return reader.stream;
  }

  /** @param limit at most so many of the newest lines, as they are in the file */
  async newest(limit: number): Promise<string[]> {
    return [...(await this.#earlier()), ...this.#kept].slice(-limit);
  }

  /** The whole log file of now. */
  async file(): Promise<Blob> {
    return new Blob(existsSync(this.#file) ? [await readFile(this.#file)] : []);
  }

  #newest(earlier: readonly string[]): LogLine[] {
    const first = this.#count - this.#kept.length + 1 - earlier.length;
    return [...earlier, ...this.#kept].map((line, index) => parseLine(line, first + index)).slice(-KEPT_LINES);
  }

  /** The last lines of an earlier run, unless this one has written enough. */
  async #earlier(): Promise<string[]> {
    if (this.#kept.length >= KEPT_LINES || this.#earlierBytes === 0) return [];
    const length = Math.min(this.#earlierBytes, EARLIER_BYTES);
    const position = this.#earlierBytes - length;
    try {
      const file = await open(this.#file, 'r');
      try {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
        const lines = buffer.subarray(0, bytesRead).toString('utf8').split('\n').filter(Boolean);
        return position > 0 ? lines.slice(1) : lines;
      } finally {
        await file.close();
      }
    } catch {
      // The log may have been moved away; what this run wrote is still there.
      return [];
    }
  }
}

function parseLine(line: string, number: number): LogLine {
  try {
    const { level, time, msg, part, service, ...rest } = JSON.parse(line) as Record<string, unknown>;
    const detail = Object.keys(rest).length === 0 ? '' : JSON.stringify(rest);
    return {
      number,
      at: Date.parse(String(time)) || 0,
      level: levels[Number(level)] ?? 'info',
      part: String(service ?? part ?? ''),
      message: String(msg ?? ''),
      detail: detail.slice(0, MAX_DETAIL_CHARS),
    };
  } catch {
    // A full disk may have cut a line.
    return { number, at: 0, level: 'info', part: '', message: line.trim(), detail: '' };
  }
}
