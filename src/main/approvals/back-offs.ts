/** A program that was denied may ask again after this; each further denial doubles it, up to the maximum. */
const FIRST_MS = 30_000;
const LONGEST_MS = 3_600_000;
const MAX_REMEMBERED = 1_000;

/** Keeps programs that were denied from asking again at once. */
export class BackOffs {
  readonly #backOffs = new Map<string, { until: number; length: number }>();

  /** @returns milliseconds until the program may ask; 0 if it may now */
  left(program: string, now: number): number {
    return Math.max(0, (this.#backOffs.get(program)?.until ?? now) - now);
  }

  denied(program: string, now: number): void {
    const before = this.#backOffs.get(program)?.length ?? FIRST_MS / 2;
    const length = Math.min(LONGEST_MS, before * 2);
    // Set again at the end, so that the oldest goes first.
    this.#backOffs.delete(program);
    if (this.#backOffs.size >= MAX_REMEMBERED) this.#backOffs.delete(this.#backOffs.keys().next().value as string);
    this.#backOffs.set(program, { until: now + length, length });
  }

  approved(program: string): void {
    this.#backOffs.delete(program);
  }
}
