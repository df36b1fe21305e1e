import { setImmediate } from 'node:timers/promises';
import type { Steps } from '../chain/index.ts';

/** How long one turn of the event loop may take all work together, in milliseconds. */
const LONGEST_HOLD_MS = 8;

/** When it was first looked whether this turn has lasted long enough; undefined until somebody does. */
let heldSince: number | undefined;
/** Who goes on in a later turn, one a turn, in the order they came. */
const waiting: (() => void)[] = [];
let isEnding = false;

/**
 * Lets others run in between: promises alone never give the event loop back, however many follow each other. What counts is how long the
 * turn has lasted, whoever worked in it, so that a chain of short pieces of work is interrupted as one long piece is.
 * @returns what to wait for; undefined where there is time left
 */
export function pause(): Promise<void> | undefined {
  const now = performance.now();
  heldSince ??= now;
  endTurn();
  if (now - heldSince < LONGEST_HOLD_MS) return undefined;
  return new Promise((resolve) => waiting.push(resolve));
}

/** Notices the end of this turn, and lets the next one in that waits. */
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

/** Does work at once where it is a single step, so that nobody waits for nothing; else as {@link inTurns} does. */
export function inTurnsIfLong<T>(steps: Steps<T>): T | Promise<T> {
  const first = steps.next();
  return first.done === true ? first.value : inTurns(steps);
}

/** Does work step by step and lets others run in between. @throws what the work throws */
export async function inTurns<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    const turn = pause();
    if (turn !== undefined) await turn;
  }
}
