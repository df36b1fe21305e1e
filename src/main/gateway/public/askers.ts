import type { Asker } from '../../async/asker.ts';

/** A program that gives up after half a minute shall have its answer by then: most answers take more than one turn. */
const MOST_WAIT_MS = 10_000;
/** Those that asked last are remembered. */
const MOST_ASKERS = 1_000;

/** The clients of the gateway, with the requests to public services that each has caused since the start. */
export class Askers {
  readonly #askers = new Map<string, Asker>();

  /** @param id of a key, or of who has the user name. @param title as a person knows it */
  of(id: string, title: string): Asker {
    const known = this.#askers.get(id);
    if (known !== undefined) return known;
    const asker = { name: id, title, mostWaitMs: MOST_WAIT_MS, asked: 0, waiting: 0 };
    this.#askers.set(id, asker);
    if (this.#askers.size > MOST_ASKERS) this.#forgetOldest();
    return asker;
  }

  list(): readonly Readonly<Asker>[] {
    return [...this.#askers.values()];
  }

  #forgetOldest(): void {
    for (const [id, { waiting }] of this.#askers) {
      if (waiting > 0) continue;
      this.#askers.delete(id);
      return;
    }
  }
}
