import type { Assertion } from 'vitest';

/**
 * `expect()` as the tests use it: no matcher looks at the type of what is expected. It stands before the library's own call, which makes all its
 * matchers anew for each of four thousand types.
 */
declare module 'vitest' {
  interface ExpectStatic {
    // biome-ignore lint/style/useShorthandFunctionType: it is merged with the library's interface.
    // biome-ignore lint/suspicious/noExplicitAny: the callbacks of matchers take what they were given.
    (actual: unknown, message?: string): Assertion<void, any>;
  }
}
