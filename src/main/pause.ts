import { setImmediate } from 'node:timers/promises';
import type { Steps } from '../chain/index.ts';

/** How long all work together may hold one turn of the event loop, in milliseconds. */
const LONGEST_HOLD_MS = 8;

/** When `pause` was first called in this turn; undefined until then. */
let heldSince: number | undefined;
/** Work that continues in a later turn, one per turn, in order of arrival. */
const waiting: (() => void)[] = [];
let isEnding = false;

/**
 * Yields to other work when this turn of the event loop has lasted too long: promises alone never yield. The whole turn counts, so a chain of
 * short pieces of work yields as one long piece does.
 * @returns a promise to await; undefined if there is time left
 */
export function pause(): Promise<void> | undefined {
  const now = performance.now();
  heldSince ??= now;
  endTurn();
  if (now - heldSince < LONGEST_HOLD_MS) return undefined;
  return new Promise((resolve) => waiting.push(resolve));
}

/** Resumes the next waiting work when this turn ends. */
function endTurn(): void {
  if (isEnding) return;
  isEnding = true;
  void setImmediate().then(() => {
    isEnding = false;
    const next = waiting.shift();
    heldSince = next && performance.now();
    if (next === undefined) return;
    endTurn();
    next();
  });
}

/** Runs work synchronously if it is a single step, else as {@link inTurns} does. */
export function inTurnsIfLong<T>(steps: Steps<T>): T | Promise<T> {
  const first = steps.next();
  return first.done === true ? first.value : inTurns(steps);
}

/** Runs work step by step and yields to other work in between. @throws what the work throws */
export async function inTurns<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    const turn = pause();
    if (turn !== undefined) await turn;
  }
}
