import { Pause } from './pause.ts';

/** Runs one asynchronous change after the other, in the order asked for, whether or not the one before succeeded. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();
  readonly #pause = new Pause();

  run<T>(change: () => Promise<T>): Promise<T> {
    const done = this.#last.then(() => this.#pause.here()).then(change);
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** Resolves when all that was asked for so far is done. */
  async idle(): Promise<void> {
    await this.#last;
  }
}

/** Which undecided transactions want which outputs, so that of two that come at the same time the second can be told so. */
export class Claims {
  readonly #wanted = new Map<string, string[]>();

  /** @returns the other undecided transactions that want one of the outpoints. */
  add(outpoints: readonly string[], txid: string): readonly string[] {
    let rivals: string[] = [];
    for (const outpoint of outpoints) {
      const wanting = this.#wanted.get(outpoint);
      if (wanting === undefined) this.#wanted.set(outpoint, [txid]);
      else {
        rivals = rivals.concat(wanting.filter((rival) => rival !== txid));
        wanting.push(txid);
      }
    }
    return rivals;
  }

  remove(outpoints: readonly string[], txid: string): void {
    for (const outpoint of outpoints) {
      const wanting = this.#wanted.get(outpoint) ?? [];
      const at = wanting.indexOf(txid);
      if (at >= 0) wanting.splice(at, 1);
      if (wanting.length === 0) this.#wanted.delete(outpoint);
    }
  }
}
