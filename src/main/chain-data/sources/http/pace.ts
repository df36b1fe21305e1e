import { type Asker, progressNow, TooManyWait, type Turn, whoAsks } from '../../../async/asker.ts';
import { leftUntil } from '../../../async/left-until.ts';
import type { Clock } from '../../../ports/clock.ts';

interface Waiter extends Turn {
  /** @param leftAloneMs 0, or for how long there is no turn */
  readonly go: (leftAloneMs: number) => void;
}

/**
 * Gives turns with a least time between them. Where several askers wait, each is given one in turn, and the requests of one asker in order of
 * arrival: who asks much makes nobody else wait longer than for one turn of its own.
 */
export class Pace {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  /** When the next turn is free, in milliseconds. */
  #next = 0;
  #pausedUntil = 0;
  #pausedMs = 0;
  /** Waiting requests by asker; the asker whose turn is next comes first. */
  readonly #lines = new Map<string, Waiter[]>();
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, intervalMs: number) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
  }

  /** Gives no turn for so many milliseconds. */
  pause(ms: number): void {
    const left = Math.max(this.#pauseLeft(), ms);
    this.#pausedUntil = this.#clock.now() + left;
    this.#pausedMs = left;
    for (const line of this.#lines.values()) for (const { go } of line.splice(0)) go(left);
    this.#lines.clear();
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /**
   * Waits for a turn.
   * @returns 0, or the milliseconds for which there is none: nobody waits for the end of a pause here
   * @throws the signal's reason; TooManyWait where the asker would wait for longer than is worth beginning
   */
  async turn(signal?: AbortSignal): Promise<number> {
    signal?.throwIfAborted();
    const pauseLeft = this.#pauseLeft();
    if (pauseLeft > 0) return pauseLeft;
    const asker = whoAsks();
    if (this.#lines.size === 0 && this.#nextIn() === 0) {
      this.#next = this.#clock.now() + this.#intervalMs;
      noteSent(asker);
      return 0;
    }
    const name = asker?.name ?? '';
    const line = this.#lines.get(name) ?? [];
    const lines = this.#lines.size + (line.length === 0 ? 1 : 0);
    const waitMs = this.#nextIn() + line.length * lines * this.#intervalMs;
    if (asker !== undefined && waitMs > asker.mostWaitMs) throw new TooManyWait(asker, waitMs);
    return this.#wait(name, line, asker, signal);
  }

  #wait(name: string, line: Waiter[], asker: Asker | undefined, signal: AbortSignal | undefined): Promise<number> {
    this.#lines.set(name, line);
    const progress = progressNow();
    if (asker !== undefined) asker.waiting += 1;
    return new Promise((resolve, reject) => {
      const left = (): void => {
        signal?.removeEventListener('abort', leave);
        if (asker !== undefined) asker.waiting -= 1;
        progress?.waiting.delete(waiter);
      };
      const leave = (): void => {
        left();
        line.splice(line.indexOf(waiter), 1);
        if (line.length === 0) this.#lines.delete(name);
        reject(signal?.reason as Error);
      };
      const go = (leftAloneMs: number): void => {
        left();
        if (leftAloneMs === 0) noteSent(asker, progress);
        resolve(leftAloneMs);
      };
      const before = (): number => this.#turnsBefore(name, waiter);
      const inMs = (): number => this.#nextIn() + before() * this.#intervalMs;
      const waiter: Waiter = { go, before, inMs };
      line.push(waiter);
      progress?.waiting.add(waiter);
      signal?.addEventListener('abort', leave, { once: true });
      this.#schedule();
    });
  }

  /** Each line gives one turn in a round, those before its own line one more. */
  #turnsBefore(name: string, waiter: Waiter): number {
    const place = this.#lines.get(name)?.indexOf(waiter) ?? 0;
    let [before, isAfter] = [place, 0];
    for (const [other, { length }] of this.#lines) {
      if (other === name) isAfter = 1;
      else before += Math.min(length, place + 1 - isAfter);
    }
    return before;
  }

  #pauseLeft(): number {
    return leftUntil(this.#pausedUntil, this.#clock.now(), this.#pausedMs);
  }

  #nextIn(): number {
    return leftUntil(this.#next, this.#clock.now(), this.#intervalMs);
  }

  #schedule(): void {
    if (this.#cancel !== undefined || this.#lines.size === 0) return;
    this.#cancel = this.#clock.after(this.#nextIn(), () => {
      this.#cancel = undefined;
      this.#giveTurn();
      this.#schedule();
    });
  }

  #giveTurn(): void {
    const [first] = this.#lines;
    if (first === undefined) return;
    const [name, line] = first;
    const waiter = line.shift();
    // its line goes to the end
    this.#lines.delete(name);
    if (line.length > 0) this.#lines.set(name, line);
    this.#next = this.#clock.now() + this.#intervalMs;
    waiter?.go(0);
  }
}

function noteSent(asker: Asker | undefined, progress = progressNow()): void {
  if (asker !== undefined) asker.asked += 1;
  if (progress !== undefined) progress.sent += 1;
}
