import { describe, expect, it } from 'vitest';
import { Vigil } from './vigil.ts';

function watched(processors = 2) {
  let now = 0;
  const looks: (() => void)[] = [];
  const vigil = new Vigil(
    () => now,
    (look) => looks.push(look),
    processors,
  );
  return {
    vigil,
    /** The event loop turns, which takes so long. @returns whether it is kept awake for another turn */
    turn: (ms: number): boolean => {
      now += ms;
      looks.shift()?.();
      expect(looks.length).toBeLessThan(2);
      return looks.length > 0;
    },
  };
}

describe('Vigil', () => {
  it('keeps the event loop awake until the answer is here and the next question may have come', () => {
    const { vigil, turn } = watched();
    const call = { ended: false };
    vigil.keep(call, 0, 0.1);
    expect([turn(0.1), turn(0.1), turn(0.1)]).toEqual([true, true, true]);
    call.ended = true;
    expect([turn(0.05), turn(0.05), turn(0.05)]).toEqual([true, true, true]);
    expect(turn(0.05)).toBe(false);
  });

  it('ends where the answer takes longer than those before', () => {
    const { vigil, turn } = watched();
    vigil.keep({ ended: false }, 0, 0.1);
    expect(turn(0.3)).toBe(true);
    expect(turn(0.2)).toBe(false);
    vigil.keep({ ended: false }, 10, 0.1);
    expect(turn(9.6)).toBe(true);
  });

  it('goes from one call on to the next without a second loop beside the first', () => {
    const { vigil, turn } = watched();
    const first = { ended: false };
    vigil.keep(first, 0, 0.1);
    first.ended = true;
    vigil.keep({ ended: false }, 0.01, 0.1);
    expect([turn(0.1), turn(0.1), turn(0.1), turn(0.1), turn(0.1)]).toEqual([true, true, true, true, false]);
  });

  it.each([
    ['an upstream that is far away', 0.5, 2],
    ['one of which nothing is known', undefined, 2],
    ['a machine with one processor', 0.1, 1],
  ])('lets it sleep for %s', (_what, latency, processors) => {
    const { vigil, turn } = watched(processors);
    vigil.keep({ ended: false }, 0, latency);
    expect(turn(0.01)).toBe(false);
  });
});
