/**
 * Work cut into short steps, for whoever must not be kept from other things: it stops after each, and has its result at the end. What it
 * yields is an empty text, so that such work can also stand among the pieces of a text that is being written.
 */
export type Steps<T> = Generator<'', T>;

/** Does all steps at once. @example atOnce(readHex('00ff')) // Uint8Array [0, 255] */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
