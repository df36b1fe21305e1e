import type { Steps } from '../../../../chain/index.ts';
import { pause } from '../../../pause.ts';
import { STEP_INPUTS } from '../consensus/validate.ts';

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
  *add(outpoints: readonly string[], txid: string): Steps<readonly string[]> {
    const rivals = new Set<string>();
    for (const [index, outpoint] of outpoints.entries()) {
      const wanting = this.#wanted.get(outpoint);
      if (wanting === undefined) this.#wanted.set(outpoint, txid);
      else {
        const others = [wanting].flat();
        for (const rival of others) if (rival !== txid) rivals.add(rival);
        this.#wanted.set(outpoint, [...others, txid]);
      }
      if (index % STEP_INPUTS === STEP_INPUTS - 1) yield '';
    }
    return [...rivals];
  }

  *remove(outpoints: readonly string[], txid: string): Steps<void> {
    for (const [index, outpoint] of outpoints.entries()) {
      if (index % STEP_INPUTS === STEP_INPUTS - 1) yield '';
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
