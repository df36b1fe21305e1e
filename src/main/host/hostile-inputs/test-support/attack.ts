import { setImmediate } from 'node:timers/promises';
import { type Around, fewShapes, hostile, type Shape, shapes, within } from '../../../test-support/hostile/shapes.ts';

/** In `npm run test:long`. */
export const LONG = process.env.PLANCHET_LONG !== undefined;
export const BOUND = { milliseconds: 250, bytes: 64 * 1_048_576 };
const MIB = 1_048_576;
/** Below and above what surfaces take. */
const SIZES = LONG ? [MIB / 16, MIB, 4 * MIB, 16 * MIB, 64 * MIB] : [MIB / 2];

export interface Attack {
  readonly shape: Shape;
  readonly bytes: number;
}

/** Makes an input, which is not measured. @returns what the host does with it */
export type Attacker = (attack: Attack) => Work | Promise<Work>;
export type Work = () => Promise<void>;

export const ATTACKS: readonly Attack[] = SIZES.flatMap((bytes) =>
  (LONG ? shapes : fewShapes).map((shape) => ({ shape, bytes })),
);

/** The shape alone. */
export const bare: Around = {};

/** Hands a text to a procedure. */
export function given(call: (text: string) => unknown, ...arounds: Around[]): Attacker {
  return ({ shape, bytes }) => {
    const inputs = arounds.map((around) => within(hostile(shape, bytes), around).toString('latin1'));
    return async () => {
      for (const input of inputs) {
        await setImmediate()
          .then(() => call(input))
          .catch(() => undefined);
        await setImmediate();
      }
    };
  };
}
