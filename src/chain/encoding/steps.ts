/**
 * Long work as a generator, so that the caller can interrupt it between steps and keep the event loop free. The return value is the
 * result. Each step yields an empty string, so that such work can be mixed with the chunks of a streamed text.
 */
export type Steps<T> = Generator<'', T>;

/** Runs all steps synchronously. @example runSteps(readHex('00ff')) // Uint8Array [0, 255] */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
