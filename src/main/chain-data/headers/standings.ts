import { type HeaderSourceStatus, PlanchetError } from '../../../contract/index.ts';
import { reasonOf } from '../../phrased-error.ts';
import type { HeaderSource } from './header-source.ts';
import { HeaderRefused } from './header-window.ts';

/** Blocks that the second operator may lag behind the tip. */
const MOST_BEHIND = 2;

type Standing = Omit<HeaderSourceStatus, 'name'>;

/** What each source said last, and how often it said what is false. */
export class Standings {
  readonly #standings = new Map<string, Standing>();

  #needsTwo = false;

  /** Takes what is asked from now on, and forgets the rest. */
  keepOnly(sources: readonly HeaderSource[]): void {
    this.#needsTwo = sources.every(({ operator }) => operator !== undefined);
    // another operator may answer for a service that is asked elsewhere now: it has agreed to nothing yet
    const operators = new Map(sources.map(({ name, operator }) => [name, operator ?? null]));
    for (const [name, { operator }] of this.#standings)
      if (operators.get(name) !== operator) this.#standings.delete(name);
  }

  /** @param height of its tip. @param agreesTo height up to which its chain is the active one */
  answered(source: HeaderSource, height: number, agreesTo: number): void {
    this.#standings.set(source.name, { ...this.#of(source), height, agreesTo, failure: null });
  }

  /** A source that does not answer still agrees to what it agreed to. One that shows forbidden headers agrees to nothing. */
  failed(source: HeaderSource, error: Error): void {
    const before = this.#of(source);
    const lie = error instanceof HeaderRefused ? { refused: before.refused + 1, agreesTo: null } : {};
    this.#standings.set(source.name, { ...before, ...lie, failure: asPlanchetError(error).toFailure() });
  }

  /** A source said what does not hold: of a transaction, a proof or a spend. */
  lied(name: string): void {
    const before = this.#standings.get(name);
    if (before !== undefined) this.#standings.set(name, { ...before, refused: before.refused + 1 });
  }

  /** @returns the same, those first that said what does not hold less often */
  ranked<T extends { readonly name: string }>(sources: readonly T[]): T[] {
    const lies = ({ name }: T): number => this.#standings.get(name)?.refused ?? 0;
    return [...sources].sort((one, other) => lies(one) - lies(other));
  }

  /** The active chain left a branch. @param fork the last block of it that is still active */
  left(fork: number): void {
    for (const [name, standing] of this.#standings)
      if (standing.agreesTo !== null && standing.agreesTo > fork)
        this.#standings.set(name, { ...standing, agreesTo: fork });
  }

  /** Whether two operators have the chain up to two blocks below its tip, or a node of one's own is asked. */
  agreeOn(tip: number): boolean {
    if (!this.#needsTwo) return true;
    // asked for with nearly every answer
    let first: Standing['operator'] | undefined;
    for (const { operator, agreesTo } of this.#standings.values()) {
      if (agreesTo === null || agreesTo < tip - MOST_BEHIND) continue;
      if (first !== undefined && operator !== first) return true;
      first = operator;
    }
    return false;
  }

  list(): HeaderSourceStatus[] {
    return [...this.#standings].map(([name, standing]) => ({ name, ...standing }));
  }

  #of({ name, operator }: HeaderSource): Standing {
    const fresh: Standing = { operator: operator ?? null, height: null, agreesTo: null, refused: 0, failure: null };
    return this.#standings.get(name) ?? fresh;
  }
}

/** The failure of a source as one that a person can read. */
export function asPlanchetError(error: unknown): PlanchetError {
  if (error instanceof PlanchetError) return error;
  return new PlanchetError('chain.source-of-no-use', { reason: reasonOf(error) }, { cause: error });
}
