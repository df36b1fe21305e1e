import type { Steps } from '../../../../chain/index.ts';
import { Sequencer } from '../../../async/sequencer.ts';
import { pause } from '../../../pause.ts';
import { STEP_INPUTS } from '../consensus/validate.ts';

/** Runs changes of the chain one after the other, and yields to the event loop before each. */
export class SerialQueue extends Sequencer {
  override run<T>(change: () => Promise<T>): Promise<T> {
    return super.run(async () => {
      await pause();
      return change();
    });
  }
}

/** Tracks which pending transactions spend which outputs, to detect conflicts between simultaneous submissions. */
export class Claims {
  /** By outpoint: the only spender, or all of them. */
  readonly #wanted = new Map<string, string | string[]>();

  /** @returns the other pending transactions that spend one of the outpoints. */
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
