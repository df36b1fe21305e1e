import { pause } from './pause.ts';

/** Runs one asynchronous change after the other, in the order asked for, whether or not the one before succeeded. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(change: () => Promise<T>): Promise<T> {
    const done = this.#last.then(() => pause()).then(change);
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
  /** By outpoint: the only one that wants it, or all that do. */
  readonly #wanted = new Map<string, string | string[]>();

  /** @returns the other undecided transactions that want one of the outpoints. */
  add(outpoints: readonly string[], txid: string): readonly string[] {
    let rivals: string[] = [];
    for (const outpoint of outpoints) {
      const wanting = this.#wanted.get(outpoint);
      if (wanting === undefined) this.#wanted.set(outpoint, txid);
      else {
        const others = [wanting].flat();
        rivals = rivals.concat(others.filter((rival) => rival !== txid));
        this.#wanted.set(outpoint, [...others, txid]);
      }
    }
    return rivals;
  }

  remove(outpoints: readonly string[], txid: string): void {
    for (const outpoint of outpoints) {
      const wanting = this.#wanted.get(outpoint);
      if (typeof wanting === 'string') {
        if (wanting === txid) this.#wanted.delete(outpoint);
        continue;
      }
      const at = wanting?.indexOf(txid) ?? -1;
      if (at >= 0) wanting?.splice(at, 1);
      if (wanting?.length === 0) this.#wanted.delete(outpoint);
    }
  }
}
